"""Vocabulary of plugins and calls, which `strap` re-exports."""
