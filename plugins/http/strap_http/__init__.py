"""The `http` resource of strap."""
