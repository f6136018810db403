"""Progress of runs, and calls of other actions that go on as runs."""
