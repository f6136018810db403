"""The requests of a page: one list of them, and those who may answer them."""
