"""Refs: the short names by which a caller points at elements.

A ref is never given twice in the life of a page, so that one from an earlier document can never
mean another element. Playwright's own refs count from 1 in every document and carry the number of
the document's generation; they stay inside.
"""

import re
from dataclasses import dataclass

REF = re.compile(r"(?:f\d+)?e\d+")
_FRAME = re.compile(r"f\d+")
MOST = 50_000
"""Refs remembered for a page; the oldest are forgotten first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What a ref stood for when it was shown: `raw` is Playwright's ref, `url` the document's.

    Playwright counts anew in each document of a frame, with nothing to tell them by: `moves` is
    how often frames had gone to another document by then, None in the main document.
    """

    raw: str
    role: str
    name: str
    url: str
    moves: int | None = None

    def fits(self, role: str, name: str) -> bool:
        """Whether an element of that role and name may be the one."""
        return (self.role, self.name) == (role, name)


class Refs:
    """The refs that one page has shown."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._shown: dict[str, str] = {}
        self._frames: dict[str, str] = {}
        self._count = 0

    def show(self, known: Known, *, main: str) -> str:
        """Return the ref to show for `known`; `main` is the generation of the main frame."""
        shown = self._shown.get(known.raw)
        if shown is not None and not _replaced(self._known[shown], known):
            self._known[shown] = known
            return shown
        self._count += 1
        shown = f"{self._frame(known.raw, main)}e{self._count}"
        self._shown[known.raw] = shown
        self._known[shown] = known
        if len(self._known) > MOST:
            oldest = next(iter(self._known))
            raw = self._known.pop(oldest).raw
            if self._shown.get(raw) == oldest:
                del self._shown[raw]
        return shown

    def seen(self, raw: str) -> str:
        """Return the ref that was shown for Playwright's, "" if none was."""
        return self._shown.get(raw, "")

    def get(self, ref: str) -> Known | None:
        """Return what `ref` stood for, if it was ever shown."""
        return self._known.get(ref)

    def _frame(self, raw: str, main: str) -> str:
        own = generation(raw)
        if own == main:
            return ""
        return self._frames.setdefault(own, f"f{len(self._frames) + 1}")


def _replaced(old: Known, new: Known) -> bool:
    """Whether a frame has another document by now, with another element under the same raw ref."""
    return old.moves != new.moves and not old.fits(new.role, new.name)


def generation(raw: str) -> str:
    """Return the document's part of one of Playwright's refs: `f2` of `f2e5`, "" of `e5`."""
    match = _FRAME.match(raw)
    return match[0] if match else ""
