"""From the tree of a page to numbered lines of text: pure functions over data."""
