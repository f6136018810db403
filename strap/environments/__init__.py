"""Extras in environments of their own, beside that of strap."""
