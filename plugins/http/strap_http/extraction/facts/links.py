"""The links of a page or a text, each address once."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urlsplit

from strap.html_tree import base_of, escaped, joined, parse

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

_SCHEMES = ("http", "https", "ftp", "mailto", "tel")
_NAMES = ("aria-label", "title", "alt")
# Bounded repetitions: a hostile text must not make the search quadratic.
_WRITTEN = re.compile(
    r"\[([^\[\]\n]{1,500})\]\(<?([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)"
    r"|\b(https?://[^\s<>\"'`\\^{|}\[\]]{1,2000})"
)
_BLANK = re.compile(r"\s")
_AFTER = ".,;:!?*"

Link = tuple[str, str]


def page_links(page: str, base_url: str) -> str:
    """Return the links of a page, in its order."""
    root = parse(page)
    return "" if root is None else _listed(_of_elements(root), base_of(root, base_url), base_url)


def text_links(text: str, base_url: str) -> str:
    """Return the links of Markdown, and the addresses that are written out in any text."""
    hits = _WRITTEN.findall(text)
    return _listed(((name, to or _ended(bare)) for name, to, bare in hits), base_url, base_url)


def _ended(address: str) -> str:
    """The address without the signs of the sentence that it stands in."""
    address = address.rstrip(_AFTER)
    spare = address.count(")") - address.count("(")
    while spare > 0 and address.endswith(")"):
        address, spare = address[:-1].rstrip(_AFTER), spare - 1
    return address


def _of_elements(root: "HtmlElement") -> Iterator[Link]:
    for element in root.iter("a", "area"):
        address = element.get("href")
        if address is not None:
            yield _text(element), address.strip()


def _text(element: "HtmlElement") -> str:
    named = (descendant.get(name) or "" for descendant in element.iter() for name in _NAMES)
    texts = (" ".join(text.split()) for text in (element.text_content(), *named))
    return next(filter(None, texts), "")


def _listed(links: Iterable[Link], base_url: str, own: str) -> str:
    by_url: dict[str, str] = {}
    for text, address in links:
        url = followable(base_url, address)
        is_inner = not url or (urldefrag(url)[0] == urldefrag(own)[0] and "#" in address)
        if not is_inner:
            by_url[url] = by_url.get(url) or text
    return "\n".join(f"- [{text}]({url})" for url, text in by_url.items())


def followable(base_url: str, address: str) -> str:
    """The absolute address; empty for what nobody can follow, as `javascript:`."""
    url = joined(base_url, address)
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return escaped(url) if parts.scheme in _SCHEMES and not _BLANK.search(parts.netloc) else ""
