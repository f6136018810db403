"""Answers over HTTP: as events in few pieces, and of plain calls without the SDK."""
