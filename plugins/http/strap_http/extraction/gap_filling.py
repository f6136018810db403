"""Text that libraries leave out of a main part: gaps between its pieces, and its footnotes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise, takewhile
from typing import Literal

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.related_links import leads_on
from strap_http.extraction.shingles import SIZE, Shingles
from strap_http.extraction.text_blocks import (
    BOUNDARIES,
    HEADINGS,
    LISTS,
    TextBlock,
    named,
    upwards,
    word_count,
)

_TOUCHED = 0.2
"""Share of the runs of words of a list that the main text has if it belongs to it in part."""
_NEAR = 4
"""How many elements may lie between a piece and the container of its neighbours."""
_LITTLE = 100
"""Words of a main text below which the lists of links in its flow are what it is about."""
_COLONS = (":", "\uff1a")
_MARK = 6
"""Characters that a mark has at most, such as `[12]`, `*` and `(a)`."""
_NOTES = frozenset(("endnote", "endnotes", "footnote", "footnotes"))
_NAMING = ("class", "id", "role", "data-type")
"""Attributes that say that an element holds notes, by HTML, ARIA or EPUB."""

Units = dict[HtmlElement, list[TextBlock]]
Verdict = Literal["never", "partly", "titled", "titles", "near"]
Verdicts = dict[HtmlElement, Verdict]


def taken(members: Sequence[TextBlock], main: Shingles) -> float:
    """How much of a piece the main text has; nothing of a table of its contents."""
    if 2 * sum(run.repeats for run in members) > len(members):
        return 0.0
    all_words = [word for run in members for word in run.words]
    count = word_count(run for run in members if run.is_main)
    return max(main.share(all_words), count / max(len(all_words), 1))


def fill_gaps(runs: Sequence[TextBlock], units: Units, main: Shingles) -> None:
    """Keep what lies between two kept pieces and is close to them."""
    verdicts = {unit: _judge(unit, members, main) for unit, members in units.items()}
    main_at = [at for at, run in enumerate(runs) if run.is_main]
    alive = {runs[at].unit for at in main_at}
    for before, after in pairwise(main_at):
        gap = runs[before : after + 1]
        if len(gap) == 2:
            continue
        between = _path(gap[0].block, gap[-1].block)
        for run in gap[1:-1]:
            mine = run.image is None and (not run.repeats or _is_cell(run))
            run.is_main = mine and _belongs(run, between, verdicts, main)
        _keep_links(gap, between, main)
        alive.update(run.unit for run in gap if run.is_main)
        for run in gap[1:-1]:
            if run.image is not None and len(run.words) > 1 and _is_near(run.block, between):
                run.is_main = (not run.is_held or run.unit in alive) and not leads_on(run.image)
    if main_at:
        last = runs[main_at[-1]]
        _keep_links(runs[main_at[-1] :], set(islice(upwards(last.block), _NEAR)), main)


def keep_notes(runs: Sequence[TextBlock]) -> None:
    """Keep notes that kept sentences refer to: by a link that is a mark, or by a raised mark.

    They often stand outside the element of the text.
    """
    texts = [run for run in runs if run.image is None]
    sentences = [run for run in texts if run.is_main and not run.is_heading]
    marks = {mark for run in sentences for mark in _marks(run)}
    is_raised = any(element.tag == "sup" for run in sentences for element, *_ in run.pieces)
    if not (marks or is_raised):
        return
    every = [*texts[0].block.getroottree().iter("*")]
    notes = {
        *_linked(
            [element for element in every if (element.get("id") or element.get("name")) in marks]
        )
    }
    if is_raised:
        notes.update(
            element for element in every if not _NOTES.isdisjoint(named(element, *_NAMING))
        )
    notes -= {upward for run in texts if run.is_main for upward in upwards(run.block)}
    for at, run in enumerate(texts):
        if not run.is_main and not notes.isdisjoint(upwards(run.block)):
            run.is_main = True
            if at and texts[at - 1].is_heading:
                texts[at - 1].is_main = True


def _marks(run: TextBlock) -> Iterator[str]:
    """The fragments that a sentence refers to by links that are no more than a mark."""
    if run.linked < len(run.words):
        for link in run.links:
            _, _, fragment = (link.get("href") or "").partition("#")
            if fragment and _is_mark(link):
                yield fragment


def _linked(places: Sequence[HtmlElement]) -> Iterator[HtmlElement]:
    """The blocks of the notes that begin at these elements."""
    holding = Counter(element for place in places for element in upwards(place))
    for block in dict.fromkeys(map(_block, places)):  # each is read once, whatever it holds
        note = block
        while (is_mark := _is_mark(note)) and holding[note.getparent()] == 1:
            note = note.getparent()
        yield note
        if is_mark:  # as a term before its definition, a heading before its paragraphs
            yield from takewhile(lambda sibling: not holding[sibling], note.itersiblings())


def _block(element: HtmlElement) -> HtmlElement:
    return next(upward for upward in upwards(element) if upward.tag in BOUNDARIES)


def _is_mark(element: HtmlElement) -> bool:
    return len(element.text_content().strip()) <= _MARK


def _keep_links(gap: Sequence[TextBlock], between: set[HtmlElement], main: Shingles) -> None:
    """Keep lists of links that a colon or heading announces, or that end a section."""
    ends_section = gap[-1].is_heading and main.lines(gap[-1].words) > 0
    flows = ends_section or main.count < _LITTLE
    last = gap[0]
    for unit, runs in groupby(gap[1:], key=lambda run: run.unit):
        members = list(runs)
        is_list = unit is not None and unit.tag in LISTS and unit is not gap[0].unit
        if is_list and not members[0].is_main:
            named = last.is_heading and gap[-1].is_main and main.lines(last.words) > 0
            announced = named or last.text.rstrip().endswith(_COLONS)
            if last.is_main and unit.getparent() in between and (announced or flows):
                for run in members:
                    run.is_main = run.image is None
        last = next((run for run in reversed(members) if run.image is None), last)


def _judge(unit: HtmlElement, members: Sequence[TextBlock], main: Shingles) -> Verdict:
    """Whether a unit in a gap belongs to the text never, in part, or where it is near."""
    if members[0].is_heading or unit.tag == "figcaption":
        return "never"
    is_touched = unit.tag in LISTS and taken(members, main) >= _TOUCHED
    if is_touched and any(run.is_main and _is_title(run) for run in members):
        return "titles" if _is_menu(members) else "titled"
    if _is_menu(members):
        return "never"
    if is_touched:
        return "partly"
    if unit.tag in LISTS:
        is_beside = next(unit.iterancestors("aside"), None) is not None
        return "near" if _is_plain(members) and not is_beside else "never"
    return "near"


def _belongs(run: TextBlock, between: set[HtmlElement], verdicts: Verdicts, main: Shingles) -> bool:
    if run.unit is None:
        return _is_line(run, main)
    verdict = verdicts[run.unit]
    if verdict == "titles":
        return _is_title(run)
    if verdict in ("partly", "titled"):
        is_own = run.linked == 0 or (verdict == "titled" and _is_title(run))
        return is_own or _is_line(run, main)
    return verdict == "near" and _is_near(run.unit.getparent(), between)


def _is_line(run: TextBlock, main: Shingles) -> bool:
    """Whether the text has a block that is too short to be recognised by its words alone."""
    if len(run.words) == 1:
        return run.linked == 0 and main.lines(run.words) > 0
    return run.linked < len(run.words) < SIZE and main.share(run.words) == 1.0


def _is_plain(members: Sequence[TextBlock]) -> bool:
    """Whether the entries of a list are a line of text each, rather than dates or numbers."""
    if any(run.linked or run.image is not None or run.block.tag != "li" for run in members):
        return False
    telling = sum(word.isalpha() for run in members for word in run.words)
    return telling >= SIZE * len(members)


def _is_title(run: TextBlock) -> bool:
    return run.block.tag in HEADINGS and run.linked > 0


def _is_cell(run: TextBlock) -> bool:
    return run.unit is not None and run.unit.tag == "table"


def _is_menu(members: Sequence[TextBlock]) -> bool:
    return 2 * sum(run.linked for run in members) > word_count(members)


def _is_near(element: HtmlElement, between: set[HtmlElement]) -> bool:
    return any(place in between for place in islice(upwards(element), _NEAR))


def _path(first: HtmlElement, second: HtmlElement) -> set[HtmlElement]:
    """The nearest element that holds both, and those between it and either of them."""
    above = list(upwards(first))
    known = set(above)
    path = []
    for element in upwards(second):
        path.append(element)
        if element in known:
            break
    return {*path, *above[: above.index(path[-1]) + 1]}
