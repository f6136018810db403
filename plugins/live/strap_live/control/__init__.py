"""A person takes part: who has the page in hand, and what their hands do."""
