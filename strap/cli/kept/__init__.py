"""Kept sessions: a process that makes the calls of many `strap call`, and how it is reached."""
