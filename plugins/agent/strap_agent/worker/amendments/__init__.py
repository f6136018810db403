"""What browser-use does otherwise under strap, each with its reason."""
