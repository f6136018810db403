"""Pages that are looked at again and again, and what changed in them."""
