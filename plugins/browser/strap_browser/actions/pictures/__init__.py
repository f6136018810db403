"""What pictures show beside the page: marks on elements, what changed since another one."""
