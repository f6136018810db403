"""How much of a main part an extractor returns, and how much of its structure.

The F1 of texts is that of the article-extraction benchmark of Zyte: runs of four words as
multisets, precision and recall averaged over the pages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

KINDS = ("headings", "list items", "table cells", "code", "links", "quotes")
_RUN = 4
_WORD = re.compile(r"\w+")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_TARGET = re.compile(r"\]\((?:<[^>]*>|[^)\s]*)(?:\s+\"[^\"]*\")?\)")
_LISTED = 8  # words of a list item that are compared: what is nested in it comes after them
_PARSER = MarkdownIt("commonmark").enable("table")
_INSIDE = ("heading_open", "td_open", "th_open", "blockquote_open", "list_item_open")

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

    def add(self, found: str, wanted: str) -> None:
        """Compare two texts without marks."""
        one, other = runs(found), runs(wanted)
        common = (one & other).total()
        self.precision.append(common / one.total() if one else 0.0)
        self.recall.append(common / other.total() if other else 0.0)

    def add_structure(self, found: str, wanted: str) -> None:
        """Compare the structure of two Markdown texts."""
        one, other = structure(found), structure(wanted)
        for kind in KINDS:
            self.there[kind] += other[kind].total()
            self.kept[kind] += (one[kind] & other[kind]).total()

    @property
    def means(self) -> tuple[float, float, float]:
        """Precision, recall and F1, 0 to 1."""
        precision, recall = _mean(self.precision), _mean(self.recall)
        return precision, recall, 2 * precision * recall / ((precision + recall) or 1)

    def share(self, kind: str) -> float:
        return self.kept[kind] / max(self.there[kind], 1)


def structure(markdown: str) -> Items:
    """The headings, list items, cells, lines of code, links and quotes, by their words."""
    items: Items = {kind: Counter() for kind in KINDS}
    inside: list[str] = []
    for token in _PARSER.parse(markdown):
        if token.type in ("fence", "code_block"):
            items["code"].update(_clean(line) for line in token.content.splitlines())
        elif token.type in _INSIDE:
            inside.append(token.type)
        elif token.nesting < 0 and inside and token.type == inside[-1].replace("_open", "_close"):
            inside.pop()
        elif token.type == "inline":
            _note(items, inside, token)
    for kind in KINDS:
        items[kind].pop("", None)
    return items


def _note(items: Items, inside: Sequence[str], token: Token) -> None:
    text = "".join(
        part.content if part.type in ("text", "code_inline") else " "
        for part in token.children or ()
        if part.type in ("text", "code_inline", "softbreak", "hardbreak")
    )
    around = set(inside)
    if "heading_open" in around:
        items["headings"][_clean(text)] += 1
    if around & {"td_open", "th_open"}:
        items["table cells"][_clean(text)] += 1
    if "list_item_open" in around:
        items["list items"][" ".join(words(text)[:_LISTED])] += 1
    if "blockquote_open" in around:
        items["quotes"][_clean(text)] += 1
    items["links"].update(_links(token.children or ()))


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
