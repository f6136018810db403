"""Scripts of recorded calls: replayed, and healed on pages that changed."""
