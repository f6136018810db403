"""A document without what does not belong to its main text; the structure stays."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from strap import record
from strap_http.extraction.boilerplate_by_name import leave_headed, leave_out
from strap_http.extraction.boilerplate_by_position import leave_around, leave_below
from strap_http.extraction.gap_filling import Units, fill_gaps, keep_notes, taken
from strap_http.extraction.headings import drop_above, keep_headings, keep_headline
from strap_http.extraction.inside import keep_inside
from strap_http.extraction.related_links import leave_beside
from strap_http.extraction.repeated_blocks import fill_alike, fill_cards, fill_rows
from strap_http.extraction.shingles import SIZE, Shingles
from strap_http.extraction.text_blocks import LISTS, TextBlock, holder_of, word_count

_SAME = 0.5
"""Share of its runs of words that a text has in common with the main text if it is part of it."""
_ENOUGH = {"table": 0.3, "pre": 0.3, "ul": 0.6, "ol": 0.6, "dl": 0.6}
"""The same for a piece that is kept as a whole then."""
_PARAGRAPH = 10
"""Words that a text has at least that is not repeated by its nature."""
_OFTEN = 3
"""Lines from which they are those of a list."""
_COPY = 200
"""Words from which a block twice as long as any line of the text is a copy in one piece."""

Kind = tuple[str, str | None]


@record
class Pruned:
    """How many words are left, and how many of those that were found stand around the text."""

    left: int
    around: int = 0


def prune(
    runs: Sequence[TextBlock], main: Shingles, title: Sequence[str], described: Shingles, base: str
) -> Pruned | None:
    """Erase what is not of the main text; None if the page has only scraps of it."""
    units = _take(runs, main)
    if scraps := _scraps(runs, main):
        return Pruned(left=_erase(runs)) if _take_around(runs, scraps) else None
    fill_gaps(runs, units, main)
    keep_inside(runs)
    fill_alike(runs)
    keep_headings(runs, main)
    fill_cards(runs)
    keep_headline(runs, title, described)
    drop_above(runs, title)
    size = _count(runs)
    leave_below(runs)
    leave_around(runs, title)
    leave_headed(runs)
    around = size - _count(runs)
    leave_out(runs, title)
    leave_beside(runs, base)
    keep_notes(runs)
    return Pruned(left=_erase(runs), around=around)


def _erase(runs: Sequence[TextBlock]) -> int:
    # Pictures last: what follows a picture that is taken out hangs on another element then.
    for run in sorted(runs, key=lambda run: run.image is not None):
        if not run.is_main:
            run.erase()
    return _count(runs)


def _count(runs: Sequence[TextBlock]) -> int:
    return word_count(run for run in runs if run.is_main)


def _scraps(runs: Sequence[TextBlock], main: Shingles) -> list[TextBlock]:
    """Short lines, as prices in cards, if the text is found in the page by nothing else."""
    if any(run.is_main and not run.is_heading for run in runs):
        return []
    short = (run for run in runs if len(run.words) < SIZE)
    scraps = [
        run
        for run in short
        if main.lines(run.words) or (len(run.words) > 1 and main.share(run.words) == 1.0)
    ]
    return scraps if 2 * word_count(scraps) > main.count else []


def _take_around(runs: Sequence[TextBlock], scraps: Sequence[TextBlock]) -> bool:
    holder = holder_of(scraps[0].block, scraps[-1].block)
    within = set(holder.iter())
    for run in runs:
        run.is_main = run.block in within
    return bool(holder.tag != "body")


def _take(runs: Sequence[TextBlock], main: Shingles) -> Units:
    units: Units = defaultdict(list)
    texts = [run for run in runs if run.image is None]  # a picture of a thing is told by its name
    plain = Counter(tuple(run.words) for run in texts if not run.is_link)
    seen: Counter[tuple[str, ...]] = Counter()
    for run in runs:
        leads = run.is_link and 0 < main.lines(run.words) <= plain[tuple(run.words)]
        run.repeats = leads or _is_again(run, main, seen)
        run.is_main = not run.repeats and _is_taken(run, main)
        if run.unit is not None and run.image is None:
            units[run.unit].append(run)
    _take_short(texts, main)
    for unit, members in units.items():
        if unit.tag in _ENOUGH and taken(members, main) >= _ENOUGH[unit.tag]:
            for run in members:
                run.is_main = True
        elif unit.tag == "table":
            fill_rows(unit, members)
    return units


def _take_short(texts: Sequence[TextBlock], main: Shingles) -> None:
    """Keep blocks too short to be recognised alone, by the words before or behind them."""
    known = [at for at, run in enumerate(texts) if run.is_main and not run.is_heading]
    within = set(texts[known[0] : known[-1]] if known else ())
    short: dict[TextBlock, Kind] = {}
    for order, step in ((texts, 1), (texts[::-1], -1)):
        near: list[str] = []
        for run in order:
            step_words = run.words[::step]
            is_open = not run.is_main and _is_short(run) and len(near) == SIZE - 1
            if is_open and main.share((near + step_words)[::step]) == 1.0:
                short[run] = (run.block.tag, run.block.get("class"))
            if run.is_main or run in short:
                near = (near + step_words)[1 - SIZE :]
    often = Counter(short.values())
    for run, kind in short.items():
        run.is_main = run in within or often[kind] >= _OFTEN


def _is_short(run: TextBlock) -> bool:
    is_cell = run.unit is not None and run.unit.tag == "table"
    is_text = 0 < len(run.words) < SIZE and not (run.is_heading or run.repeats or is_cell)
    return is_text and not any((link.get("href") or "").startswith("#") for link in run.links)


def _is_taken(run: TextBlock, main: Shingles) -> bool:
    if run.unit is None and len(run.words) > max(_COPY, 2 * main.longest):
        return False
    if run.is_heading and main.lines(run.words):
        return True
    return len(run.words) >= SIZE and main.share(run.words) >= _SAME


def _is_again(run: TextBlock, main: Shingles, seen: Counter[tuple[str, ...]]) -> bool:
    """Whether a paragraph stood above as often as the main text has it, as in a teaser."""
    is_held = run.unit is not None and run.unit.tag not in LISTS
    if len(run.words) < _PARAGRAPH or is_held or run.image is not None:
        return False
    key = tuple(run.words)
    seen[key] += 1
    return seen[key] > 1 and 0 < main.times(key) < seen[key]
