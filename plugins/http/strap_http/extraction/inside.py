"""Content inside the main element: kept, unless two independent signs call it junk."""

from collections import Counter
from collections.abc import Collection, Sequence

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.text_blocks import (
    HEADINGS,
    TextBlock,
    ends_sentence,
    make_of,
    named,
    upwards,
    word_count,
)

CONTROLS = "data-controls"
"""The attribute of an element that a control, a frame or a film was taken out of."""
CARD = "data-card"
"""The attribute of what was a link around a card; it has where that led."""
NAMES = frozenset(
    ("ad", "ads", "advert", "advertisement", "affiliate", "author", "avatar", "badge", "badges",
     "bio", "breadcrumb", "breadcrumbs", "byline", "caption", "card", "comment", "commentlist",
     "comments", "consent", "cookie", "copyright", "credit", "credits", "date", "dialog",
     "disclaimer", "disclosure", "dropdown", "embed", "flyout", "footer", "gallery", "image",
     "login", "media", "messenger", "meta", "modal", "newsletter", "paywall", "photo", "picture",
     "player", "popup", "privacy", "profile", "promo", "recirc", "recommended", "register",
     "related", "reputation", "respond", "score", "share", "sharedaddy", "sharing", "sidebar",
     "signup", "slideshow", "social", "sponsored", "subscribe", "tags", "teaser", "time",
     "timestamp", "toolbar", "user", "video", "votes", "widget")
)  # fmt: skip
"""Names of junk; often other content has them, so a name is one sign."""
_LANDMARKS = frozenset(("aside", "footer", "form", "header", "menu", "nav", "time"))
"""Elements that mark what stands beside a text."""
_ROLES = frozenset(
    ("alertdialog", "banner", "complementary", "contentinfo", "dialog", "form", "menu", "menubar",
     "navigation", "search", "tablist", "toolbar", "tooltip")
)  # fmt: skip
"""The same as ARIA's roles."""
_LEADING = 0.5
"""Share of words in links from which an island leads elsewhere."""
_LABEL, _LINE = 4, 12
"""Words below which a text is a label, and a line if it is no sentence."""
_MAIN = 0.8
"""Share of the kept words that the main element has at least."""
_PICTURED = ("figcaption", "img", "picture", "noscript", "svg")
"""Elements in a figure that shows a picture."""
_OFTEN = 2
"""Islands that may say the same beside their numbers, as overloads of a method do."""
_ALIKE = 0.75
"""Share of the islands of a make that are content from which all are, as the signatures of an API;
of less than three islands it tells nothing."""


def keep_inside(runs: Sequence[TextBlock]) -> None:
    """Keep each island (unkept element between kept texts) that two signs do not call junk."""
    main = [run for run in runs if run.is_main and run.image is None]
    if not main:
        return
    place = _main_element(main)
    within = set(place.iter())
    held = [at for at, run in enumerate(runs) if run.is_main and run.block in within]
    free = [at for at in held if not runs[at].is_held and 2 * runs[at].linked < len(runs[at].words)]
    ends = free or held
    islands = _islands(runs[ends[0] : ends[-1] + 1], within)
    skeletons = Counter(map(_skeleton, islands.values()))
    judge = Judge(runs)
    content = [
        island
        for island, members in islands.items()
        if not judge.is_junk(island, members, is_again=skeletons[_skeleton(members)] > _OFTEN)
    ]
    made, often = Counter(map(make_of, islands)), Counter(map(make_of, content))
    alike = {make for make, count in often.items() if count >= _ALIKE * max(made[make], 3)}
    for island in {*content, *(island for island in islands if make_of(island) in alike)}:
        for run in islands[island]:
            run.is_main = True


class Judge:
    """Counts the signs that an element is junk; those of `called` have the name of such already."""

    def __init__(self, runs: Sequence[TextBlock], called: Collection[TextBlock] = ()) -> None:
        texts = [run for run in runs if run.image is None]
        self._counts = Counter(tuple(run.words) for run in texts if not run.is_held)
        prose = [at for at, run in enumerate(texts) if run.is_main and run.is_prose]
        size = word_count(run for run in texts if run.is_main)
        own = [at for at in prose if texts[at] not in called]
        is_prosaic = 2 * word_count(texts[at] for at in prose) >= size
        # What leads up to the prose of a text to be read on, and what follows it.
        self._edges = set(texts[: own[0]] + texts[own[-1] + 1 :]) if is_prosaic and own else set()

    def is_junk(
        self,
        island: HtmlElement,
        members: Sequence[TextBlock],
        *,
        is_called: bool = False,
        is_again: bool = False,
    ) -> bool:
        """Whether two signs call it junk; links and labels alone are enough."""
        size = word_count(members)
        is_solid = 2 * word_count(filter(_is_solid, members)) >= size
        repeated = sum(run.repeats for run in members)
        if 2 * sum(run.linked for run in members) >= size or 2 * repeated > len(members):
            return True
        if size < _LABEL and not is_solid:
            return True
        within = set(island.iter())
        parts = {element for run in members for element in upwards(run.block)} & within
        if not is_solid and _is_shown(members, parts):
            return True
        signs = [
            is_called or (not is_solid and any(map(_is_named, parts))),
            any(part.tag in _LANDMARKS or part.get("role") in _ROLES for part in parts),
            any(element.get(CONTROLS) is not None for element in within),
            self._edges.issuperset(members),
        ]
        if not is_solid:
            is_sentence = any(ends_sentence(run.text) for run in members)
            signs += [
                is_again,
                any(element.tag == "img" for element in within),
                size < _LINE and not is_sentence,
                all(self._counts[tuple(run.words)] > 1 for run in members),
            ]
        return sum(signs) > 1


def _is_named(element: HtmlElement) -> bool:
    """Whether it has such a name; that of a heading is made of what it says."""
    is_heading = element.tag in HEADINGS
    return not is_heading and not NAMES.isdisjoint(named(element, "class", "id"))


def _is_shown(members: Sequence[TextBlock], parts: Collection[HtmlElement]) -> bool:
    heads = [run for run in members if run.is_heading and run.linked == len(run.words)]
    if any((link.get("href") or "#")[0] != "#" for run in heads for link in run.links):
        return True
    return any(_is_picture_or_card(part) for part in (*parts, *upwards(members[0].block)))


def _is_picture_or_card(element: HtmlElement) -> bool:
    if element.tag == "figure":
        return next(element.iter(*_PICTURED), None) is not None
    return element.tag == "figcaption" or element.get(CARD) is not None


def _skeleton(members: Sequence[TextBlock]) -> tuple[str, ...]:
    """The words without the numbers by which islands differ."""
    return tuple(word for run in members for word in run.words if not word.isdecimal())


def _is_solid(run: TextBlock) -> bool:
    is_unit = run.unit is not None and not run.is_heading and run.unit.tag != "figcaption"
    return is_unit or any(element.tag == "code" for element, *_ in run.pieces)


def _main_element(main: Sequence[TextBlock]) -> HtmlElement:
    sizes: Counter[HtmlElement] = Counter()
    for run in main:
        for element in upwards(run.block):
            sizes[element] += len(run.words)
    least = _MAIN * word_count(main)
    # Two elements beside each other cannot both have so much: those that have it are one path.
    large = (element for element in sizes if sizes[element] >= least)
    return next(
        candidate for candidate in large if all(sizes[child] < least for child in candidate)
    )


def _islands(
    span: Sequence[TextBlock], within: set[HtmlElement]
) -> dict[HtmlElement, list[TextBlock]]:
    """Return the unkept blocks, by the outermost element around them without kept ones."""
    own = [run for run in span if run.image is None and run.block in within]
    top = {element for run in own if run.is_main for element in upwards(run.block)}
    known: dict[HtmlElement, HtmlElement] = {}
    islands: dict[HtmlElement, list[TextBlock]] = {}
    for run in own:
        if run.is_main:
            continue
        path = [run.block]
        while path[-1] not in known:
            above = path[-1].getparent()
            if above is None or above in top:
                break
            path.append(above)
        outer = known.get(path[-1], path[-1])
        known.update(dict.fromkeys(path, outer))
        islands.setdefault(outer, []).append(run)
    return islands
