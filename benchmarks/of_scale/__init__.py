"""Measures batches, and servers for many."""
