"""Which model a run uses, and where it comes from."""
