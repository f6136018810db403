"""The information-flow guard: attacks, benign tasks, what it costs."""
