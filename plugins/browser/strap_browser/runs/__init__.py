"""Runs of the browser agent: their contract, their store, and the actions on them."""
