"""Refs: the short names by which a caller points at elements.

A ref is never given twice in a caller's session, whatever pages and profiles it has, so that one
from another page or an earlier document can never mean another element. What it stands for, the
document's id and the element's number in it (`page_script/accessibility/outline.js`), stays inside.
"""

import re
from collections.abc import Mapping
from dataclasses import field, replace
from threading import Lock

from strap import record

REF = re.compile(r"(?:f\d+)?e\d+")
MOST = 50_000
"""Refs remembered for a caller; the oldest are forgotten first."""


@record
class PageName:
    """Name of one of a caller's pages, which no other one ever gets."""

    profile: str = ""
    target_id: str = ""


@record
class ShownElement:
    """Element of a ref when it was last shown: `raw` is the page's own, `url` the page's.

    `version` counts how often the element had got another role or name by then.
    """

    node_id: str
    role: str
    name: str
    url: str
    version: int = 0
    page: PageName = PageName()
    site: str = ""
    """Scheme and host of the document that it is in, which may be that of a frame."""
    around: int | None = None
    """Surroundings of the element (`Surroundings`), None where others had its role and name."""


Unsure = list[tuple[ShownElement, str]]
"""Elements with another subject than when they were last shown, and that subject."""


@record(frozen=False)
class RefBook:
    """All refs that a caller was shown."""

    known: dict[str, ShownElement] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    """The refs, by the pages' own, which no two documents have in common."""
    frames: dict[str, str] = field(default_factory=dict)
    """Prefixes of refs in documents of frames."""
    count: int = 0
    lock: Lock = field(default_factory=Lock)
    """Held while refs are given: large pages are written in threads."""

    def add(self, known: ShownElement, *, main: str) -> str:
        """Give what is `known` the next ref; `main` is the id of the main document."""
        self.count += 1
        ref = f"{self._frame(known.node_id, main)}e{self.count}"
        self.shown[known.node_id] = ref
        self.known[ref] = known
        if len(self.known) > MOST:
            oldest = next(iter(self.known))
            self.shown.pop(self.known.pop(oldest).node_id, None)
        return ref

    def _frame(self, raw: str, main: str) -> str:
        own = document(raw)
        if own == main:
            return ""
        if own not in self.frames and len(self.frames) >= MOST:
            self.frames.clear()  # names alone: a ref is told from others by its number
        return self.frames.setdefault(own, f"f{len(self.frames) + 1}")


class Refs:
    """The refs that one page has shown, of all in the caller's `book`."""

    def __init__(self, book: RefBook | None = None, page: PageName | None = None) -> None:
        self._book = book or RefBook()
        self.page = page or PageName()

    def show(self, known: ShownElement, *, main: str) -> str:
        """Return the ref to show for `known`; `main` is the id of the main document."""
        known = replace(known, page=self.page)
        with self._book.lock:
            shown = self._book.shown.get(known.node_id)
            if shown is None:
                return self._book.add(known, main=main)
            self._book.known[shown] = known
            return shown

    def is_moved(self, known: ShownElement) -> bool:
        """Whether it is called as it was when it was last shown, and is about something else."""
        last = self._book.known.get(self.seen(known.node_id))
        if last is None or last.version == known.version:
            return False
        return (last.role, last.name) == (known.role, known.name)

    def follow(self, before: Mapping[str, int], after: Mapping[str, int]) -> None:
        """Note that all was told between two looks, by the versions of what the page shows."""
        for raw in before.keys() | after.keys():
            known = self._book.known.get(self.seen(raw))
            if known is not None and known.version == before.get(raw, 0):
                self._book.known[self.seen(raw)] = replace(known, version=after.get(raw, 0))

    def show_if_told(self, text: str, unsure: Unsure) -> str:
        """Note what is about something else where the text says what; return the text."""
        for known, about in unsure:
            if about and all(part in text for part in about.splitlines()):
                self._book.known[self.seen(known.node_id)] = replace(known, page=self.page)
        return text

    def seen(self, raw: str) -> str:
        """Return the ref that was shown for the page's own, "" if none was."""
        return self._book.shown.get(raw, "")

    def get(self, ref: str) -> ShownElement | None:
        """Return what `ref` stood for, on this page or another, if it was ever shown."""
        return self._book.known.get(ref)

    def tell(self, ref: str, *, role: str, name: str, version: int) -> None:
        """Note that the caller is told what the element of `ref` is called now."""
        known = self._book.known[ref]
        self._book.known[ref] = replace(known, role=role, name=name, version=version)


def document(raw: str) -> str:
    """Return the id of the document that an element is in."""
    return raw.rpartition(".")[0]
