"""A document without what does not belong to its main text; the structure stays."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from strap_http.extraction.alike import fill_alike, fill_rows
from strap_http.extraction.beside import leave_beside
from strap_http.extraction.gaps import Units, fill_gaps, taken
from strap_http.extraction.headings import drop_above, drop_last, keep_headings, keep_headline
from strap_http.extraction.outside import leave_below
from strap_http.extraction.runs import LISTS, Run, holder_of
from strap_http.extraction.shingles import SIZE, Shingles
from strap_http.extraction.surroundings import leave_out

_SAME = 0.5
"""Share of its runs of words that a text has in common with the main text if it is part of it."""
_ENOUGH = {"table": 0.3, "pre": 0.3, "ul": 0.6, "ol": 0.6, "dl": 0.6}
"""The same for a piece that is kept as a whole then."""
_PARAGRAPH = 10
"""Words that a text has at least that is not repeated by its nature."""

_COPY = 200
"""Words from which a run with more than twice those of any line of the main text is a copy of it
in one piece, as for a voice."""


def prune(
    runs: Sequence[Run], main: Shingles, title: Sequence[str], described: Shingles, base: str
) -> int:
    """Erase the runs that do not belong to the main text; returns how many words are left.

    What belongs to it: the text itself, the lists, tables and listings of which enough was taken,
    what lies between two kept pieces and is close to them, and the headings above all that.
    `title` are the words of the title of the page, `described` is how it describes itself, `base`
    what its addresses are relative to.
    """
    units = _take(runs, main)
    if main.is_scraps and not any(run.kept for run in runs):
        _take_around(runs, main)
        return _left(runs)
    drop_last(runs)
    fill_gaps(runs, units, main)
    fill_alike(runs)
    keep_headings(runs, main)
    drop_last(runs)
    keep_headline(runs, title, described)
    drop_above(runs, title)
    leave_below(runs)
    leave_out(runs, title)
    leave_beside(runs, base)
    drop_last(runs)
    return _left(runs)


def _left(runs: Sequence[Run]) -> int:
    """Erase what is not kept; returns how many words are left."""
    # Pictures last: what follows a picture that is taken out hangs on another element then.
    for run in sorted(runs, key=lambda run: run.image is not None):
        if not run.kept:
            run.erase()
    return sum(len(run.words) for run in runs if run.kept)


def _take_around(runs: Sequence[Run], main: Shingles) -> None:
    """Keep all that stands in the innermost element that has all the scraps of a main text.

    Of the cards of a shop that is often the prices alone, as the names are links.
    """
    scraps = [run for run in runs if main.lines(run.words)]
    if not scraps:
        return
    holder = holder_of(scraps[0].block, scraps[-1].block)
    if holder.tag == "body":
        return
    within = set(holder.iter())
    for run in runs:
        run.kept = run.block in within


def _take(runs: Sequence[Run], main: Shingles) -> Units:
    """Keep what the main text has, and pieces of which it has enough; returns all pieces."""
    units: Units = defaultdict(list)
    plain = Counter(tuple(run.words) for run in runs if not run.is_link)
    seen: Counter[tuple[str, ...]] = Counter()
    for run in runs:
        leads = run.is_link and 0 < main.lines(run.words) <= plain[tuple(run.words)]
        run.repeats = leads or _is_again(run, main, seen)
        run.kept = not run.repeats and _is_taken(run, main)
        if run.unit is not None and run.image is None:
            units[run.unit].append(run)
    for unit, members in units.items():
        if unit.tag in _ENOUGH and taken(members, main) >= _ENOUGH[unit.tag]:
            for run in members:
                run.kept = True
        elif unit.tag == "table":
            fill_rows(unit, members)
    return units


def _is_taken(run: Run, main: Shingles) -> bool:
    if run.unit is None and len(run.words) > max(_COPY, 2 * main.longest):
        return False
    if run.is_heading and main.lines(run.words):
        return True
    return len(run.words) >= SIZE and main.share(run.words) >= _SAME


def _is_again(run: Run, main: Shingles, seen: Counter[tuple[str, ...]]) -> bool:
    """Whether a paragraph stood above as often as the main text has it, as in a teaser."""
    if len(run.words) < _PARAGRAPH or (run.unit is not None and run.unit.tag not in LISTS):
        return False
    key = tuple(run.words)
    seen[key] += 1
    return seen[key] > 1 and 0 < main.times(key) < seen[key]
