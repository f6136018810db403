"""Scripts: the calls of a session, one a line, to be read, written and played."""
