"""Metadata, structured data and links of a page."""
