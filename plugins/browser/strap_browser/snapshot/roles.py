"""Roles of a page's tree, by what they mean for the lines of a snapshot."""

from strap_browser.page_script.roles import roles_with

INLINE = roles_with("inline")
"""Roles that say nothing which their content does not."""
CELLS = roles_with("cell")
LINES = roles_with("line") | {"figcaption"}
"""Roles whose content stands on one line, where it fits."""
CARDS = frozenset(("article", "clickable", "group", "listitem"))
UNNAMED_SPLICED = frozenset(("list", "rowgroup", "group", "region", "figure", "term", "document"))
PUNCTUATION = frozenset("|·•/\\»«→←-—:;,.()[]\u2013\u203a\u2039")  # a text of these separates
PARTS = "parts"
"""Role of a line of texts of which some have a ref of their own."""
VALUED = roles_with("value as content")
"""Roles whose content is a value, and never a name."""
