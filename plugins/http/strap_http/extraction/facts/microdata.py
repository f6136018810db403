"""Microdata of a page (https://html.spec.whatwg.org/multipage/microdata.html), shaped as JSON-LD.

`itemref` is not followed: items that point at each other would be read again and again.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from strap.html_tree import joined

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

MOST = 50
"""Items that are told; lists have many alike, which `extract` gives as rows."""
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
_VALUES = {"data": "value", "meter": "value", "time": "datetime"}

Item = dict[str, Any]


def microdata(root: "HtmlElement", base_url: str) -> list[Item]:
    """Return the items that are not part of another one, in the order of the page."""
    tops = root.iterfind(".//*[@itemscope]")
    alone = (element for element in tops if element.get("itemprop") is None)
    return [_item(element, base_url, _DEEP) for element in islice(alone, MOST)]


def _item(element: "HtmlElement", base_url: str, levels: int) -> Item:
    types = (element.get("itemtype") or "").split()
    names = [next((t.removeprefix(s) for s in _SCHEMA if t.startswith(s)), t) for t in types]
    item: Item = {"@type": names[0] if len(names) == 1 else names} if names else {}
    for each in _properties(element):
        is_item = each.get("itemscope") is not None
        if is_item and levels == 0:
            continue
        value = _item(each, base_url, levels - 1) if is_item else _value(each, base_url)
        for name in each.get("itemprop").split() if value else ():
            known = item.get(name)
            alike = known if isinstance(known, list) else [known]
            if known is None:
                item[name] = value
            elif value not in alike:
                item[name] = [*alike, value]
    return item


def _properties(element: "HtmlElement") -> "Iterator[HtmlElement]":
    """Those of an item, but not of the items in it."""
    waiting = list(reversed(element))
    while waiting:
        each = waiting.pop()
        if isinstance(each.tag, str):
            if each.get("itemprop") is not None:
                yield each
            if each.get("itemscope") is None:
                waiting.extend(reversed(each))


def _value(element: "HtmlElement", base_url: str) -> str:
    """The value of a property; many write it as `content`, which the standard has for `meta`."""
    given = element.get("content") or None
    if given is None and element.tag in _ADDRESSES:
        return joined(base_url, element.get(_ADDRESSES[element.tag]) or "")[:_LONGEST]
    if given is None:
        given = element.get(_VALUES.get(element.tag, "content")) or None
    if given is None:
        given = "".join(said[: 2 * _LONGEST] for said in islice(element.itertext(), _LONGEST))
    text = " ".join(given.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
