"""The text of a document as runs: what stands between two boundaries of blocks."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lxml.etree import iterwalk  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.shingles import words

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
LISTS = frozenset(("ul", "ol", "dl"))
_HOLDING = LISTS | {"table"}
UNITS = HEADINGS | _HOLDING | {"pre", "figcaption"}
"""Elements that are kept or left out as a whole, rather than run by run."""
BOUNDARIES = UNITS | frozenset(
    ("address", "article", "aside", "blockquote", "body", "br", "button", "caption", "dd",
     "details", "dialog", "div", "dt", "fieldset", "figure", "footer", "form", "header", "hgroup",
     "hr", "label", "legend", "li", "main", "nav", "noscript", "option", "p", "section", "select",
     "summary", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "tr")
)  # fmt: skip
_SEEN = BOUNDARIES | {"a", "img"}
_TEXT, _TAIL = "text", "tail"
_PROSE = 20
"""Words from which a block is a paragraph of prose."""
_LETTERS = re.compile(r"[a-z]+")
_DIGITS = re.compile(r"\d+")
_ENDS = (".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f")
_QUOTES = " \n\t\"'\u201c\u201d\u2019\u00bb\u00ab)"
_PARTS = re.compile(r"(?<=[a-z])(?=[A-Z])")


Piece = tuple[HtmlElement, str, str, HtmlElement | None]
"""Element that has it, whether it is its `text` or `tail`, the words, and the link around it."""


@dataclass(slots=True, eq=False)
class TextBlock:
    """A run of text, or a picture by the words that stand for it.

    `block` is the element it stands in, `unit` the outermost of `UNITS` around it. `linked` is how
    many of the words are in links; `repeats` tells that it leads to what stands elsewhere, `of_row`
    that each row of its table has the like: it stays, whatever its makers call it.
    """

    block: HtmlElement
    unit: HtmlElement | None
    image: HtmlElement | None = None
    words: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    linked: int = 0
    is_main: bool = False
    repeats: bool = False
    of_row: bool = False

    @property
    def is_heading(self) -> bool:
        """Whether it is (part of) a heading."""
        return self.unit is not None and self.unit.tag in HEADINGS

    @property
    def is_link(self) -> bool:
        """Whether all of it is a link, and it is no heading."""
        return 0 < len(self.words) == self.linked and not self.is_heading

    @property
    def is_prose(self) -> bool:
        """Whether it is a paragraph of prose."""
        is_long = len(self.words) >= _PROSE and 2 * self.linked < len(self.words)
        return is_long and not self.is_heading

    @property
    def is_held(self) -> bool:
        """Whether it is in a list or a table."""
        return self.unit is not None and self.unit.tag in _HOLDING

    @property
    def text(self) -> str:
        """Its text as it stands in the document."""
        return "".join([text for _, _, text, _ in self.pieces])

    @property
    def links(self) -> set[HtmlElement]:
        """The links in it."""
        return {link for *_, link in self.pieces if link is not None}

    @property
    def beside(self) -> str:
        """Its text without what is in links."""
        return "".join([text for _, _, text, link in self.pieces if link is None])

    def erase(self) -> None:
        """Take it out of the document."""
        for element, place, *_ in self.pieces:
            setattr(element, place, None)
        if self.image is not None:
            self.image.drop_tree()


class _Collector:
    def __init__(self, root: HtmlElement) -> None:
        self.link: HtmlElement | None = None
        self.pieces: list[Piece] = []
        self.deepest = 0
        self.runs: list[TextBlock] = []
        self._links: list[HtmlElement] = []
        self._blocks: list[HtmlElement] = [root]
        self._units: list[HtmlElement | None] = [None]

    def begin(self, element: HtmlElement, tag: str) -> None:
        if tag == "a":
            self.link = element
            self._links.append(element)
        elif tag == "img":
            label = words(element.get("alt") or "")
            self.runs.append(TextBlock(self._blocks[-1], self._units[-1], element, label))
        else:
            self.end_run()
            self._blocks.append(element)
            self._units.append(self._unit_of(element))
            self.deepest = max(self.deepest, len(self._blocks))

    def end(self, tag: str) -> None:
        if tag == "a":
            self._links.pop()
            self.link = self._links[-1] if self._links else None
        elif tag != "img":
            self.end_run()
            self._blocks.pop()
            self._units.pop()

    def end_run(self) -> None:
        if not self.pieces:
            return
        text = "".join([piece for _, _, piece, _ in self.pieces])
        if not text.isspace():
            run_words = words(text)
            run = TextBlock(self._blocks[-1], self._units[-1], None, run_words, self.pieces)
            run.linked = _linked(self.pieces, run_words)
            self.runs.append(run)
        self.pieces = []

    def _unit_of(self, element: HtmlElement) -> HtmlElement | None:
        """The outermost list or table counts, so that what is nested stays with it."""
        outer, tag = self._units[-1], element.tag
        if outer is not None or tag not in UNITS or (tag == "table" and _is_loose(element)):
            return outer
        return element


def collect(root: HtmlElement) -> tuple[list[TextBlock], int]:
    """Return the runs below `root` in the order of the document, and how deep its blocks go."""
    at = _Collector(root)
    for event, element in iterwalk(root, events=("start", "end")):
        tag = element.tag
        if event == "start":
            if tag in _SEEN:
                at.begin(element, tag)
            text, place = element.text, _TEXT
        elif element is root:
            continue
        else:
            if tag in _SEEN:
                at.end(tag)
            text, place = element.tail, _TAIL
        if text:
            at.pieces.append((element, place, text, at.link))
    at.end_run()
    return at.runs, at.deepest


def _linked(pieces: Sequence[Piece], run_words: Sequence[str]) -> int:
    texts = [text for _, _, text, link in pieces if link is not None]
    return (
        len(run_words)
        if len(texts) == len(pieces) == 1
        else sum(len(words(text)) for text in texts)
    )


def upwards(element: HtmlElement) -> Iterator[HtmlElement]:
    """The element, and what is around it, from the inside out."""
    yield element
    yield from element.iterancestors()


def innermost(
    element: HtmlElement,
    fits: Callable[[HtmlElement], bool],
    known: dict[HtmlElement, HtmlElement | None],
) -> HtmlElement | None:
    """The innermost element that fits, of it and those around it.

    `known` has the results for other elements, and gets those for these.
    """
    path = []
    at: HtmlElement | None = element
    while at is not None and at not in known and not fits(at):
        path.append(at)
        at = at.getparent()
    fitting = known.get(at, at)
    known.update(dict.fromkeys(path, fitting))
    return fitting


def make_of(element: HtmlElement) -> tuple[str, str]:
    """How an element is made: its tag, and its classes without the numbers in them."""
    return element.tag, _DIGITS.sub("", element.get("class") or "")


def holder_of(first: HtmlElement, last: HtmlElement) -> HtmlElement:
    """The innermost element that both are in, or are."""
    around = set(upwards(last))
    return next(element for element in upwards(first) if element in around)


def word_count(runs: Iterable[TextBlock]) -> int:
    """How many words they have together."""
    return sum(len(run.words) for run in runs)


def rank_of(run: TextBlock) -> int:
    """The rank of a heading, 1 to 6."""
    assert run.unit is not None
    return int(run.unit.tag[1])


def ends_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return text.rstrip(_QUOTES).endswith(_ENDS)


def named(element: HtmlElement, *attributes: str) -> set[str]:
    """The words that the makers of a page call an element by in `attributes`, in lower case."""
    return parts(" ".join(element.get(attribute) or "" for attribute in attributes))


def parts(name: str) -> set[str]:
    """The words that a name is made of, as `page-footer` and `pageFooter`, in lower case."""
    return set(_LETTERS.findall(_PARTS.sub(" ", name).lower()))


def _is_loose(table: HtmlElement) -> bool:
    """Whether a table is read run by run: it has tables or long prose in it."""
    if next(table.iterdescendants("table"), None) is not None:
        return True
    cells = list(_some(table.iterdescendants("td"), 40))
    return any(len(cell) > 2 and len(cell.text_content()) > 600 for cell in cells)


def _some(elements: Iterator[HtmlElement], count: int) -> Iterator[HtmlElement]:
    for _, element in zip(range(count), elements, strict=False):
        yield element
