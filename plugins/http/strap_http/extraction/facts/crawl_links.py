"""Links of a page for a crawler: its links, its own address, its feeds."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from strap.html_tree import base_of, parse
from strap_http.extraction.facts.links import followable

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

_FEEDS = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_FEWER = "nofollow"
"""Value in `rel`, or in the robots `meta` of a page, for links not to follow."""


def read_onward(page: str, base_url: str) -> str:
    """Return lines of a word and a URL: `canonical`, `feed` or `link`, each line once."""
    root = parse(page)
    if root is None:
        return ""
    base = base_of(root, base_url)
    links = ((word, followable(base, address)) for word, address in _addresses(root))
    return "\n".join(dict.fromkeys(f"{word} {url}" for word, url in links if url))


def _addresses(root: "HtmlElement") -> Iterator[tuple[str, str]]:
    for element in root.iter("link"):
        word, address = _named(element), element.get("href")
        if word and address:
            yield word, address
    if not _is_closed(root):
        for element in root.iter("a", "area"):
            address = element.get("href")
            if address and _FEWER not in (element.get("rel") or "").lower().split():
                yield "link", address


def _named(element: "HtmlElement") -> str:
    relations = (element.get("rel") or "").lower().split()
    media_type = (element.get("type") or "").partition(";")[0].strip().lower()
    if "canonical" in relations:
        return "canonical"
    if "alternate" in relations and media_type in _FEEDS:
        return "feed"
    return "link" if {"next", "prev"} & set(relations) else ""


def _is_closed(root: "HtmlElement") -> bool:
    """Whether the page asks crawlers to follow none of its links."""
    rules = (
        (element.get("content") or "").lower()
        for element in root.iter("meta")
        if (element.get("name") or "").lower() == "robots"
    )
    return any(_FEWER in text or "none" in text.replace(" ", "").split(",") for text in rules)
