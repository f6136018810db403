"""The lines of an outline: what stands on them, and what is folded where there is too much."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from strap import record
from strap_browser.common.text import quoted
from strap_browser.snapshot.items import LINE, SnapshotItem

SPARE = 2
"""So many more than the limit are shown rather than folded: the note would cost as much."""
COLUMNS = "columns"
SIGNS = ("-", ".")
"""Ends of what stands before an item of a list."""
"""Label of the line with the headings of a table: it is repeated wherever one goes on."""
LONGEST_URL = 200
PLURAL = {"-": "items", "text": "texts", "clickable": "clickables"}


@record
class Limits:
    """How much of a list, in items, and of a text, in characters, is shown; None: all of it."""

    siblings: int | None = None
    characters: int | None = None

    ways: bool = False
    """Whether containers show their refs, by which their content can be asked for."""
    terms: tuple[str, ...] | None = None
    """Words whose items show their refs, whatever they are; () for all items."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a snapshot; `number` is where to start to see it again."""

    number: int
    depth: int
    text: str

    def __str__(self) -> str:
        return "  " * self.depth + self.text


class Renderer:
    """Writes items as lines; `name` turns the page's own ref into the one to show.

    With `urls` links tell where they lead.
    """

    def __init__(
        self, name: Callable[[str, SnapshotItem], str], limits: Limits, *, urls: bool = False
    ) -> None:
        self._name = name
        self._limits = limits
        self._urls = urls

    def lines(self, items: list[SnapshotItem], *, start: int = 0, depth: int = 0) -> Iterator[Line]:
        """Yield the lines of what is numbered `start` or higher, below those it stands in."""
        left = [item for item in items if item.end > start]
        if left and items[0].label == COLUMNS and left[0] is not items[0]:
            yield Line(start, depth, self.line(items[0]))
        for run in _runs(left):
            shown = self._unfolded(run)
            for item in run[:shown]:
                if line := self.line(item):  # an empty cell outside of a row has none
                    yield Line(item.number, depth, line)
                if not item.separator:
                    yield from self.lines(item.children, start=start, depth=depth + 1)
            if shown < len(run):
                yield Line(run[shown].number, depth, _fold(run[shown:]))

    def line(self, item: SnapshotItem, *, way: bool = False) -> str:
        """Write one item, with the children that stand on its line."""
        if item.role == LINE:
            return self._cut(item.body)
        named = way and bool(item.name) and not item.separator
        head = self._head(item, way=named or (not item.is_inline and (way or self._limits.ways)))
        rest = self._rest(item)
        if not rest:
            return head
        is_sign = head == item.label and item.label.endswith(SIGNS)
        return f"{head} {rest}" if is_sign else f"{head}: {rest}"

    def _head(self, item: SnapshotItem, *, way: bool) -> str:
        ref = item.ref or (item.container if way else "") or self._place(item)
        parts = (
            item.label or (item.role if ref else ""),
            quoted(self._cut(item.name)),
            self._name(ref, item) if ref else "",
            item.told_states,
            f"-> {item.url[:LONGEST_URL]}" if self._urls and item.url else "",
        )
        return " ".join(part for part in parts if part)

    def _place(self, item: SnapshotItem) -> str:
        """Return the page's own ref of what shows none but where it is asked for."""
        terms = self._limits.terms
        if terms is None:
            return ""
        own = _own_text(item) if terms else ""
        return item.any_ref if not terms or any(term in own for term in terms) else ""

    def _rest(self, item: SnapshotItem) -> str:
        body = self._cut(item.body)
        if not item.separator:
            return body
        if item.separator == ", ":
            options = self._inside(item)
            return f"{body} ({options})".strip() if options else body
        inside = self._inside(item)
        return f"{body} {inside}" if body else inside

    def _inside(self, item: SnapshotItem) -> str:
        pieces: list[str] = []
        room = self._limits.characters
        most = self._limits.siblings if item.separator == ", " else None
        for index, child in enumerate(item.children):
            if (most is not None and index >= most + SPARE) or (
                item.separator == " " and room is not None and room <= 0
            ):
                pieces.append(_more(item.children[index:], pieces[-1]))
                break
            pieces.append(self._piece(child, item.separator))
            room = room - len(pieces[-1]) if room is not None else None
        return item.separator.join(pieces).rstrip()

    def _piece(self, child: SnapshotItem, separator: str) -> str:
        if child.kind == "option" and not child.ref:
            return child.name
        if (child.is_text or not child.label) and not (child.ref or self._place(child)):
            marks = f"({child.told_states}) " if child.states else ""
            return f"{marks}{self._rest(child)}".rstrip()
        text = self.line(child)
        return f"[{text}]" if separator == " " else text

    def _cut(self, text: str) -> str:
        most = self._limits.characters
        if most is None or len(text) <= most + most // 4:
            return text
        return text[:most].rsplit(" ", 1)[0] + "…"

    def _unfolded(self, run: list[SnapshotItem]) -> int:
        most = self._limits.siblings
        if most is None or not run[0].kind or len(run) <= most + SPARE:
            return len(run)
        return most


def _own_text(item: SnapshotItem) -> str:
    parts = item.walk() if item.separator else (item,)
    return " ".join(f"{part.name} {part.body}" for part in parts).casefold()


def _runs(items: list[SnapshotItem]) -> Iterator[list[SnapshotItem]]:
    for _, run in groupby(items, key=lambda item: item.kind):
        yield list(run)


def _fold(hidden: list[SnapshotItem]) -> str:
    counts = Counter(item.label.split()[0] for item in hidden)
    words = ", ".join(f"{count:,} more {_plural(label)}" for label, count in counts.items())
    return f"… {words} (start={hidden[0].number})"


def _plural(label: str) -> str:
    return PLURAL.get(label) or label + ("es" if label.endswith("x") else "s")


def _more(hidden: list[SnapshotItem], before: str) -> str:
    options = sum(1 for item in hidden if item.kind == "option")
    refs = sum(1 for item in hidden for inner in item.walk() if inner.ref)
    if options or refs:
        word = f"{options} options" if options else f"{refs} ref{'s' * (refs > 1)}"
        return f"+{word} (start={hidden[0].number})"
    return "" if before.endswith("…") else "…"
