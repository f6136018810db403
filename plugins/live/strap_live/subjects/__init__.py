"""Subjects of the live view: the pages of a caller in a profile, and a run of the agent."""
