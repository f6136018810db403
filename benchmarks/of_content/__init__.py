"""Measures what is read of pages and files."""
