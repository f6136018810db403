"""The `browser` resource of strap."""
