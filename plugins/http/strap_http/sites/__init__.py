"""The pages of a site: which there are, and reading them politely, one after the other."""
