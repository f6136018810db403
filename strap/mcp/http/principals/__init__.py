"""Whom the server serves."""
