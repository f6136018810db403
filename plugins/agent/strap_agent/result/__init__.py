"""Answer of a run: its status, its errors, the JSON object."""
