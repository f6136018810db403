"""Connections to vetted addresses, and bytes in bounded amounts."""
