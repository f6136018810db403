"""A page as a tree of elements."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

# lxml refuses text that says how it was encoded.
_DECLARATION = re.compile(r"\s*<\?xml\b[^<>]{0,300}>", re.IGNORECASE)


def parse(page: str) -> "HtmlElement | None":
    """Return the root of `page`; None for what is no page to a lenient parser either."""
    from lxml import etree, html  # type: ignore[import-untyped]

    try:
        return html.document_fromstring(_DECLARATION.sub("", page, count=1))
    except (etree.LxmlError, ValueError):
        return None
