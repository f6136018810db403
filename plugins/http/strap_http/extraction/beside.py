"""What stands in a text beside it: captions, links to further texts, its headline again."""

from collections.abc import Iterable, Sequence
from itertools import islice

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.runs import Run, named, upwards

_MOST = 0.2
"""Share of the kept words that captions have at most, or links to further texts: more are what the
page is about, as in a story in pictures or a list."""
_PROSE = 20
"""Words from which a run is a paragraph of prose."""
_PROSAIC = 0.5
"""Share of the kept words that are in such paragraphs if the text is one to be read on."""
_TITLE = 4
"""Words that the title of a text has at least, and more than stand before a link to it ("Read
also:")."""
_UP = 3
"""How many elements are asked whether they are a caption: the block of a run, and those around."""
_DEEP = 8
"""How many elements lie between a run and its figure at most, as those of a table of code."""
_TELLING = frozenset(("blockquote", "dl", "ol", "pre", "table", "ul"))
"""What a figure may show that is text itself: code, a quotation, a table."""
_TOLD = frozenset(("code", "table"))
"""Names of captions of such."""
_PICTURES = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")


def leave_beside(runs: Sequence[Run]) -> None:
    """Keep no captions, no paragraphs that are links to further texts, and the headline once.

    A caption says what a picture shows, which is not told here, and who took it. That of a table
    or of code stays with it.
    """
    kept = [run for run in runs if run.kept and run.image is None]
    total = _count(kept)
    pictures, texts = _figures(runs)
    _leave_few([run for run in kept if _is_caption(run, pictures, texts)], total)
    if _count(run for run in kept if _is_prose(run)) >= _PROSAIC * total:
        _leave_few([run for run in kept if _refers(run)], total)
    _leave_repeated(kept)


def leads_on(image: HtmlElement) -> bool:
    """Whether a picture is a link to another page, rather than to itself in full size."""
    link = next(image.iterancestors("a"), None)
    if link is None:
        return False
    path = (link.get("href") or "").lower().partition("?")[0]
    return not path.endswith(_PICTURES)


def _leave_few(runs: Sequence[Run], total: int) -> None:
    if _count(runs) <= _MOST * total:
        for run in runs:
            run.kept = False


def _leave_repeated(kept: Sequence[Run]) -> None:
    """Keep of equal headings of the first rank, and of lines with their words, the first alone."""
    first = next((run for run in kept if run.unit is not None and run.unit.tag == "h1"), None)
    if first is None or len(first.words) < _TITLE:
        return
    for run in kept:
        if run is not first and run.words == first.words and (run.is_heading or run.unit is None):
            run.kept = False


def _is_caption(run: Run, pictures: set[HtmlElement], texts: set[HtmlElement]) -> bool:
    for element in islice(upwards(run.block), _UP):
        if element.tag in _TELLING:
            return False
        if element.tag == "figcaption":
            return next(element.iterancestors("figure"), None) not in texts
        if element.tag == "figure":
            return element in pictures
        if "caption" in (names := named(element)):
            return names.isdisjoint(_TOLD)
    return False


def _figures(runs: Sequence[Run]) -> tuple[set[HtmlElement], set[HtmlElement]]:
    """The figures with a picture, and those that show text alone."""
    pictures: set[HtmlElement] = set()
    texts: set[HtmlElement] = set()
    for run in runs:
        within = list(islice(upwards(run.block), _DEEP))
        figure = next((element for element in within if element.tag == "figure"), None)
        if figure is not None and run.image is not None:
            pictures.add(figure)
        elif figure is not None:
            between = within[: within.index(figure)]
            texts.update(figure for element in between if element.tag in _TELLING)
    return pictures, texts - pictures


def _refers(run: Run) -> bool:
    """Whether a paragraph is the title of another text, as a link to it.

    What has no blanks is an address, which is told rather than named.
    """
    before = len(run.words) - run.linked
    is_title = run.linked >= _TITLE and len(run.text.split()) >= _TITLE
    announced = before < _TITLE and ":" in run.text
    return run.unit is None and is_title and (before == 0 or announced)


def _is_prose(run: Run) -> bool:
    return run.unit is None and len(run.words) >= _PROSE


def _count(runs: Iterable[Run]) -> int:
    return sum(len(run.words) for run in runs)
