"""What a call leaves for scripts: evidence of its elements, and what came of it."""
