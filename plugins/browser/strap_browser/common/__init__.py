"""Helpers for every part of the plugin: background tasks, redaction, addresses, texts."""
