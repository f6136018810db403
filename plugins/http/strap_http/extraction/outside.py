"""What stands below the element that the makers of a page put its text into."""

from collections import Counter
from collections.abc import Callable, Sequence

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.runs import Run

_MOST = 0.5
"""Share of the kept words that an element has at least if the text is in it."""
_LITTLE = 0.2
"""Words below such an element for each in it, up to which they are something else."""


def leave_below(runs: Sequence[Run]) -> None:
    """Keep nothing below the element that most of the text is in, as it is called in standards.

    `main` has all that a page is about, an `article` what can stand alone, schema.org's
    `articleBody` the text of one. What is above it may be the headline, or lead to it. What is
    below stays where it is much, or in another such element beside it: both are parts of the text
    then, as the versions in a list of changes.
    """
    for holds in (_is_main, _is_article, _is_body):
        held = [run for run in runs if run.kept and run.image is None]
        known: dict[HtmlElement, HtmlElement | None] = {}
        sizes: Counter[HtmlElement | None] = Counter()
        for run in held:
            sizes[_holder(run.block, holds, known)] += len(run.words)
        holder, size = sizes.most_common(1)[0] if held else (None, 0)
        if holder is None or size < _MOST * sizes.total():
            continue
        below = _below(runs, set(holder.iter()))
        said = [run for run in below if run.kept and run.image is None]
        others = [_holder(run.block, holds, known) for run in said]
        is_little = sum(len(run.words) for run in said) <= _LITTLE * size
        if is_little and not any(_is_beside(other, holder) for other in others):
            for run in below:
                run.kept = False


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
