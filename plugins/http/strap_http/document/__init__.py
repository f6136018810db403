"""From a response to the text that is shown, page by page."""
