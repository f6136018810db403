"""What stands in a text and is not of it, by what the makers of the page called it."""

from collections import Counter
from collections.abc import Sequence

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.runs import Run, named

_NAMES = frozenset(
    ("advert", "advertisement", "author", "avatar", "bio", "breadcrumb", "breadcrumbs", "byline",
     "comment", "commentlist", "comments", "cookie", "copyright", "dialog", "disclaimer",
     "disclosure", "dropdown", "flyout", "footer", "login", "modal", "newsletter", "popup",
     "privacy", "recommended", "register", "related", "respond", "sharedaddy", "signature",
     "signup", "social", "sponsored", "subscribe")
)  # fmt: skip
_LARGEST = 0.3
"""Share of the kept words up to which an element with such a name is a detail of the page."""


def leave_out(runs: Sequence[Run]) -> None:
    """Keep nothing of small elements that are named as a newsletter, an author's box, a dialog."""
    places: dict[HtmlElement, HtmlElement | None] = {}
    sizes: Counter[HtmlElement] = Counter()
    kept = [(run, place) for run in runs if run.kept for place in [_place(run.block, places)]]
    for run, place in kept:
        if place is not None:
            sizes[place] += len(run.words)
    most = _LARGEST * sum(len(run.words) for run, _ in kept)
    for run, place in kept:
        if place is not None and sizes[place] <= most:
            run.kept = False


def _place(
    element: HtmlElement, places: dict[HtmlElement, HtmlElement | None]
) -> HtmlElement | None:
    """The outermost element around it that has such a name; `places` has what was found before."""
    path = []
    at: HtmlElement | None = element
    while at is not None and at not in places:
        path.append(at)
        at = at.getparent()
    found = None if at is None else places[at]
    for below in reversed(path):
        if found is None and below.tag not in ("body", "html") and _is_named(below):
            found = below
        places[below] = found
    return found


def _is_named(element: HtmlElement) -> bool:
    return not _NAMES.isdisjoint(named(element, "class", "id"))
