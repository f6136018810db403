"""What a page says of itself, and where it leads."""
