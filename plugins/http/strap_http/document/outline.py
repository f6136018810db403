"""`value=outline`: the headings of a document, each with the `start` to read on from."""

import re
from collections.abc import Iterator
from dataclasses import replace

from strap.text import counted
from strap_http.document.document_cache import Document

_HEADING = re.compile(r"#{1,6} +\S.*")
_PAGE = re.compile(r"\[Page \d+ of \d+\]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NONE = "No headings. Read it without value, or give text to find passages."


def outline(document: Document) -> Document:
    """Return the headings of `document`, or the pages of one that is numbered by page."""
    headings = [f"[start={start}] {line}" for start, line in _headings(document.text)]
    around = ", of the main part alone" if document.partial else ""
    number = counted(len(headings), "heading")
    size = counted(len(document.text), "character")
    summary = f"{number} in {size}{around}; without value, start reads on."
    head = f"{document.head}\n{summary}" if headings else document.head
    return replace(document, head=head, text="\n".join(headings) or _NONE, partial=False)


def _headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each heading is, and its line; what is in fenced code is none."""
    at, fence = 0, ""
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif opening:
            fence = opening.group(1)
        elif _HEADING.match(line) or _PAGE.fullmatch(line.rstrip()):
            yield at, line.rstrip()
        at += len(line)
