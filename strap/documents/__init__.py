"""Documents that are no pages: what bytes are, their text, its parts and passages."""
