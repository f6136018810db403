"""Lists of a page's console messages, requests and downloads."""
