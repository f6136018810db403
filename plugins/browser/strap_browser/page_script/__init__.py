"""The script beside the page's own (`*.js`), and how questions are put to it."""
