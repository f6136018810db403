"""Measures what an agent does on pages."""
