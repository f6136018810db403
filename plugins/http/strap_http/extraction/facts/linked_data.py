"""JSON-LD and microdata of a page: items by type, and what the one it is about says."""

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from strap_http.extraction.facts.microdata import Item, microdata

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

_DEEP = 4
"""Levels of lists and graphs that items are looked for in; more is no way to write them."""
_ABOUT = ("headline", "datePublished", "offers", "author")
"""Properties of the item that a page is about; items of its site and breadcrumbs lack them."""

_WRAPPINGS = (("<![CDATA[", "]]>"), ("<!--", "-->"))
"""Wrappers that hide scripts from XML parsers and old browsers, mostly in comments."""
_BEFORE = 40
"""Characters in which it begins."""
_STORIES = ("Article", "BlogPosting")
"""How the types end of what has a text of its own, rather than of a forum or a live report."""
_PAGES = (*_STORIES, "CreativeWork", "ForumPosting", "Page", "Product", "Recipe", "Report")
"""Type endings of what a page may be about; items of other types count only by its title."""


class LinkedData:
    """The items on a page, in its order; `broken` is how many scripts are no JSON."""

    def __init__(self, root: "HtmlElement", base_url: str) -> None:
        self.items, self.broken = linked_items(root)
        self.marked = microdata(root, base_url)
        self._by_id = {item["@id"]: item for item in self.items if isinstance(item.get("@id"), str)}
        title = root.findtext(".//title") or ""
        linked = [
            item for item in _subjects(self.items) if _ends(item, _PAGES) or _is_titled(item, title)
        ]
        marked = [item for item in _subjects(self.marked) if _ends(item, _PAGES)]
        if len(marked) > 1:  # a list, or something with teasers of others beside it
            marked = [item for item in marked if _is_titled(item, title)]
        self.subjects = {"ld": next(iter(linked), {}), "md": next(iter(marked), {})}

    def values(self, source: str, name: str) -> list[str]:
        """Texts and names under `name` of the main item of `source`: "ld" (JSON-LD), "md"."""
        value = self.subjects[source].get(name)
        entries = value if isinstance(value, list) else [value]
        return [text for entry in entries if (text := self._named(entry))]

    def sections(self) -> Iterator[str]:
        """Yield each item that says something under its type, as compact JSON."""
        named = [("JSON-LD", item) for item in self.items]
        for name, item in (*named, *(("Microdata", item) for item in self.marked)):
            facts = {key: value for key, value in item.items() if key not in ("@context", "@type")}
            if not facts:
                continue
            text = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
            yield f"{name} {_type(item)}\n{text}"
        if self.broken:
            yield f"[JSON-LD that is not valid JSON: {self.broken}]"

    def _named(self, entry: Any) -> str:
        if isinstance(entry, dict):
            entry = entry if "name" in entry else self._by_id.get(str(entry.get("@id")), {})
            entry = entry.get("name")
        return entry if isinstance(entry, str) else ""


def article_body(items: Iterable[Item]) -> str:
    """The longest text that a page gives in JSON-LD as that of an article; empty if none."""
    texts = (item.get("articleBody") for item in items if _is_story(item))
    return max((text for text in texts if isinstance(text, str)), key=len, default="")


def answers(items: Iterable[Item]) -> Iterator[str]:
    """Yield the questions that a page gives in JSON-LD as asked often, each before its answer."""
    for item in items:
        entity = item.get("mainEntity") if "FAQPage" in _types(item) else None
        for question in _entries(entity):
            for answer in _entries(question.get("acceptedAnswer")):
                texts = (question.get("name"), answer.get("text"))
                yield from (text for text in texts if isinstance(text, str))


def _entries(value: Any) -> list[Item]:
    entries = value if isinstance(value, list) else [value]
    return [entry for entry in entries if isinstance(entry, dict)]


def linked_items(root: "HtmlElement") -> tuple[list[Item], int]:
    """The items of a page in JSON-LD, and how many scripts are no JSON."""
    items: list[Item] = []
    broken = 0
    for script in root.iterfind(".//script"):
        if "ld+json" in (script.get("type") or "").lower():
            try:
                item = json.loads(_unwrapped(script.text or ""), strict=False)
                items.extend(_items(item, _DEEP))
            except (ValueError, RecursionError):
                broken += 1
    return items, broken


def _subjects(items: list[Item]) -> list[Item]:
    return [item for item in items if any(name in item for name in _ABOUT)]


def _is_titled(item: Item, title: str) -> bool:
    """Whether the title of a page has its headline, or its name."""
    headline = item.get("headline") or item.get("name")
    own = " ".join(headline.split()) if isinstance(headline, str) else ""
    return bool(own) and own in " ".join(title.split())


def _unwrapped(source: str) -> str:
    text = source.strip().rstrip(";")
    for begin, end in _WRAPPINGS:
        at = -1 if text.startswith(("{", "[")) else text.find(begin, 0, _BEFORE)
        if at >= 0:
            text = text[at + len(begin) :].rpartition(end)[0].strip("/* \t\r\n")
    return text


def _items(value: Any, levels: int) -> Iterator[Item]:
    if isinstance(value, dict) and "@graph" not in value:
        yield value
        return
    inner = value["@graph"] if isinstance(value, dict) else value
    if levels and isinstance(inner, list | dict):
        for entry in inner if isinstance(inner, list) else [inner]:
            yield from _items(entry, levels - 1)


def _type(item: Item) -> str:
    return ", ".join(_types(item)) or "without a type"


def _types(item: Item) -> list[str]:
    types = item.get("@type")
    names = types if isinstance(types, list) else [types]
    return [name for name in names if isinstance(name, str)]


def _is_story(item: Item) -> bool:
    return _ends(item, _STORIES)


def _ends(item: Item, names: tuple[str, ...]) -> bool:
    return any(name.endswith(names) for name in _types(item))
