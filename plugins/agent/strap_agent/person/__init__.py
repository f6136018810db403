"""What a person has to do with a run: they pause it, are asked for help, and for a yes."""
