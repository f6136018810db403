"""Cost of control over a page's traffic, and checks of its recordings."""
