"""Where a run is in its life, and calls of other actions that go on as runs."""
