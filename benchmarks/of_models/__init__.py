"""Compares language models, and versions of strap, by the bundles of `strap sanity`."""
