"""Documents that are no pages, and what others read of them."""
