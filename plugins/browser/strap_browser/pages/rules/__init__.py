"""What holds for all pages of a caller, and what the settings say of it."""
