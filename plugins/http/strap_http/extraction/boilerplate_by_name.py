"""Boilerplate inside the main text, recognised by class names and roles."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.inside import Judge
from strap_http.extraction.text_blocks import (
    HEADINGS,
    TextBlock,
    named,
    parts,
    upwards,
    word_count,
)

_NAMES = frozenset(
    ("advert", "advertisement", "author", "avatar", "bio", "breadcrumb", "breadcrumbs", "byline",
     "comment", "commentlist", "comments", "cookie", "copyright", "dialog", "disclaimer",
     "disclosure", "dropdown", "flyout", "footer", "login", "modal", "newsletter", "popup",
     "privacy", "recommended", "register", "related", "respond", "sharedaddy", "signup",
     "social", "sponsored", "subscribe")
)  # fmt: skip
_HEADING = ("comments", "related", "respond")  # how the names of headings of such begin
_OF_MANY = frozenset(("author", "bio", "disclosure", "dropdown", "flyout", "footer", "modal"))
"""Those that the parts of a text have as well: of people, of cards, of what opens on a click."""
_ROLES = frozenset(("alertdialog", "dialog", "navigation", "tooltip"))
"""ARIA roles of overlays and menus; not `alert` and `status`: frameworks mark notes so."""
_TOOLS = frozenset(("messenger", "share", "sharing"))
"""Names of what has buttons and a line; texts are about such things as well."""
_LINE = 20
"""Words of such a line at most."""
_PAGES = frozenset(("article", "entry", "page", "post", "story", "this"))
"""Words in a tool's name that mean the page, as in `share-post`."""
_LETTERS = 4  # of a word that tells what something is about
_UNSEEN = frozenset(("screen-reader-text", "sr-only", "visually-hidden", "visuallyhidden"))
"""Classes of frameworks for text that only screen readers get; in a table it explains a sign."""
_UP = 3
"""How many elements are asked whether they are that: the block of a run, and those around it."""
_LARGEST = 0.3
"""Share of the kept words of a detail; elements of `_OF_MANY` with one name count together."""
_CELLS = ("td", "th", "tr")
"""Cells and rows; in data tables their names describe the content."""
_SAYING = HEADINGS | {"dt"}
_DIGITS = re.compile(r"\d+")


def leave_out(runs: Sequence[TextBlock], title: Iterable[str]) -> None:
    """Drop small elements named as boilerplate, unless the page is about such (`title`)."""
    about = {_singular(word) for word in title}
    main = [run for run in runs if run.is_main]
    most = _LARGEST * word_count(main)
    for names, roles, size in ((_NAMES, _ROLES, most), (_TOOLS, frozenset(), _LINE)):
        others = {name for name in names if _singular(name) not in about}
        _leave(main, Surroundings(others, roles), size)
    for run in main:
        if (run.unit is None or run.is_heading) and _is_unseen(run):
            run.is_main = False


def leave_headed(runs: Sequence[TextBlock]) -> None:
    """Drop sections below the prose whose heading's class names comments or related texts."""
    first = next((at for at, run in enumerate(runs) if run.is_main and run.is_prose), len(runs))
    around = None
    for run in runs[first:]:
        if run.is_heading and _is_called_so(run.block):
            around = run.block.getparent()
        if around is not None and around in upwards(run.block):
            run.is_main = False
        else:
            around = None


def _is_called_so(heading: HtmlElement) -> bool:
    return any(name.startswith(_HEADING) for name in named(heading, "class"))


def _leave(runs: Sequence[TextBlock], surroundings: "Surroundings", most: float) -> None:
    placed = [
        (run, None if place is not None and place.tag in _CELLS and run.is_held else place)
        for run in runs
        if run.is_main and not run.of_row
        for place in [surroundings.of(run.block)]
    ]
    judge = Judge(runs, {run for run, place in placed if place is not None})
    members: dict[HtmlElement, list[TextBlock]] = {}
    for run, place in placed:
        if place is not None:
            members.setdefault(place, []).append(run)
    junk = {
        candidate
        for candidate, some in members.items()
        if judge.is_junk(candidate, some, is_called=True)
    }
    placed = [(run, place if place in junk else None) for run, place in placed]
    sizes: Counter[object] = Counter()
    kinds = set[object]()
    for run, place in placed:
        if place is not None:
            sizes[surroundings.kind(place)] += len(run.words)
            if not run.links and surroundings.tells(place, run.words):
                kinds.add(surroundings.kind(place))
    for run, place in placed:
        if place is not None and sizes[kind := surroundings.kind(place)] <= most:
            run.is_main = kind in kinds


def _is_unseen(run: TextBlock) -> bool:
    around = islice(upwards(run.block), _UP)
    return any(not _UNSEEN.isdisjoint((element.get("class") or "").split()) for element in around)


class Surroundings:
    """Finds the elements whose names have one of `names` in them, or whose role is in `roles`."""

    def __init__(self, names: set[str], roles: frozenset[str]) -> None:
        self._names = names
        self._roles = roles
        self._places: dict[HtmlElement, HtmlElement | None] = {}

    def of(self, element: HtmlElement) -> HtmlElement | None:
        """The outermost element around it that has such a name."""
        path = []
        at: HtmlElement | None = element
        while at is not None and at not in self._places:
            path.append(at)
            at = at.getparent()
        named_place = None if at is None else self._places[at]
        for below in reversed(path):
            if named_place is None and below.tag not in ("body", "html") and self._has_name(below):
                named_place = below
            self._places[below] = named_place
        return named_place

    def kind(self, element: HtmlElement) -> object:
        """Return a key shared by elements of the same classes; the element itself if they vary."""
        tokens = (element.get("class") or "").split()
        telling = [token for token in tokens if not self._names.isdisjoint(parts(token))]
        if _OF_MANY.isdisjoint(parts(" ".join(telling))):
            return element
        return tuple(sorted(_DIGITS.sub("", token) for token in telling))

    def tells(self, element: HtmlElement, own_words: Iterable[str]) -> bool:
        """Whether a text is about what is called by a tool's name, as in `market-share`."""
        tokens = f"{element.get('class') or ''} {element.get('id') or ''}".split()
        of_tools = [token for token in tokens if not _TOOLS.isdisjoint(parts(token))]
        others = parts(" ".join(of_tools)) - self._names - _PAGES
        return any(len(word) >= _LETTERS and word in others for word in own_words)

    def _has_name(self, element: HtmlElement) -> bool:
        if element.get("role") in self._roles:
            return True
        # The id of a heading is made of what it says, for links to lead there.
        attributes = ("class",) if element.tag in _SAYING else ("class", "id")
        return not self._names.isdisjoint(named(element, *attributes))


def _singular(word: str) -> str:
    return word.removesuffix("s")
