"""Playwright's driver process and what strap needs of its inside."""
