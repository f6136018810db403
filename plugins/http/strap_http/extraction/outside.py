"""What stands below the element that the makers of a page put its text into."""

from collections import Counter
from collections.abc import Callable, Sequence

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.alike import makes
from strap_http.extraction.runs import Run, upwards

_MOST = 0.5
"""Share of the kept words that an element has at least if the text is in it."""
_LITTLE = 0.2
"""Words below such an element for each in it, up to which they are something else."""
_PROSE = 20
"""Words from which a run is a paragraph of prose."""
_PARAGRAPHS = 2
"""Paragraphs of it that an element has at least if the text is in it."""
_LONG = 100
"""Words of it from which what is below may be more than the text."""
_OTHERS = 0.5
"""Prose in an element below for each word of that, up to which it is no part of the text."""
_LEADING = 0.1
"""Share of words in links from which what is below leads elsewhere."""
_LINE = 10
"""Words from which how a run is made tells what it is."""
_PARTS = frozenset(
    ("article", "aside", "body", "details", "div", "fieldset", "figure", "footer", "form", "header",
     "main", "nav", "section", "td", "th")
)  # fmt: skip
"""What pages are divided into."""


def leave_below(runs: Sequence[Run]) -> None:
    """Keep nothing below the element that most of the text is in, as it is called in standards.

    `main` has all that a page is about, an `article` what can stand alone, schema.org's
    `articleBody` the text of one. What is above it may be the headline, or lead to it. What is
    below stays where it is much, or in another such element beside it: both are parts of the text
    then, as the versions in a list of changes. Where nothing is called that, prose tells it.
    """
    is_told = False
    for holds in (_is_main, _is_article, _is_body):
        held = _texts(runs)
        known: dict[HtmlElement, HtmlElement | None] = {}
        sizes: Counter[HtmlElement | None] = Counter()
        for run in held:
            sizes[_holder(run.block, holds, known)] += len(run.words)
        is_told = is_told or any(holder is not None for holder in sizes)
        holder, size = sizes.most_common(1)[0] if held else (None, 0)
        if holder is None or size < _MOST * sizes.total():
            continue
        below = _below(runs, set(holder.iter()))
        said = _texts(below)
        others = [_holder(run.block, holds, known) for run in said]
        is_little = _count(said) <= _LITTLE * size
        if is_little and not any(_is_beside(other, holder) for other in others):
            for run in below:
                run.kept = False
    if not is_told:
        _leave_leading(runs)


def _leave_leading(runs: Sequence[Run]) -> None:
    """Keep nothing below the element with the most prose if it leads elsewhere, as teasers do.

    Several sections may be the text, each in an element of its own, and so may be the posts of a
    thread: they have about as much prose, or are made alike. More than the text is left out where
    that is long enough not to be the introduction to a list.
    """
    prose = [run for run in _texts(runs) if _is_prose(run)]
    place, size = _largest(prose)
    if place is None or sum(_place(run) is place for run in prose) < _PARAGRAPHS:
        return
    elements = set(place.iter())
    below = _below(runs, elements)
    said = _texts(below)
    own = [run for run in _texts(runs) if run.block in elements]
    _, further = _largest(list(filter(_is_prose, said)))
    is_much = _count(said) > _count(own) and size < _LONG
    leads = sum(run.linked for run in said) >= _LEADING * _count(said)
    if leads and not is_much and further <= _OTHERS * size and not _are_alike(own, said):
        for run in below:
            run.kept = False


def _largest(prose: Sequence[Run]) -> tuple[HtmlElement | None, int]:
    """The element that has the most of it, and how many words."""
    sizes: Counter[HtmlElement] = Counter()
    for run in prose:
        sizes[_place(run)] += len(run.words)
    return sizes.most_common(1)[0] if sizes else (None, 0)


def _place(run: Run) -> HtmlElement:
    """The part of the page that a run stands in, whatever holds it there: a paragraph, a list."""
    return next(each for each in upwards(run.block) if each.tag in _PARTS)


def _are_alike(first: Sequence[Run], second: Sequence[Run]) -> bool:
    """Whether texts of some are made like those of others."""
    texts = [[run for run in some if len(run.words) >= _LINE] for some in (first, second)]
    made = makes([*texts[0], *texts[1]])
    return not set(made[: len(texts[0])]).isdisjoint(made[len(texts[0]) :])


def _is_prose(run: Run) -> bool:
    return not run.is_heading and len(run.words) >= _PROSE and 2 * run.linked < len(run.words)


def _texts(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.kept and run.image is None]


def _count(runs: Sequence[Run]) -> int:
    return sum(len(run.words) for run in runs)


def _below(runs: Sequence[Run], elements: set[HtmlElement]) -> Sequence[Run]:
    """What follows the last text that is kept in one of these elements."""
    texts = enumerate(runs, 1)
    ends = (end for end, run in texts if run.kept and run.image is None and run.block in elements)
    return runs[max(ends) :]


def _is_beside(other: HtmlElement | None, element: HtmlElement) -> bool:
    return other is not None and other.getparent() is element.getparent()


def _holder(
    element: HtmlElement,
    holds: Callable[[HtmlElement], bool],
    known: dict[HtmlElement, HtmlElement | None],
) -> HtmlElement | None:
    """The innermost element around it that holds a text; `known` are those of other elements."""
    path = []
    at: HtmlElement | None = element
    while at is not None and at not in known and not holds(at):
        path.append(at)
        at = at.getparent()
    found = known.get(at, at)
    known.update(dict.fromkeys(path, found))
    return found


def _is_main(element: HtmlElement) -> bool:
    return bool(element.tag == "main" or element.get("role") == "main")


def _is_article(element: HtmlElement) -> bool:
    return bool(element.tag == "article")


def _is_body(element: HtmlElement) -> bool:
    return bool("articleBody" in (element.get("itemprop") or "").split())
