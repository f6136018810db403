"""Part of a person in a run: to pause it, to help it, to confirm its actions."""
