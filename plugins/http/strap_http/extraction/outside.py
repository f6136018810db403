"""What stands below the element that the makers of a page put its text into."""

from collections import Counter
from collections.abc import Callable, Sequence

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.runs import Run

_MOST = 0.5
"""Share of the kept words that an element has at least if the text is in it."""


def leave_below(runs: Sequence[Run]) -> None:
    """Keep nothing below the element that most of the text is in, as it is called in standards.

    `main` has all that a page is about, an `article` what can stand alone, schema.org's
    `articleBody` the text of one. What is above it may be the headline, or lead to it.
    """
    for holds in (_is_main, _is_article, _is_body):
        held = [run for run in runs if run.kept and run.image is None]
        sizes: Counter[HtmlElement | None] = Counter()
        known: dict[HtmlElement, HtmlElement | None] = {}
        for run in held:
            sizes[_holder(run.block, holds, known)] += len(run.words)
        holder, size = sizes.most_common(1)[0] if held else (None, 0)
        if holder is not None and size >= _MOST * sizes.total():
            _end(runs, set(holder.iter()))


def _end(runs: Sequence[Run], elements: set[HtmlElement]) -> None:
    """Keep nothing below the last run in one of these elements."""
    for run in reversed(runs):
        if run.kept and run.image is None and run.block in elements:
            return
        run.kept = False


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
