"""A page as a tree of elements, and what its addresses are relative to."""

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

# lxml refuses text that says how it was encoded.
_DECLARATION = re.compile(r"\A\s*+<\?xml\b[^<>]{0,300}>", re.IGNORECASE)
_ENDS, _BLANK = re.compile(r"[\t\n\r]"), re.compile(r"\s")
_BEHIND = re.compile(r"[?#].*", re.DOTALL)
"""What stands behind the path of an address."""
_BODY = re.compile("<body\\b", re.IGNORECASE)
_CONTENT = re.compile(
    r"<(?:a|article|aside|div|figure|footer|form|h[1-6]|header|main|nav|ol|p|section|table|ul)\b",
    re.IGNORECASE,
)


def parse(page: str) -> "HtmlElement | None":
    """Return the root of `page`; None for what is no page to a lenient parser either."""
    from lxml import etree, html  # type: ignore[import-untyped]

    try:
        return html.document_fromstring(with_body(_DECLARATION.sub("", page, count=1)))
    except (etree.LxmlError, ValueError):
        return None


def with_body(page: str) -> str:
    """Return `page` with the `body` tag that may be left out: not every parser knows where."""
    content = None if _BODY.search(page) else _CONTENT.search(page)
    return f"{page[: content.start()]}<body>{page[content.start() :]}" if content else page


def base_of(root: "HtmlElement", url: str) -> str:
    """Return what the addresses of the page at `url` are relative to.

    That is its first `base`, unless it leads to a script or to data
    (https://html.spec.whatwg.org/multipage/semantics.html#set-the-frozen-base-url).
    """
    element = root.find(".//base[@href]")
    if element is None:
        return url
    base = joined(url, element.get("href"))
    try:
        return base if urlsplit(base).scheme in ("http", "https", "file") else url
    except ValueError:  # no address, as with a bracket in its host
        return url


def joined(url: str, address: str) -> str:
    """Return the absolute address, written as browsers do; itself where it cannot be one.

    Line ends in it are left out, and blanks are escaped, but not in a host or a script, nor in
    what is no path of folders, as a number of a telephone
    (https://url.spec.whatwg.org/#url-parsing).
    """
    address = _ENDS.sub("", address).strip()
    try:
        whole = urljoin(url, address)
        parts = urlsplit(whole) if _BLANK.search(whole) else None
    except ValueError:
        return address
    if parts is None or parts.scheme in ("data", "javascript") or _BLANK.search(parts.netloc):
        return whole
    is_opaque = parts.scheme and not parts.netloc and not parts.path.startswith("/")
    return _BEHIND.sub(lambda behind: escaped(behind[0]), whole) if is_opaque else escaped(whole)


def escaped(part: str) -> str:
    """Return (a part of) an address with its blanks escaped, which end one in Markdown."""
    return _BLANK.sub(lambda blank: quote(blank[0]), part)
