"""The actions of the `browser` resource, a module for each family: fields and function."""
