"""Monitors of the pages of a run, outside the agent."""
