"""Boilerplate outside the part of a page that holds its text, recognised by position."""

from collections import Counter
from collections.abc import Mapping, Sequence

from lxml import etree  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.headings import may_be_headline
from strap_http.extraction.repeated_blocks import makes
from strap_http.extraction.text_blocks import TextBlock, innermost, upwards, word_count

_MOST = 0.5
"""Share of the kept words that an element has at least if the text is in it."""
_LITTLE = 0.2
"""Words below such an element for each in it, up to which they are something else."""
_UNNAMED, _NAMED = (2, 0.5), (3, 0.33)
"""Paragraphs that a part has at least if the text is in it, and the share of their words that
another one has at most; where the page names what its text is in, which rules more out, that part
has to differ more from the others."""
_IS_NAMED = etree.XPath(
    'boolean(//main | //article | //*[@role="main"] | //*[contains(@itemprop, "articleBody")])'
)
_LONG = 100
"""Words of such paragraphs from which more than the text may stand around it."""
_LEADING = 0.1
"""Share of words in links from which what is above or below leads elsewhere."""
_LINE = 10
"""Words from which how a run is made tells what it is."""
_PARTS = frozenset(
    ("article", "aside", "body", "details", "div", "fieldset", "figure", "footer", "form", "header",
     "main", "nav", "section", "td", "th")
)  # fmt: skip
"""Elements that divide a page into parts."""


def leave_below(runs: Sequence[TextBlock]) -> None:
    """Drop the little below the `main`, `article` or `articleBody` that has most of the text."""
    for holds in (_is_main, _is_article, _is_body):
        held = _texts(runs)
        known: dict[HtmlElement, HtmlElement | None] = {}
        sizes: Counter[HtmlElement | None] = Counter()
        for run in held:
            sizes[innermost(run.block, holds, known)] += len(run.words)
        holder, size = sizes.most_common(1)[0] if held else (None, 0)
        if holder is None or size < _MOST * sizes.total():
            continue
        below = _below(runs, set(holder.iter()))
        texts = _texts(below)
        others = [innermost(run.block, holds, known) for run in texts]
        is_little = word_count(texts) <= _LITTLE * size
        if is_little and not any(_is_beside(other, holder) for other in others):
            for run in below:
                run.is_main = False


def leave_around(runs: Sequence[TextBlock], title: Sequence[str]) -> None:
    """Drop what leads elsewhere around the part with most prose, unless it has as much itself."""
    places = {run: _place(run) for run in _texts(runs) if run.is_prose}
    place, size = _largest(runs, places)
    is_named = place is not None and _IS_NAMED(place)
    least, most = _NAMED if is_named else _UNNAMED
    if place is None or sum(other is place for other in places.values()) < least:
        return
    elements = set(place.iter())
    own = [at for at, run in enumerate(runs) if run.is_main and run.block in elements]
    texts = _texts(runs[own[0] : own[-1] + 1])
    above, below = runs[: own[0]], runs[own[-1] + 1 :]
    heads = [at for at, run in enumerate(above) if run.is_main and may_be_headline(run, title)]
    for some, share in ((above[: heads[-1] if heads else None], 0), (below, most)):
        texts_within = _texts(some)
        _, further = _largest(texts_within, places)
        is_less = further <= share * size and (
            size >= _LONG or word_count(texts_within) <= word_count(texts)
        )
        leads = sum(run.linked for run in texts_within) >= _LEADING * word_count(texts_within)
        if leads and is_less and not _are_alike(texts, texts_within):
            for run in some:
                run.is_main = False


def _largest(
    runs: Sequence[TextBlock], places: Mapping[TextBlock, HtmlElement]
) -> tuple[HtmlElement | None, int]:
    sizes: Counter[HtmlElement] = Counter()
    for run in runs:
        if run in places:
            sizes[places[run]] += len(run.words)
    return sizes.most_common(1)[0] if sizes else (None, 0)


def _place(run: TextBlock) -> HtmlElement:
    return next(upward for upward in upwards(run.block) if upward.tag in _PARTS)


def _are_alike(first: Sequence[TextBlock], second: Sequence[TextBlock]) -> bool:
    """Whether texts of some are made like those of others."""
    texts = [[run for run in some if len(run.words) >= _LINE] for some in (first, second)]
    made = makes([*texts[0], *texts[1]])
    return not set(made[: len(texts[0])]).isdisjoint(made[len(texts[0]) :])


def _texts(runs: Sequence[TextBlock]) -> list[TextBlock]:
    return [run for run in runs if run.is_main and run.image is None]


def _below(runs: Sequence[TextBlock], elements: set[HtmlElement]) -> Sequence[TextBlock]:
    texts = enumerate(runs, 1)
    ends = (
        end for end, run in texts if run.is_main and run.image is None and run.block in elements
    )
    return runs[max(ends) :]


def _is_beside(other: HtmlElement | None, element: HtmlElement) -> bool:
    return other is not None and other.getparent() is element.getparent()


def _is_main(element: HtmlElement) -> bool:
    return bool(element.tag == "main" or element.get("role") == "main")


def _is_article(element: HtmlElement) -> bool:
    return bool(element.tag == "article")


def _is_body(element: HtmlElement) -> bool:
    return bool("articleBody" in (element.get("itemprop") or "").split())
