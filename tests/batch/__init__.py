"""Batches: items, their failures, resuming."""
