"""The `search` resource of strap."""
