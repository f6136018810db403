"""The page as HTML: rows out of it, and what its scripts drew for other resources."""
