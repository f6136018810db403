"""Refs: the short names by which a caller points at elements.

A ref is never given twice in the life of a page, so that one from an earlier document can never
mean another element. What it stands for, the document's id and the element's number in it
(`page/outline.js`), stays inside.
"""

import re
from dataclasses import dataclass

REF = re.compile(r"(?:f\d+)?e\d+")
MOST = 50_000
"""Refs remembered for a page; the oldest are forgotten first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What a ref stood for when it was shown: `raw` is the page's own, `url` the page's."""

    raw: str
    role: str
    name: str
    url: str


class Refs:
    """The refs that one page has shown."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._shown: dict[str, str] = {}
        self._frames: dict[str, str] = {}
        self._count = 0

    def show(self, known: Known, *, main: str) -> str:
        """Return the ref to show for `known`; `main` is the id of the main document."""
        shown = self._shown.get(known.raw)
        if shown is not None:
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
        """Return the ref that was shown for the page's own, "" if none was."""
        return self._shown.get(raw, "")

    def get(self, ref: str) -> Known | None:
        """Return what `ref` stood for, if it was ever shown."""
        return self._known.get(ref)

    def _frame(self, raw: str, main: str) -> str:
        own = document(raw)
        if own == main:
            return ""
        return self._frames.setdefault(own, f"f{len(self._frames) + 1}")


def document(raw: str) -> str:
    """Return the id of the document that an element is in."""
    return raw.rpartition(".")[0]
