"""Measures what a server says, and how soon."""
