"""How much of a main part an extractor returns, and how much of its structure.

The F1 of texts is that of the article-extraction benchmark of Zyte: runs of four words as
multisets, precision and recall averaged over the pages.

Of the structure it counts what is kept of that which the labels have and the page has in the same
form: the labels make lists of what is none in the page, and no extractor can keep those.
An item of a list counts once, by its first words, however many paragraphs it has.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

KINDS = ("headings", "list items", "table cells", "code", "links", "quotes")
_RUN = 4
_UNSPACED = r"\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
"""In scripts without spaces between words each character is one."""
_IMAGE = re.compile(r"!\[(?:\\.|[^\[\]\\]|\[[^\[\]]*\])*\](?:\([^)]*\))?")
_TARGET = re.compile(r"\]\((?:<[^>]*>|[^)\s]*)(?:\s+\"[^\"]*\")?\)")
_LISTED = 8  # words of a list item that are compared: what is nested in it comes after them
_PARSER = MarkdownIt("commonmark").enable("table")
_MARKS = {
    "headings": {"heading_open"},
    "table cells": {"td_open", "th_open"},
    "quotes": {"blockquote_open"},
}
_INSIDE = frozenset().union(*_MARKS.values())
_TAGS = {
    "headings": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "list items": ("li",),
    "table cells": ("td", "th"),
    "code": ("pre",),
}
_OWN = ".//text()[count(ancestor::li) = count($here/ancestor-or-self::li)]"

Runs = Counter[tuple[str, ...]]
Items = dict[str, Counter[str]]


def plain(markdown: str) -> str:
    """Markdown without pictures and the targets of links."""
    return _TARGET.sub("]", _IMAGE.sub("", markdown))


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def runs(text: str) -> Runs:
    found = words(text)
    size = min(_RUN, len(found))
    return Counter(zip(*(found[start:] for start in range(size)), strict=False))


@dataclass
class Score:
    """Sums over pages."""

    precision: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    there: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)

    def add(self, found: str, wanted: str) -> None:
        """Compare two texts without marks."""
        one, other = runs(found), runs(wanted)
        common = (one & other).total()
        self.precision.append(common / one.total() if one else 0.0)
        self.recall.append(common / other.total() if other else 0.0)

    def add_structure(self, found: str, wanted: str, page: str) -> None:
        """Compare the structure of two Markdown texts about the HTML `page`."""
        one, other, there = structure(found), structure(wanted), forms(page)
        for kind in KINDS:
            items = other[kind]
            if kind in there:
                items = Counter({item: n for item, n in items.items() if item in there[kind]})
            self.there[kind] += items.total()
            self.kept[kind] += (one[kind] & items).total()
            self.found[kind] += one[kind].total()

    @property
    def means(self) -> tuple[float, float, float]:
        """Precision, recall and F1, 0 to 1."""
        precision, recall = _mean(self.precision), _mean(self.recall)
        return precision, recall, 2 * precision * recall / ((precision + recall) or 1)

    def share(self, kind: str) -> float:
        return self.kept[kind] / max(self.there[kind], 1)

    def structured(self, kind: str) -> float:
        """F1 of what is there of a kind, 0 to 1."""
        return 2 * self.kept[kind] / max(self.there[kind] + self.found[kind], 1)


def forms(page: str) -> dict[str, set[str]]:
    """The headings, list items, cells and lines of code that the HTML has, by their words."""
    from lxml import html

    document: Any = html.document_fromstring(page)
    found: dict[str, set[str]] = {kind: set() for kind in _TAGS}
    for kind, tags in _TAGS.items():
        for element in document.iter(*tags):
            for text in ("".join(_own(element, kind)), " ".join(_own(element, kind))):
                lines = text.splitlines() if kind == "code" else [text]
                found[kind].update(_key(kind, line) for line in lines)
    return found


def structure(markdown: str) -> Items:
    """The headings, list items, cells, lines of code, links and quotes, by their words."""
    items: Items = {kind: Counter() for kind in KINDS}
    inside: list[str] = []
    listed: list[list[str]] = []
    for token in _PARSER.parse(markdown):
        if token.type in ("fence", "code_block"):
            items["code"].update(_clean(line) for line in token.content.splitlines())
        elif token.type == "list_item_open":
            listed.append([])
        elif token.type == "list_item_close":
            items["list items"][_key("list items", " ".join(listed.pop()))] += 1
        elif token.type in _INSIDE:
            inside.append(token.type)
        elif token.nesting < 0 and inside and token.type == inside[-1].replace("_open", "_close"):
            inside.pop()
        elif token.type == "inline":
            text = _text(token)
            for item in listed[-1:]:
                item.append(text)
            _note(items, inside, text)
            items["links"].update(_links(token.children or ()))
    for kind in KINDS:
        items[kind].pop("", None)
    return items


def _own(element: Any, kind: str) -> list[str]:
    """The texts in an element, without those of a list in it."""
    path = ".//text()" if kind != "list items" else _OWN
    return [str(text) for text in element.xpath(path, here=element)]


def _note(items: Items, inside: Sequence[str], text: str) -> None:
    around = set(inside)
    for kind, marks in _MARKS.items():
        if around & marks:
            items[kind][_clean(text)] += 1


def _text(token: Token) -> str:
    return "".join(
        part.content if part.type in ("text", "code_inline") else " "
        for part in token.children or ()
        if part.type in ("text", "code_inline", "softbreak", "hardbreak")
    )


def _key(kind: str, text: str) -> str:
    return " ".join(words(text)[:_LISTED]) if kind == "list items" else _clean(text)


def _links(parts: Iterable[Token]) -> list[str]:
    return [
        str(part.attrs["href"]).partition("#")[0].rstrip("/")
        for part in parts
        if part.type == "link_open"
    ]


def _clean(text: str) -> str:
    return " ".join(words(text))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
