"""The frames of a page: their documents, their elements, and where these are on the page."""
