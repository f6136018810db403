"""The Chrome DevTools Protocol over a pipe or a WebSocket."""
