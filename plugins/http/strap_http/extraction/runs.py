"""The text of a document as runs: what stands between two boundaries of blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml.etree import iterwalk  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.shingles import words

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
LISTS = frozenset(("ul", "ol", "dl"))
_HOLDING = LISTS | {"table"}
UNITS = HEADINGS | _HOLDING | {"pre", "figcaption"}
"""Elements that are kept or left out as a whole, rather than run by run."""
_BOUNDARIES = UNITS | frozenset(
    ("address", "article", "aside", "blockquote", "body", "br", "button", "caption", "dd",
     "details", "dialog", "div", "dt", "fieldset", "figure", "footer", "form", "header", "hgroup",
     "hr", "label", "legend", "li", "main", "nav", "noscript", "option", "p", "section", "select",
     "summary", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "tr")
)  # fmt: skip
_TEXT, _TAIL = "text", "tail"
_LETTERS = re.compile(r"[a-z]+")
_PARTS = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(slots=True, eq=False)
class Run:
    """A run of text, or a picture by the words that stand for it.

    `block` is the element it stands in, `unit` the outermost of `UNITS` around it. `linked` is how
    many of the words are in `links`, `beside` the texts that are not; `repeats` tells that it leads
    to what stands elsewhere, `of_row` that each row of its table has the like: it stays, whatever
    its makers call it.
    """

    block: HtmlElement
    unit: HtmlElement | None
    image: HtmlElement | None = None
    words: list[str] = field(default_factory=list)
    linked: int = 0
    kept: bool = False
    repeats: bool = False
    of_row: bool = False
    links: set[HtmlElement] = field(default_factory=set)
    beside: list[str] = field(default_factory=list)
    holders: list[tuple[HtmlElement, str]] = field(default_factory=list)

    @property
    def is_heading(self) -> bool:
        """Whether it is (part of) a heading."""
        return self.unit is not None and self.unit.tag in HEADINGS

    @property
    def is_link(self) -> bool:
        """Whether all of it is a link, and it is no heading."""
        return not self.is_heading and 0 < len(self.words) == self.linked

    @property
    def is_held(self) -> bool:
        """Whether it is in a list or a table."""
        return self.unit is not None and self.unit.tag in _HOLDING

    @property
    def text(self) -> str:
        """Its text as it stands in the document."""
        return "".join(getattr(element, place) or "" for element, place in self.holders)

    def erase(self) -> None:
        """Take it out of the document."""
        for element, place in self.holders:
            setattr(element, place, None)
        if self.image is not None:
            self.image.drop_tree()


class _Collector:
    def __init__(self, root: HtmlElement) -> None:
        self._blocks: list[HtmlElement] = [root]
        self._units: list[HtmlElement | None] = [None]
        self._links: list[HtmlElement] = []
        self._texts: list[str] = []
        self._run = Run(root, None)
        self.deepest = 0
        self.found: list[Run] = []

    def start(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in _BOUNDARIES:
            self._flush()
            self._blocks.append(element)
            self._units.append(self._unit_of(element))
            self.deepest = max(self.deepest, len(self._blocks))
            self._begin()
        elif tag == "a":
            self._links.append(element)
        elif tag == "img":
            self._picture(element)
        self._add(element, _TEXT, element.text)

    def end(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in _BOUNDARIES:
            self._flush()
            self._blocks.pop()
            self._units.pop()
            self._begin()
        elif tag == "a":
            self._links.pop()
        self._add(element, _TAIL, element.tail)

    def finish(self) -> list[Run]:
        self._flush()
        return self.found

    def _unit_of(self, element: HtmlElement) -> HtmlElement | None:
        """The outermost list or table counts, so that what is nested stays with it."""
        outer = self._units[-1]
        if element.tag == "table" and _is_layout(element):
            return outer
        return element if outer is None and element.tag in UNITS else outer

    def _begin(self) -> None:
        self._run = Run(self._blocks[-1], self._units[-1])

    def _picture(self, image: HtmlElement) -> None:
        self.found.append(
            Run(self._blocks[-1], self._units[-1], image, words(image.get("alt") or ""))
        )

    def _add(self, element: HtmlElement, place: str, text: str | None) -> None:
        if not text:
            return
        run = self._run
        run.holders.append((element, place))
        self._texts.append(text)
        if self._links:
            run.linked += len(words(text))
            run.links.add(self._links[-1])
        else:
            run.beside.append(text)

    def _flush(self) -> None:
        if not self._texts:
            return
        run, text = self._run, "".join(self._texts)
        self._texts.clear()
        run.words = words(text)
        if text.strip():
            self.found.append(run)


def collect(root: HtmlElement) -> tuple[list[Run], int]:
    """Return the runs below `root` in the order of the document, and how deep its blocks go."""
    collector = _Collector(root)
    for event, element in iterwalk(root, events=("start", "end")):
        if element is root and event == "end":
            break
        (collector.start if event == "start" else collector.end)(element)
    return collector.finish(), collector.deepest


def upwards(element: HtmlElement) -> Iterator[HtmlElement]:
    """The element, and what is around it, from the inside out."""
    yield element
    yield from element.iterancestors()


def rank_of(run: Run) -> int:
    """The rank of a heading, 1 to 6."""
    assert run.unit is not None
    return int(run.unit.tag[1])


def named(element: HtmlElement, *attributes: str) -> set[str]:
    """The words that the makers of a page call an element by in `attributes`, in lower case."""
    return parts(" ".join(element.get(attribute) or "" for attribute in attributes))


def parts(name: str) -> set[str]:
    """The words that a name is made of, as `page-footer` and `pageFooter`, in lower case."""
    return set(_LETTERS.findall(_PARTS.sub(" ", name).lower()))


def _is_layout(table: HtmlElement) -> bool:
    """Whether a table arranges a page rather than data: it has tables or long prose in it."""
    if next(table.iterdescendants("table"), None) is not None:
        return True
    cells = list(_some(table.iterdescendants("td"), 40))
    return any(len(cell) > 2 and len(cell.text_content()) > 600 for cell in cells)


def _some(elements: Iterator[HtmlElement], count: int) -> Iterator[HtmlElement]:
    for _, element in zip(range(count), elements, strict=False):
        yield element
