"""Profiles and tabs: who owns which page, whose turn it is, what happened on it."""
