"""Audits of a page: accessibility, speed, links."""
