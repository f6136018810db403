"""Rules for all pages of a caller, and those of the settings."""
