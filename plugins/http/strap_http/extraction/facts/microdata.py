"""Microdata (WHATWG HTML) shaped as JSON-LD; `itemref` is not followed: items may form circles."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from strap.html_tree import joined

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

MOST = 50
"""Items that are told; lists have many alike, which `extract` gives as rows."""
_PROPERTIES = 2_000
"""Elements that are read as properties, of all items."""
_NAMES = 4
"""Names of one of them: what it says is told under each."""
_DEEP = 4
"""Items in items."""
_LONGEST = 500
"""Characters of a value: that of a review or an article is all of its text."""
_SCHEMA = ("https://schema.org/", "http://schema.org/")
_ADDRESSES = {
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    "object": "data",
}
_SILENT = ("noscript", "script", "style", "template")
"""Elements whose content is not text of the page."""
_VALUES = {"data": "value", "meter": "value", "time": "datetime"}

Item = dict[str, Any]


def microdata(root: "HtmlElement", base_url: str) -> list[Item]:
    """Return the items that are not part of another one, in the order of the page."""
    tops = root.iterfind(".//*[@itemscope]")
    alone = (element for element in tops if element.get("itemprop") is None)
    left = iter(range(_PROPERTIES))
    return [_item(element, base_url, _DEEP, left) for element in islice(alone, MOST)]


def _item(element: "HtmlElement", base_url: str, levels: int, left: Iterator[int]) -> Item:
    types = (element.get("itemtype") or "").split()
    names = [next((t.removeprefix(s) for s in _SCHEMA if t.startswith(s)), t) for t in types]
    item: Item = {"@type": names[0] if len(names) == 1 else names} if names else {}
    for prop, _ in zip(_properties(element), left, strict=False):
        is_item = prop.get("itemscope") is not None
        if is_item and levels == 0:
            continue
        value = _item(prop, base_url, levels - 1, left) if is_item else _value(prop, base_url)
        for name in islice(_names_of(prop) if value else (), _NAMES):
            known = item.get(name)
            alike = known if isinstance(known, list) else [known]
            if known is None:
                item[name] = value
            elif value not in alike:
                item[name] = [*alike, value]
    return item


def _names_of(element: "HtmlElement") -> Iterator[str]:
    return (name for name in element.get("itemprop").split() if not name.startswith("@"))


def _properties(element: "HtmlElement") -> "Iterator[HtmlElement]":
    waiting = list(reversed(element))
    while waiting:
        current = waiting.pop()
        if isinstance(current.tag, str):
            if current.get("itemprop") is not None:
                yield current
            if current.get("itemscope") is None:
                waiting.extend(reversed(current))


def _value(element: "HtmlElement", base_url: str) -> str:
    """The value of a property; many write it as `content`, which the standard has for `meta`."""
    content = element.get("content") or None
    if content is None and element.tag in _ADDRESSES:
        address = element.get(_ADDRESSES[element.tag])
        return joined(base_url, address)[:_LONGEST] if address else ""
    if content is None:
        content = element.get(_VALUES.get(element.tag, "content")) or None
    if content is None:
        content = "".join(
            text_part[: 2 * _LONGEST] for text_part in islice(_texts(element), 2 * _LONGEST)
        )
    text = " ".join(content.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _texts(element: "HtmlElement") -> Iterator[str]:
    from lxml.etree import iterwalk  # type: ignore[import-untyped]

    walk = iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        if event != "start":
            yield "" if node is element else node.tail or ""
        elif node.tag in _SILENT:
            walk.skip_subtree()
        else:
            yield node.text or ""
