"""Mouse and keyboard of a page."""
