"""Choice of the model of a run, and its providers."""
