"""Runs of the browser agent (`eval`): from the request to the answer."""
