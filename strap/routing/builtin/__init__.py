"""Plugins that belong to the core: safety and help must not depend on package metadata."""
