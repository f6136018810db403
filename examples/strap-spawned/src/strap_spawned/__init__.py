"""A driver of strap's browser that launches any Chromium with a command of the operator's."""
