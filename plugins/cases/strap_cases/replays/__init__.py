"""Recordings of cases, and replaying them without a model."""
