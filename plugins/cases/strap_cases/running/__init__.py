"""Running cases: each attempt with a caller and a browser context of its own."""
