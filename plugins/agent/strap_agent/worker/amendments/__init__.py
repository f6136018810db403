"""Changes to browser-use under strap, each with its reason."""
