"""What stands between the pieces of a main text, and belongs to it without having been found."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby, islice, pairwise
from typing import Literal

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.beside import leads_on
from strap_http.extraction.runs import HEADINGS, LISTS, Run, upwards
from strap_http.extraction.shingles import SIZE, Shingles

_TOUCHED = 0.2
"""Share of the runs of words of a list that the main text has if it belongs to it in part."""
_NEAR = 4
"""How many elements may lie between a piece and the container of its neighbours."""
_LITTLE = 100
"""Words of a main text below which the lists of links in its flow are what it is about."""
_ROWS, _MOST = 3, 0.5
"""Rows in which something is found, and their share of those where it is long enough for that, for
it to be kept in all."""
_NAMING = 3
"""Words of letters that titles have on the average at least."""
_SOME = 0.25
"""Share of what is made alike from which all of it is text: below it is what others say as well."""
_NAMED = 3
"""How many elements, from the inside out, may have the class that tells how one is made; where none
has one, all that have the same element around them are alike."""
_COLONS = (":", "\uff1a")

_DIGITS = re.compile(r"\d+")

Place = tuple[int | str, ...]
Make = tuple[int, str, str]
"""That of the parent of an element by its number, its tag and its class."""
Units = dict[HtmlElement, list[Run]]
Verdict = Literal["never", "partly", "titled", "near"]
Verdicts = dict[HtmlElement, Verdict]


def taken(members: Sequence[Run], main: Shingles) -> float:
    """How much of a piece the main text has; nothing of a table of its contents."""
    if 2 * sum(run.repeats for run in members) > len(members):
        return 0.0
    found = [word for run in members for word in run.words]
    kept = sum(len(run.words) for run in members if run.kept)
    return max(main.share(found), kept / max(len(found), 1))


def fill_rows(table: HtmlElement, members: Sequence[Run]) -> None:
    """Keep in all rows of a table what was found at the same place in most, and what is between.

    A name of few words is not recognised beside what is said of it. What every row says, such as
    "Rate this", is a control.
    """
    places: dict[Place, list[Run]] = defaultdict(list)
    for run in members:
        if run.image is None:
            places[_place(run.block, table)].append(run)
    found = {place for place, runs in places.items() if _is_found(runs)}
    order = {place: at for at, place in enumerate(places)}
    for place, runs in places.items():
        around = [order[other] for other in found if other[0] == place[0]]
        is_between = bool(around) and min(around) <= order[place] <= max(around)
        for run in runs if is_between and _are_own(runs) else ():
            run.kept = run.of_row = True


def _place(block: HtmlElement, table: HtmlElement) -> Place:
    """Where in a row something stands: in which cell, and at which path of names in it."""
    path: list[str] = []
    for element in upwards(block):
        above = element.getparent()
        if element is table or above is None:
            break
        if above.tag == "tr":
            return (len(list(element.itersiblings(preceding=True))), *path)
        path.append(f"{element.tag}.{element.get('class') or ''}")
    return (-1, *path)


def _is_found(runs: Sequence[Run], share: float = _MOST) -> bool:
    telling = [run for run in runs if len(run.words) >= SIZE]
    return _is_most([run for run in telling if run.kept], telling, share) and _are_own(runs)


def _is_most(some: Sequence[Run], runs: Sequence[Run], share: float = _MOST) -> bool:
    return len(some) >= _ROWS and len(some) >= share * len(runs)


def _are_own(runs: Sequence[Run]) -> bool:
    """Whether the rows do not all say the same there, beside what is their own if anything is."""
    ((_, often),) = Counter(tuple(run.words) for run in runs).most_common(1)
    return often < _ROWS or 2 * often <= len(runs)


def fill_alike(runs: Sequence[Run]) -> None:
    """Keep in a text what is made like pieces of it, and what stands above most of them.

    A library leaves out single posts and paragraphs, and the titles of cards.
    """
    groups: dict[object, list[Run]] = defaultdict(list)
    above: dict[object, list[tuple[object, Run, Run]]] = defaultdict(list)
    made = _made(_inside(runs))
    for make, run in made:
        groups[make].append(run)
    for (other, title), (make, text) in pairwise(made):
        if other != make:
            above[make].append((other, title, text))
    for make, members in [group for group in groups.items() if _is_found(group[1], _SOME)]:
        titles: dict[object, list[Run]] = defaultdict(list)
        for other, title, text in above[make]:
            if text.kept:
                titles[other].append(title)
        for other, some in titles.items():
            if _is_most(some, groups[other]) and _is_most(some, members) and _are_titles(some):
                _keep_unlinked(some)
        kept = [at for at, run in enumerate(members) if run.kept]
        _keep_unlinked(members[kept[0] : kept[-1]])


def _made(runs: Sequence[Run]) -> list[tuple[object, Run]]:
    """Each of them after what tells how it is made."""
    made: list[tuple[object, Run]] = []
    numbers: dict[Make, int] = {}
    known: dict[HtmlElement, int] = {}
    for run in runs:
        make = _make(run.block, numbers, known)
        is_named = any(each.get("class") for each in islice(upwards(run.block), _NAMED))
        made.append((make if is_named else (make, run.block.getparent()), run))
    return made


def _are_titles(runs: Sequence[Run]) -> bool:
    """Whether they tell the texts below them apart, by more than a date or a name."""
    telling = sum(word.isalpha() for run in runs for word in run.words)
    return telling >= _NAMING * len(runs) and _are_own(runs)


def _keep_unlinked(runs: Sequence[Run]) -> None:
    for run in runs:
        run.kept = run.kept or run.linked == 0


def _inside(runs: Sequence[Run]) -> list[Run]:
    """What stands free in the text, and the first above it: if not kept, it says something new."""
    kept = [at for at, run in enumerate(runs) if run.kept]
    if not kept:
        return []
    first = next((at for at in range(kept[0] - 1, -1, -1) if _is_free(runs[at])), kept[0])
    free = [run for run in runs[first : kept[-1] + 1] if _is_free(run)]
    said = {tuple(run.words) for run in free if run.kept}
    found = []
    for run in free:
        if run.kept or tuple(run.words) not in said:
            found.append(run)
            said.add(tuple(run.words))
    return found


def _is_free(run: Run) -> bool:
    return run.unit is None and run.image is None and not run.repeats and len(run.words) > 0


def _make(element: HtmlElement, numbers: dict[Make, int], known: dict[HtmlElement, int]) -> int:
    """A number for the tags and classes of an element and those around it."""
    path = []
    at: HtmlElement | None = element
    while at is not None and at not in known:
        path.append(at)
        at = at.getparent()
    number = known[at] if at is not None else 0
    for each in reversed(path):
        make = (number, each.tag, _DIGITS.sub("", each.get("class") or ""))
        number = known[each] = numbers.setdefault(make, len(numbers) + 1)
    return number


def fill_gaps(runs: Sequence[Run], units: Units, main: Shingles) -> None:
    """Keep what lies between two kept pieces and is close to them."""
    verdicts = {unit: _judge(unit, members, main) for unit, members in units.items()}
    kept = [at for at, run in enumerate(runs) if run.kept]
    alive = {runs[at].unit for at in kept}
    for before, after in pairwise(kept):
        gap = runs[before : after + 1]
        if len(gap) == 2:
            continue
        between = _path(gap[0].block, gap[-1].block)
        for run in gap[1:-1]:
            mine = run.image is None and (not run.repeats or _is_cell(run))
            run.kept = mine and _belongs(run, between, verdicts, main)
        _keep_links(gap, between, main)
        alive.update(run.unit for run in gap if run.kept)
        for run in gap[1:-1]:
            if run.image is not None and len(run.words) > 1 and _is_near(run.block, between):
                run.kept = (not run.is_held or run.unit in alive) and not leads_on(run.image)
    if kept:
        last = runs[kept[-1]]
        _keep_links(runs[kept[-1] :], set(islice(upwards(last.block), _NEAR)), main)


def _keep_links(gap: Sequence[Run], between: set[HtmlElement], main: Shingles) -> None:
    """Keep the lists of links in the flow of the text that are announced, or end a section.

    `gap` begins with a kept run, and ends with one or with the document; what has a heading after
    the last one is what others say, or further texts. Other lists of links are for going elsewhere,
    except where there is little text: it is about them. A list of which the text has an item, as of
    a menu that names the page, is not announced by it.
    """
    ends_section = gap[-1].is_heading and main.lines(gap[-1].words) > 0
    flows = ends_section or main.count < _LITTLE
    last = gap[0]
    for unit, runs in groupby(gap[1:], key=lambda run: run.unit):
        members = list(runs)
        is_list = unit is not None and unit.tag in LISTS and unit is not gap[0].unit
        if is_list and not members[0].kept:
            named = last.is_heading and gap[-1].kept and main.lines(last.words) > 0
            announced = named or last.text.rstrip().endswith(_COLONS)
            if last.kept and unit.getparent() in between and (announced or flows):
                for run in members:
                    run.kept = run.image is None
        last = next((run for run in reversed(members) if run.image is None), last)


def _judge(unit: HtmlElement, members: Sequence[Run], main: Shingles) -> Verdict:
    """Whether a piece in a gap never belongs to the main text, in part, or where it is near.

    A list that the main text has nothing of is for going elsewhere, or what others say, unless it
    has neither links nor parts, and is in no aside, as an offer to subscribe is. One of records has
    the titles of all if it has some. A caption belongs to its picture.
    """
    if members[0].is_heading or unit.tag == "figcaption" or _is_menu(members):
        return "never"
    if unit.tag in LISTS:
        if taken(members, main) >= _TOUCHED:
            return "titled" if any(run.kept and _is_title(run) for run in members) else "partly"
        is_beside = next(unit.iterancestors("aside"), None) is not None
        return "near" if _is_plain(members) and not is_beside else "never"
    return "near"


def _belongs(run: Run, between: set[HtmlElement], verdicts: Verdicts, main: Shingles) -> bool:
    """Whether a run in a gap is a piece of its own kind, or a line that was taken as well."""
    if run.unit is None:
        return _is_line(run, main)
    verdict = verdicts[run.unit]
    if verdict in ("partly", "titled"):
        is_own = run.linked == 0 or (verdict == "titled" and _is_title(run))
        return is_own or _is_line(run, main)
    return verdict == "near" and _is_near(run.unit.getparent(), between)


def _is_line(run: Run, main: Shingles) -> bool:
    """Whether a run that is too short to be recognised by its words alone was taken as well.

    A single word, as "Close" on a button, stands somewhere in most texts.
    """
    if len(run.words) == 1:
        return run.linked == 0 and main.lines(run.words) > 0
    return run.linked < len(run.words) < SIZE and main.share(run.words) == 1.0


def _is_plain(members: Sequence[Run]) -> bool:
    """Whether the entries of a list are a line of text each, rather than dates or numbers."""
    if any(run.linked or run.image is not None or run.block.tag != "li" for run in members):
        return False
    telling = sum(word.isalpha() for run in members for word in run.words)
    return telling >= SIZE * len(members)


def _is_title(run: Run) -> bool:
    """Whether it is the heading of an entry, and a link to more about that."""
    return run.block.tag in HEADINGS and run.linked > 0


def _is_cell(run: Run) -> bool:
    return run.unit is not None and run.unit.tag == "table"


def _is_menu(members: Sequence[Run]) -> bool:
    """Whether most of the words are links."""
    return 2 * sum(run.linked for run in members) > sum(len(run.words) for run in members)


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
