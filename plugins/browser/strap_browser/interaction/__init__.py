"""What actions on a page share: elements, pointer, keys, settling, effects, the response."""
