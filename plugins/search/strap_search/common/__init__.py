"""Regions, texts and URLs of results."""
