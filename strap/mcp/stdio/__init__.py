"""The server on stdin and stdout."""
