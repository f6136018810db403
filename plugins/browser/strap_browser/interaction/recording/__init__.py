"""Notes of a call for scripts: evidence of its elements, and its outcome."""
