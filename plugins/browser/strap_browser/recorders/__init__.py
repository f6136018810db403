"""Recordings of what the pages of a caller do: HAR, report, trace."""
