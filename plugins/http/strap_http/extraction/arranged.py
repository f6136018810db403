"""What arranges a page: cards that are links as a whole, as of a shop, and tables without data."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from lxml import html  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap.html_tree import parse
from strap_http.extraction.runs import HEADINGS, Run, word_count
from strap_http.extraction.shingles import words

_DEEP = 6
"""How many elements lie between a heading and the link around its card at most."""
_ADDRESS = ("href", "title")
_CARD = "data-card"
"""What was a link around a card has where that led."""
_SOME = 0.3
"""Share of the words of a card from which all of it is text."""
_PARTS = frozenset(("caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"))
"""What a table is made of."""
_CELLS = frozenset(("td", "th"))
_ROWS = 3
"""Rows of several cells with text from which a table is one of data."""
_PROSE, _LONG = 40, 100
"""Words of a text in a cell that has a row for itself, and in one beside others."""


def opened(page: str) -> str:
    """The page with what stands in such cards and tables as part of it."""
    root = parse(page)
    if root is None or _is_too_deep(root):
        return page
    open_tables(root)
    open_cards(root)
    return str(html.tostring(root, encoding="unicode"))


def _is_too_deep(root: HtmlElement) -> bool:
    """Whether the parser gave up before the end of the page."""
    errors = root.getroottree().parser.error_log
    return any(error.type_name == "ERR_RESOURCE_LIMIT" for error in errors)


def open_tables(body: HtmlElement) -> None:
    """Make what stands in tables that arrange a page part of it, as if they were none.

    The text in them would be a cell otherwise, in one line, without headings, lists and tables.
    """
    for table in [*body.iter("table")]:
        if _is_layout(table):
            for element in [table, *_own(table)]:
                element.tag = "div"


def _own(table: HtmlElement) -> Iterator[HtmlElement]:
    """The parts of a table, without those of tables in it."""
    for part in table:
        if part.tag in _PARTS and part.tag != "table":
            yield part
            if part.tag not in _CELLS:
                yield from _own(part)


def _is_layout(table: HtmlElement) -> bool:
    """Whether a table arranges a page rather than data: it has tables or long prose in it.

    One with headers is data, and one with several rows of cells beside each other.
    """
    if table.get("role") in ("none", "presentation"):
        return True
    if any(part.tag == "th" for part in _own(table)):
        return False
    if next(table.iterdescendants("table"), None) is not None:
        return True
    several, longest = 0, 0
    for row in table.iterdescendants("tr"):
        texts = [text for cell in row if (text := words(cell.text_content()))]
        several += len(texts) > 1
        if several >= _ROWS:
            return False
        longest = max(longest, *map(len, texts), 0)
    return longest >= (_LONG if several else _PROSE)


def open_cards(body: HtmlElement) -> None:
    """Make what stands in a link that is a card part of the page, and the card's heading the link.

    A link cannot have headings and paragraphs in Markdown, and what is in a link as a whole is
    taken for what leads elsewhere.
    """
    for heading in [*body.iter(*HEADINGS)]:
        around = islice(heading.iterancestors(), _DEEP)
        link = next((element for element in around if element.tag == "a"), None)
        leads = link is not None and not (link.get("href") or "#").startswith("#")
        if leads and heading.find(".//a") is None:
            _open(link, heading)


def _open(link: HtmlElement, heading: HtmlElement) -> None:
    inner = html.Element("a")
    for name in _ADDRESS:
        if name in link.attrib:
            inner.set(name, link.attrib.pop(name))
    inner.text, heading.text = heading.text, None
    inner.extend(heading[:])
    heading.append(inner)
    link.tag = "div"
    link.set(_CARD, inner.get("href"))


def fill_cards(runs: Sequence[Run]) -> None:
    """Keep all that is said in the cards of which enough is kept: a price, a place, a name."""
    if not runs:
        return
    cards = runs[0].block.getroottree().iterfind(f".//div[@{_CARD}]")
    around = {element: card for card in cards for element in card.iter()}
    members: defaultdict[HtmlElement, list[Run]] = defaultdict(list)
    for run in runs if around else ():
        if run.image is None and run.block in around:
            members[around[run.block]].append(run)
    for some in members.values():
        kept = word_count(run for run in some if run.kept)
        if kept >= _SOME * word_count(some) > 0:
            for run in some:
                run.kept = True
