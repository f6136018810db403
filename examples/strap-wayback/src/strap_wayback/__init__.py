"""Archived web pages for strap."""
