"""Outcome of a call: where it led, what appeared, what was sent."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from urllib.parse import urlsplit

from strap.evidence.redaction import without_secrets
from strap.targets.grammar import Target
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.targets.fitting import is_heading, roles_of
from strap_browser.interaction.targets.naming import part_of
from strap_browser.pages.call_log import NOTE, Outcome
from strap_browser.snapshot.diff import SnapshotDiff
from strap_browser.snapshot.items import CONTROLS, UNSEEN, SnapshotItem, is_icon_name
from strap_browser.snapshot.roles import VALUED
from strap_browser.snapshot.snapshot import Snapshot

MOST_TEXTS, MOST_ITEMS, MOST_SENT = 5, 200, 5
LONGEST = 80
"""Characters of a text that is waited for: longer ones are told by no one line."""
SHORTEST = 2
SAYING = frozenset(("alert", "status", "alertdialog", "log"))
"""Roles of what tells a person how it went."""
_LETTERS = re.compile(r"[^\W\d_]")


def place_of(state: PageState) -> str:
    """Return the path of the page's address, with that of a page that routes by itself."""
    with suppress(ValueError):
        url = urlsplit(state.tab.page.url)
        inner = f"#{url.fragment}" if url.fragment.startswith(("/", "!")) else ""
        return without_secrets(state.tab.secrets.hide(url.path + inner))
    return ""


def note_place(state: PageState) -> None:
    """Note where the page is when a call begins to act on it."""
    if (note := NOTE.get()) is not None:
        note.path = place_of(state)


def note_outcome(
    state: PageState,
    after: Snapshot | None,
    *,
    changes: Sequence[SnapshotDiff],
    restless: Iterable[str],
    navigated: bool,
    began: float,
) -> None:
    """Note what an action came to; `after` is the page then, where that is known."""
    note = NOTE.get()
    if note is None:
        return
    path = place_of(state)
    if navigated:
        items: Iterable[SnapshotItem] = _headings(after)
    else:
        items = _appeared(changes)
    known, ever = [*islice(items, MOST_ITEMS)], frozenset(restless)
    texts = dict.fromkeys(text for item in known for text in _texts(item) if text not in ever)
    ranked = sorted(texts, key=_says_little)
    sent = state.tab.records.sent_since(began)
    answered = (item.request for item in sent if item.status is not None)
    requests = dict.fromkeys(
        f"{exchange.method} {urlsplit(exchange.url).path}" for exchange in answered
    )
    hide = state.tab.secrets.hide
    note.outcome = Outcome(
        path=path if navigated or path != note.path else "",
        texts=ranked[:MOST_TEXTS],
        shown=next(map(_target, filter(_is_told, known)), ""),
        requests=[without_secrets(hide(request)) for request in requests][:MOST_SENT],
    )


def _headings(after: Snapshot | None) -> Iterator[SnapshotItem]:
    return filter(is_heading, after.surroundings.order if after is not None else ())


def _appeared(changes: Sequence[SnapshotDiff]) -> Iterator[SnapshotItem]:
    new: list[SnapshotItem] = []
    for change in changes:
        if change.sign == "+":
            new += islice(change.item.walk(), MOST_ITEMS)
        elif change.sign == "~" and change.item.role not in VALUED:
            new.append(change.item)
    shown = [item for item in new[:MOST_ITEMS] if UNSEEN not in item.states.split()]
    return iter(sorted(shown, key=_rank))


def _rank(item: SnapshotItem) -> int:
    """Sort what tells a person how it went first, then headings: old ones may come back."""
    return 0 if not roles_of(item).isdisjoint(SAYING) else 1 if is_heading(item) else 2


def _texts(item: SnapshotItem) -> Iterator[str]:
    """Yield the texts of an item that the page shows, as `wait` looks for them."""
    texts = [] if item.role in VALUED else [item.body]
    if is_heading(item):
        texts.append(item.name)
    for text in texts:
        line = " ".join(text.split())
        is_fit = SHORTEST <= len(line) <= LONGEST and "•" not in line
        if is_fit and _LETTERS.search(line) and not is_icon_name(line):
            yield line


def _says_little(text: str) -> bool:
    """Sort texts with digits last: they may be times or numbers of this run."""
    return any(sign.isdigit() for sign in text)


def _is_told(item: SnapshotItem) -> bool:
    return bool(item.name) and (item.role in CONTROLS or item.role in ("dialog", "alertdialog"))


def _target(item: SnapshotItem) -> str:
    return str(Target(element=part_of(item)))
