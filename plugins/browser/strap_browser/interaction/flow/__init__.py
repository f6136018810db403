"""Checks of data that a call gives to pages, and of where it may go from there."""
