"""Blocks of the same make, such as posts; cards that are links, and layout tables."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from lxml import html  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap.html_tree import parse
from strap_http.extraction.inside import CARD
from strap_http.extraction.shingles import SIZE, words
from strap_http.extraction.text_blocks import HEADINGS, TextBlock, make_of, upwards, word_count

_ROWS, _MOST = 3, 0.5
"""Rows, and their share, in which a cell is found to be kept in all of them."""
_NAMING = 3
"""Words of letters that titles have on the average at least."""
_SOME = 0.25
"""Share of what is made alike from which all of it is text: below it is what others say as well."""
_NAMED = 3
"""Elements, from the inside out, one of which has a class; without, the parent tells."""

Place = tuple[int | str, ...]
Make = tuple[int, str, str]
"""That of the parent of an element by its number, its tag and its class."""


def fill_rows(table: HtmlElement, members: Sequence[TextBlock]) -> None:
    """Keep in all rows of a table the cells that most rows have in the text."""
    places: dict[Place, list[TextBlock]] = defaultdict(list)
    for run in members:
        if run.image is None:
            places[_place(run.block, table)].append(run)
    rows = {place for place, runs in places.items() if _is_found(runs)}
    order = {place: at for at, place in enumerate(places)}
    for place, runs in places.items():
        around = [order[other] for other in rows if other[0] == place[0]]
        is_between = bool(around) and min(around) <= order[place] <= max(around)
        for run in runs if is_between and _are_own(runs) else ():
            run.is_main = run.of_row = True


def _place(block: HtmlElement, table: HtmlElement) -> Place:
    """Return the place of a block in its row: number of the cell, and path of tags in it."""
    path: list[str] = []
    for element in upwards(block):
        above = element.getparent()
        if element is table or above is None:
            break
        if above.tag == "tr":
            return (len(list(element.itersiblings(preceding=True))), *path)
        path.append(f"{element.tag}.{element.get('class') or ''}")
    return (-1, *path)


def _is_found(runs: Sequence[TextBlock], share: float = _MOST) -> bool:
    telling = [run for run in runs if len(run.words) >= SIZE]
    return _is_most([run for run in telling if run.is_main], telling, share) and _are_own(runs)


def _is_most(some: Sequence[TextBlock], runs: Sequence[TextBlock], share: float = _MOST) -> bool:
    return len(some) >= _ROWS and len(some) >= share * len(runs)


def _are_own(runs: Sequence[TextBlock]) -> bool:
    """Whether the rows do not all say the same there, beside what is their own if anything is."""
    ((_, often),) = Counter(tuple(run.words) for run in runs).most_common(1)
    return often < _ROWS or 2 * often <= len(runs)


def fill_alike(runs: Sequence[TextBlock]) -> None:
    """Keep blocks made like kept ones, as posts, and the titles above most of them."""
    groups: dict[object, list[TextBlock]] = defaultdict(list)
    above: dict[object, list[tuple[object, TextBlock, TextBlock]]] = defaultdict(list)
    made = _made(_inside(runs))
    for make, run in made:
        groups[make].append(run)
    for (other, title), (make, text) in pairwise(made):
        if other != make:
            above[make].append((other, title, text))
    for make, members in [group for group in groups.items() if _is_found(group[1], _SOME)]:
        titles: dict[object, list[TextBlock]] = defaultdict(list)
        for other, title, text in above[make]:
            if text.is_main:
                titles[other].append(title)
        for other, some in titles.items():
            if _is_most(some, groups[other]) and _is_most(some, members) and _are_titles(some):
                _keep_unlinked(some)
        main = [at for at, run in enumerate(members) if run.is_main]
        _keep_unlinked(members[main[0] : main[-1]])


def _made(runs: Sequence[TextBlock]) -> list[tuple[object, TextBlock]]:
    made: list[tuple[object, TextBlock]] = []
    for make, run in zip(makes(runs), runs, strict=True):
        is_named = any(element.get("class") for element in islice(upwards(run.block), _NAMED))
        made.append((make if is_named else (make, run.block.getparent()), run))
    return made


def _are_titles(runs: Sequence[TextBlock]) -> bool:
    """Whether they tell the texts below them apart, by more than a date or a name."""
    telling = sum(word.isalpha() for run in runs for word in run.words)
    return telling >= _NAMING * len(runs) and _are_own(runs)


def _keep_unlinked(runs: Sequence[TextBlock]) -> None:
    for run in runs:
        run.is_main = run.is_main or run.linked == 0


def _inside(runs: Sequence[TextBlock]) -> list[TextBlock]:
    """Return free blocks of the text, and the first above it; unkept ones only if new."""
    main = [at for at, run in enumerate(runs) if run.is_main]
    if not main:
        return []
    first = next((at for at in range(main[0] - 1, -1, -1) if _is_free(runs[at])), main[0])
    free = [run for run in runs[first : main[-1] + 1] if _is_free(run)]
    texts = {tuple(run.words) for run in free if run.is_main}
    chosen = []
    for run in free:
        if run.is_main or tuple(run.words) not in texts:
            chosen.append(run)
            texts.add(tuple(run.words))
    return chosen


def _is_free(run: TextBlock) -> bool:
    return run.unit is None and run.image is None and not run.repeats and len(run.words) > 0


def makes(runs: Sequence[TextBlock]) -> list[int]:
    """A number for each, the same for those that are in elements of the same tags and classes."""
    numbers: dict[Make, int] = {}
    known: dict[HtmlElement, int] = {}
    return [_make(run.block, numbers, known) for run in runs]


def _make(element: HtmlElement, numbers: dict[Make, int], known: dict[HtmlElement, int]) -> int:
    path = []
    at: HtmlElement | None = element
    while at is not None and at not in known:
        path.append(at)
        at = at.getparent()
    number = known[at] if at is not None else 0
    for ancestor in reversed(path):
        make = (number, *make_of(ancestor))
        number = known[ancestor] = numbers.setdefault(make, len(numbers) + 1)
    return number


_DEEP = 6
"""How many elements lie between a heading and the link around its card at most."""
_ADDRESS = ("href", "title")
_CARD_SHARE = 0.3
"""Share of the words of a card from which all of it is text."""
_PARTS = frozenset(("caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"))
"""Elements of a table."""
_CELLS = frozenset(("td", "th"))
_DATA_ROWS = 3
"""Rows of several cells with text from which a table is one of data."""
_PROSE, _LONG = 40, 100
"""Words of a text in a cell that has a row for itself, and in one beside others."""


def opened(page: str) -> str:
    """The page with what stands in such cards and tables as part of it."""
    root = parse(page)
    if root is None or _is_too_deep(root):
        return page
    open_tables(root)
    open_cards(root)
    return str(html.tostring(root, encoding="unicode"))


def _is_too_deep(root: HtmlElement) -> bool:
    """Whether the parser gave up before the end of the page."""
    errors = root.getroottree().parser.error_log
    return any(error.type_name == "ERR_RESOURCE_LIMIT" for error in errors)


def open_tables(body: HtmlElement) -> None:
    """Turn layout tables into blocks, so that headings, lists and tables in them survive."""
    for table in [*body.iter("table")]:
        if _is_layout(table):
            for element in [table, *_own(table)]:
                element.tag = "div"


def _own(table: HtmlElement) -> Iterator[HtmlElement]:
    for part in table:
        if part.tag in _PARTS and part.tag != "table":
            yield part
            if part.tag not in _CELLS:
                yield from _own(part)


def _is_layout(table: HtmlElement) -> bool:
    """Whether a table lays out the page: no headers, few data rows, nested tables or long prose."""
    if table.get("role") in ("none", "presentation"):
        return True
    if any(part.tag == "th" for part in _own(table)):
        return False
    if next(table.iterdescendants("table"), None) is not None:
        return True
    several, longest = 0, 0
    for row in table.iterdescendants("tr"):
        texts = [text for cell in row if (text := words(cell.text_content()))]
        several += len(texts) > 1
        if several >= _DATA_ROWS:
            return False
        longest = max(longest, *map(len, texts), 0)
    return longest >= (_LONG if several else _PROSE)


def open_cards(body: HtmlElement) -> None:
    """Turn links around cards into blocks, and their headings into the links."""
    for heading in [*body.iter(*HEADINGS)]:
        around = islice(heading.iterancestors(), _DEEP)
        link = next((element for element in around if element.tag == "a"), None)
        leads = link is not None and not (link.get("href") or "#").startswith("#")
        if leads and heading.find(".//a") is None:
            _open(link, heading)


def _open(link: HtmlElement, heading: HtmlElement) -> None:
    inner = html.Element("a")
    for name in _ADDRESS:
        if name in link.attrib:
            inner.set(name, link.attrib.pop(name))
    inner.text, heading.text = heading.text, None
    inner.extend(heading[:])
    heading.append(inner)
    link.tag = "div"
    link.set(CARD, inner.get("href"))


def fill_cards(runs: Sequence[TextBlock]) -> None:
    """Keep all that is said in the cards of which enough is kept: a price, a place, a name."""
    if not runs:
        return
    cards = runs[0].block.getroottree().iterfind(f".//div[@{CARD}]")
    around = {element: card for card in cards for element in card.iter()}
    members: defaultdict[HtmlElement, list[TextBlock]] = defaultdict(list)
    for run in runs if around else ():
        if run.image is None and run.block in around:
            members[around[run.block]].append(run)
    for some in members.values():
        size = word_count(run for run in some if run.is_main)
        if size >= _CARD_SHARE * word_count(some) > 0:
            for run in some:
                run.is_main = True
