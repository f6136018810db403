"""Test cases in Markdown: the agent acts, strap decides."""
