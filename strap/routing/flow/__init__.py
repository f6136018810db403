"""The information-flow guard: private data of one site does not go to another unasked."""
