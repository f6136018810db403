"""What stands in a text and is not of it, by what the makers of the page called it."""

import re
from collections import Counter
from collections.abc import Sequence

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.runs import Run

_NAMES = frozenset(
    ("advert", "advertisement", "author", "avatar", "bio", "breadcrumb", "breadcrumbs", "byline",
     "comment", "commentlist", "comments", "cookie", "copyright", "credit", "credits",
     "dialog", "disclaimer", "disclosure", "dropdown", "flyout", "footer", "login", "messenger",
     "modal", "newsletter", "popup", "privacy", "recommended", "register", "related", "respond",
     "sharedaddy", "signature", "signup", "social", "sponsored", "subscribe")
)  # fmt: skip
_LARGEST = 0.3
"""Share of the kept words up to which an element with such a name is a detail of the page."""
_LETTERS = re.compile(r"[a-z]+")
_PARTS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def leave_out(runs: Sequence[Run]) -> None:
    """Keep nothing of small elements that are named as a newsletter, an author's box, a dialog."""
    named: dict[HtmlElement, HtmlElement | None] = {}
    sizes: Counter[HtmlElement] = Counter()
    kept = [(run, place) for run in runs if run.kept for place in [_place(run.block, named)]]
    for run, place in kept:
        if place is not None:
            sizes[place] += len(run.words)
    most = _LARGEST * sum(len(run.words) for run, _ in kept)
    for run, place in kept:
        if place is not None and sizes[place] <= most:
            run.kept = False


def _place(
    element: HtmlElement, named: dict[HtmlElement, HtmlElement | None]
) -> HtmlElement | None:
    """The outermost element around it that has such a name; `named` has what was found before."""
    path = []
    at: HtmlElement | None = element
    while at is not None and at not in named:
        path.append(at)
        at = at.getparent()
    found = None if at is None else named[at]
    for below in reversed(path):
        if found is None and below.tag not in ("body", "html") and _is_named(below):
            found = below
        named[below] = found
    return found


def _is_named(element: HtmlElement) -> bool:
    name = f"{element.get('class') or ''} {element.get('id') or ''}"
    return not _NAMES.isdisjoint(_LETTERS.findall(_PARTS.sub(" ", name).lower()))
