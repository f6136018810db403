"""Telling what became of cases: on the terminal, and as files."""
