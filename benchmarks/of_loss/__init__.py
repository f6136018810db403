"""Losses of main parts, and the junk that they keep."""
