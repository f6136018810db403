"""Pictures with more than the page: marks on elements, changes since the last picture."""
