"""Cards that are links as a whole, as of a shop's listing: their headings are the links then."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

from lxml import html  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.runs import HEADINGS, Run

_DEEP = 6
"""How many elements lie between a heading and the link around its card at most."""
_ADDRESS = ("href", "title")
_CARD = "data-card"
"""What was a link around a card has where that led."""
_SOME = 0.3
"""Share of the words of a card from which all of it is text."""


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
        kept = sum(len(run.words) for run in some if run.kept)
        if kept >= _SOME * sum(len(run.words) for run in some) > 0:
            for run in some:
                run.kept = True
