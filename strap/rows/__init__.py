"""Rows out of pages: by rules, or by what a page repeats of itself."""
