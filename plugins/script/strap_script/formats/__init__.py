"""The forms of a script: tests for Playwright, in Python and TypeScript, and a case for strap."""
