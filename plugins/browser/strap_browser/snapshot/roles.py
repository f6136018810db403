"""What the roles of a page's tree mean for the lines of a snapshot."""

INLINE = frozenset(
    (
        *("code", "deletion", "emphasis", "generic", "insertion", "mark", "none", "presentation"),
        *("strong", "subscript", "suggestion", "superscript", "time"),
    )
)
"""Roles that say nothing which their content does not."""
CELLS = frozenset(("cell", "gridcell", "columnheader", "rowheader"))
LINES = frozenset(
    (
        *("alert", "blockquote", "caption", "definition", "figcaption", "listitem", "log", "note"),
        *("paragraph", "status", "term", "timer", "tooltip"),
    )
)
"""Roles whose content stands on one line, where it fits."""
CARDS = frozenset(("article", "clickable", "group", "listitem"))
UNNAMED_SPLICED = frozenset(("list", "rowgroup", "group", "region", "figure", "term", "document"))
PUNCTUATION = frozenset("|·•/\\»«→←-—:;,.()[]\u2013\u203a\u2039")  # a text of these separates
PARTS = "parts"
"""Role of a line of texts of which some have a ref of their own."""
VALUED = frozenset(
    ("combobox", "scrollbar", "searchbox", "separator", "slider", "spinbutton", "textbox"),
)
"""Roles whose content is a value, and never a name."""
