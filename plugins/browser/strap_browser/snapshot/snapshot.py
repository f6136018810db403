"""A snapshot: the page as lines of text with refs, within a budget, with a way to the rest."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from strap import count_tokens, cut, record
from strap_browser.common.text import FAIR, quoted, short_address
from strap_browser.snapshot.compaction import compact
from strap_browser.snapshot.items import SnapshotItem, find, number
from strap_browser.snapshot.matching import Match, search
from strap_browser.snapshot.nodes import Node
from strap_browser.snapshot.refs import Refs, ShownElement, Unsure, document
from strap_browser.snapshot.rendering import COLUMNS, Limits, Line, Renderer
from strap_browser.snapshot.surroundings import Surroundings

Naming = Callable[[str, SnapshotItem], str]
"""Returns the ref to show for the page's own, of an item."""
FULL = Limits()
EVERY = Limits(terms=())
LONG = 5_000
"""Characters of a line that are counted as soon as it is found out whether they are too many."""
OVERVIEWS = (
    FULL,
    Limits(siblings=20, characters=160, ways=True),
    Limits(siblings=10, characters=100, ways=True),
    Limits(siblings=5, characters=70, ways=True),
    Limits(siblings=3, characters=45, ways=True),
)
"""How much is shown, from all to little: the first that fits the budget is taken."""
SURE = 1.5
"""Characters of what a page shows that fit into a token in any case, once compacted."""
LARGE = 100_000
"""Characters of a snapshot that is written, and compared, beside the event loop."""
MOST_ELEMENTS = 2_000
"""Elements that are told as data; masking the names of more takes long."""
EXTRA = 40
"""Characters of a node beside its texts: role, ref, states and indentation."""
EMPTY = "The page shows nothing."
DRAWN = "The page says nothing, but pictures are drawn on it: `screenshot` shows them."
NOTE_TOKENS = 60
"""Kept free for the note that tells how to get the rest."""


@record
class Snapshot:
    """The outline of a page at one moment; `main` is the id of its main document."""

    url: str
    title: str
    items: list[SnapshotItem]
    surroundings: Surroundings
    main: str = ""
    kind: str = ""
    """Its media type."""
    characters: int = 0
    """Length of what it shows, at most."""
    restless: tuple[str, ...] = ()
    """Texts on it that change by themselves."""
    seconds: float = 0.0
    """How long it took."""
    sites: Mapping[str, str] = field(default_factory=dict)
    """Scheme and host of each of its documents, by their ids."""
    drawn: bool = False
    """Whether it has pictures, where it has nothing else."""
    captcha: str = ""
    """The name of a captcha on it that is not solved."""
    versions: Mapping[str, int] = field(default_factory=dict)
    """The versions of what has another role, name or subject than at first, by the page's refs."""

    def site_of(self, raw: str) -> str:
        """Return scheme and host of the document that an element is in, by the page's own ref."""
        return self.sites.get(document(raw), "")


@record
class View:
    """View of a snapshot that a call asks for: inside an element, with `text`, from `start` on."""

    tokens: int
    ref: str = ""
    """The page's own ref of the element."""
    shown: str = ""
    """The ref as the caller wrote it."""
    text: str = ""
    drawn: bool | None = False
    """Whether `text` is drawn on the page, if no line has it; None where that is not known."""
    start: int = 0


@dataclass(slots=True)
class _Page:
    """Lines that are being collected up to a number of tokens."""

    tokens: int
    lines: list[str] = field(default_factory=list)
    following: int | None = None

    def add_if_fits(self, lines: Iterable[Line]) -> bool:
        """Add lines while they fit, the first one in any case; return whether all of them did."""
        for line in lines:
            text = str(line)
            cost = self._cost(text)
            if cost > self.tokens and self.lines:
                self.following = line.number
                return False
            self.tokens -= cost
            self.lines.append(text)
        return True

    def _cost(self, line: str) -> int:
        """Return the tokens of a line; of a long one that has too many no more than that."""
        fits = len(line) <= LONG or not cut(line, max(self.tokens, 0))[1]
        return (count_tokens(line) if fits else self.tokens) + 1


def build(nodes: list[Node], *, url: str, title: str, **more: Any) -> Snapshot:
    """Return the snapshot of a page that shows `nodes`; `more` are other fields of it."""
    versions: dict[str, int] = {}
    items = compact(nodes)
    around = Surroundings(items, number(items))
    return Snapshot(
        url=url,
        title=title,
        items=items,
        surroundings=around,
        characters=_length(nodes, versions),
        versions=versions,
        **more,
    )


def render(snapshot: Snapshot, refs: Refs, view: View) -> str:
    """Write what `view` asks for, title and URL first; the refs on the lines become known."""
    title = f"{quoted(snapshot.title)} {short_address(snapshot.url)}".strip()
    items = _inside(snapshot, view)
    page = _Page(int(view.tokens * FAIR) - NOTE_TOKENS - count_tokens(title))
    unsure: Unsure | None = [] if view.text or view.ref else None
    name = namer(snapshot, refs, unsure)
    if view.text:
        notes = _matching(page, name, items, view)
    else:
        notes = _from(page, snapshot, refs, name, items, view)
    if not page.lines and not view.text:
        empty = DRAWN if snapshot.drawn else EMPTY
        notes = ["There is nothing after that." if items else empty]
    return refs.show_if_told("\n".join((title, *page.lines, *notes)), unsure or [])


def has_text(snapshot: Snapshot, view: View) -> bool:
    """Whether a line of what `view` asks for contains the text that it asks for."""
    return bool(search(_inside(snapshot, view), view.text))


def _inside(snapshot: Snapshot, view: View) -> list[SnapshotItem]:
    if not view.ref:
        return snapshot.items
    item = find(snapshot.items, view.ref)
    return [item] if item else []


def elements(snapshot: Snapshot, refs: Refs) -> list[dict[str, str]] | None:
    """Return what can be acted on as `ref`, `role` and `name`, None if that is too much to tell.

    A ref that was not shown is "".
    """
    items = (item for top in snapshot.items for item in top.walk() if item.ref)
    listed = list(islice(items, MOST_ELEMENTS + 1))
    if len(listed) > MOST_ELEMENTS:
        return None
    return [{"ref": refs.seen(item.ref), "role": item.role, "name": item.name} for item in listed]


def full_text(snapshot: Snapshot, refs: Refs, tokens: int) -> str | None:
    """Write everything, without the title, if it fits into `tokens`."""
    if not _Page(tokens).add_if_fits(Renderer(_dry(refs), FULL).lines(snapshot.items)):
        return None
    return "\n".join(map(str, Renderer(namer(snapshot, refs), FULL).lines(snapshot.items)))


def namer(snapshot: Snapshot, refs: Refs, unsure: Unsure | None = None) -> Naming:
    """Return the function that gives refs their names to show.

    What is about something else than before is `unsure` where only a part of the page is told.
    """

    def name(raw: str, item: SnapshotItem) -> str:
        known = ShownElement(
            node_id=raw,
            role=item.role,
            name=item.name or (item.body if raw == item.place else ""),
            url=snapshot.url,
            version=item.place_version if raw == item.place else item.version,
            site=snapshot.site_of(raw),
            around=snapshot.surroundings.of(item),
        )
        is_about = bool(item.about) and raw != item.place
        if unsure is not None and is_about and refs.is_moved(known):
            unsure.append((known, item.about))
            return refs.seen(raw)
        return refs.show(known, main=snapshot.main)

    return name


def _from(
    page: _Page,
    snapshot: Snapshot,
    refs: Refs,
    name: Naming,
    items: list[SnapshotItem],
    view: View,
) -> list[str]:
    """Collect the overview, or with `ref` or `start` everything from there on."""
    small = snapshot.characters <= SURE * page.tokens
    full = EVERY if view.ref else FULL if view.start or small else None
    limits = full or _fitting(page.tokens, items, refs)
    renderer = Renderer(name, limits, urls=bool(view.ref))
    lines = renderer.lines(items, start=view.start)
    if snapshot.characters <= page.tokens:  # then it fits, and counting takes as long as writing
        page.lines.extend(map(str, lines))
        return []
    page.add_if_fits(lines)
    where = f" ref={view.shown}" if view.shown else ""
    if page.following is not None:
        return [f"… more: snapshot{where} start={page.following}"]
    if limits.ways:
        return [f"Left out: snapshot{where} start=N goes on there; snapshot text=… finds."]
    return []


def _dry(refs: Refs) -> Naming:
    """Name refs for a trial, which must not give out new ones."""
    return lambda raw, _: refs.seen(raw) or "e999"


def _fitting(tokens: int, items: list[SnapshotItem], refs: Refs) -> Limits:
    for limits in OVERVIEWS[:-1]:
        trial = _Page(tokens)
        if trial.add_if_fits(Renderer(_dry(refs), limits).lines(items)):
            return limits
    return OVERVIEWS[-1]


def _matching(page: _Page, name: Naming, items: list[SnapshotItem], view: View) -> list[str]:
    """Collect the lines that contain the text, with what they stand in."""
    matches = search(items, view.text)
    if not matches:
        if view.drawn:
            reads = "`text value=plain` reads it"
            return [f"No line contains {view.text!r}, but it is drawn on the page: {reads}."]
        if view.drawn is None:
            return [f"No line contains {view.text!r}."]
        where = f"in {view.shown}" if view.ref else "on the page"
        return [f"Nothing {where} contains {view.text!r}."]
    shown: set[int] = set()
    rest = [match for match in matches if match.item.number >= view.start]
    done = 0
    for match in rest:
        if not page.add_if_fits(_context(name, match, shown)):
            break
        done += 1
    notes = [f"{len(matches)} matching lines." if len(matches) > 1 else "1 matching line."]
    if done < len(rest):
        notes = [
            f"{len(matches)} matching lines; more: snapshot text=… start={rest[done].item.number}"
        ]
    elif len(matches) <= 3:
        notes = [f"To read on from the first: snapshot start={matches[0].item.number}"]
    return notes


def _context(name: Naming, match: Match, shown: set[int]) -> Iterator[Line]:
    renderer = Renderer(name, Limits(terms=match.shown_terms), urls=True)
    for depth, item in enumerate(match.path):
        above = match.path[depth - 1].children[0] if depth else item
        for part in (above, item) if above.label == COLUMNS else (item,):
            if part.number not in shown:
                shown.add(part.number)
                written = match.excerpt() if part is match.item else part
                yield Line(match.item.number, depth, renderer.line(written, way=True))


def _length(nodes: list[Node], versions: dict[str, int]) -> int:
    """Return how many characters the nodes have at most on their lines; collect their versions."""
    length = 0
    for node in nodes:
        if node.version:
            versions[node.ref or node.barred] = node.version
        length += EXTRA + len(node.name) + len(node.text) + len(node.placeholder)
        length += _length(node.children, versions)
    return length
