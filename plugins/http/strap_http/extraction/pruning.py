"""A document without what does not belong to its main text; the structure stays."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.runs import LISTS, Run
from strap_http.extraction.shingles import SIZE, Shingles

_SAME = 0.5
"""Share of its runs of words that a text has in common with the main text if it is part of it."""
_ENOUGH = {"table": 0.3, "pre": 0.3, "ul": 0.6, "ol": 0.6, "dl": 0.6}
"""The same for a piece that is kept as a whole then."""
_TOUCHED = 0.2
"""The same for a list that belongs to it in part."""
_LONG = 0.2
"""Words of a list that was not taken, as a share of those of the main text, beyond which it is a
discussion of that text rather than a piece of it."""
_NEAR = 3
"""How many elements may lie between a piece and the container of its neighbours."""

Units = dict[HtmlElement, list[Run]]


def prune(runs: Sequence[Run], main: Shingles) -> int:
    """Erase the runs that do not belong to the main text; returns how many words are left.

    What belongs to it: the text itself, the lists, tables and listings of which enough was taken,
    what lies between two kept pieces and is close to them, and the headings above all that.
    """
    units: Units = defaultdict(list)
    for run in runs:
        run.kept = len(run.words) >= SIZE and main.share(run.words) >= _SAME
        if run.unit is not None and run.image is None:
            units[run.unit].append(run)
    for unit, members in units.items():
        if unit.tag in _ENOUGH and _taken(members, main) >= _ENOUGH[unit.tag]:
            for run in members:
                run.kept = True
    _fill_gaps(runs, units, main)
    _keep_headings(runs)
    # Pictures last: what follows a picture that is taken out hangs on another element then.
    for run in sorted(runs, key=lambda run: run.image is not None):
        if not run.kept:
            run.erase()
    return sum(len(run.words) for run in runs if run.kept)


def _taken(members: Sequence[Run], main: Shingles) -> float:
    return main.share([word for run in members for word in run.words])


def _fill_gaps(runs: Sequence[Run], units: Units, main: Shingles) -> None:
    kept = [at for at, run in enumerate(runs) if run.kept]
    for before, after in pairwise(kept):
        if after - before > 1:
            between = _path(runs[before].block, runs[after].block)
            for run in runs[before + 1 : after]:
                run.kept = _belongs(run, between, units, main)


def _belongs(run: Run, between: set[HtmlElement], units: Units, main: Shingles) -> bool:
    """Whether a run in a gap is a piece of its own kind, or a line that was taken as well."""
    if run.image is not None:
        return len(run.words) > 1 and _is_near(run.block, between)
    if run.unit is None:
        return _is_line(run, main)
    members = units[run.unit]
    if run.is_heading or _is_menu(members):
        return False
    if run.unit.tag in LISTS and _taken(members, main) >= _TOUCHED:
        return run.linked == 0 or _is_line(run, main)
    if run.unit.tag in LISTS and _is_discussion(members, main):
        return False
    return _is_near(run.unit.getparent(), between)


def _is_line(run: Run, main: Shingles) -> bool:
    """Whether a run that is too short to be recognised by its words alone was taken as well."""
    return run.linked < len(run.words) < SIZE and main.share(run.words) == 1.0


def _is_menu(members: Sequence[Run]) -> bool:
    """Whether most of the words are links."""
    return 2 * sum(run.linked for run in members) > sum(len(run.words) for run in members)


def _is_discussion(members: Sequence[Run], main: Shingles) -> bool:
    """Whether a list is too long, beside the main text, for one that belongs to it."""
    length = sum(len(run.words) for run in members)
    return length > main.count * _LONG and any(run.linked for run in members)


def _is_near(element: HtmlElement, between: set[HtmlElement]) -> bool:
    return any(place in between for place in islice(_upwards(element), _NEAR))


def _upwards(element: HtmlElement) -> Iterator[HtmlElement]:
    yield element
    yield from element.iterancestors()


def _path(first: HtmlElement, second: HtmlElement) -> set[HtmlElement]:
    """The nearest element that holds both, and those between it and either of them."""
    above = list(_upwards(first))
    known = set(above)
    path = []
    for element in _upwards(second):
        path.append(element)
        if element in known:
            break
    return {*path, *above[: above.index(path[-1]) + 1]}


def _keep_headings(runs: Sequence[Run]) -> None:
    """Keep the headings that something kept follows, but for short lines such as a date."""
    following = False
    for run in reversed(runs):
        if run.is_heading:
            run.kept = following
        elif run.kept or (run.image is None and len(run.words) >= SIZE):
            following = run.kept
