"""Servers for many: replicas, what is before them, and callers."""
