"""Browsers that a grid or a service lends: asked for, kept, given back, also after a crash."""
