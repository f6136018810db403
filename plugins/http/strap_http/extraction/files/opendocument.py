"""OpenDocument: comments, charts, headers, the name of a sheet (OASIS, version 1.3)."""

import posixpath
from collections.abc import Iterator
from itertools import islice
from typing import Any

from strap_http.extraction.files.asides import LONGEST, MOST, Asides, Comment, table
from strap_http.extraction.files.parts import Parts

CONTENT, STYLES = "content.xml", "styles.xml"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_ANNOTATION = "{*}annotation"
_AROUND = (f"{_TEXT}p", f"{_TEXT}h", f"{_TABLE}table-cell")
"""What a comment is about."""
_ASIDES = (b":annotation", b":object ", b":spreadsheet", b":ruby")
"""What may be in a text that is looked for here: the others are not taken apart."""
_MARGINS = tuple(
    f"{{*}}{name}{pages}" for name in ("header", "footer") for pages in ("", "-first", "-left")
)
_COUNTED_WORDS = 4
"""Words of a line that has a page's number and nothing to say: "Page 1 of 3"."""
MOST_ROWS, MOST_COLUMNS = 1_000, 50
"""What is shown of the numbers of a chart."""


def asides(parts: Parts) -> Asides | None:
    """Return what the document says beside its text; None if it is of another kind.

    Comments are taken out of its text, where they would stand in the middle of sentences.
    """
    source = parts.raw(CONTENT)
    if not source:
        return None
    found = Asides()
    root = parts.parsed(source) if any(mark in source for mark in _ASIDES) else None
    if root is not None:
        found.comments += _comments(root)
        if _with_readings(root) or found.comments:
            parts.change(CONTENT, root)
        for book in root.iter("{*}spreadsheet"):
            sheets = book.iterchildren(f"{_TABLE}table")
            found.sheets += (str(sheet.get(f"{_TABLE}name")) for sheet in sheets)
        if not found.sheets:  # they show cells, which are read
            charts = (_chart(parts, each) for each in root.iter("{*}object"))
            found.charts += filter(None, charts)
    if b":presentation>" not in source:
        found.margins.update(dict.fromkeys(_margins(parts.xml(STYLES))))
    return found


def _with_readings(root: Any) -> bool:
    """Put each reading into brackets behind what it reads."""
    readings = list(root.iter(f"{_TEXT}ruby-text"))
    for reading in readings:
        reading.text = f"({reading.text or ''})"
    return bool(readings)


def _comments(root: Any) -> list[Comment]:
    """Take the comments out of the text."""
    from lxml import etree  # type: ignore[import-untyped]

    found = []
    for annotation in root.iter(_ANNOTATION):
        sheet = next(annotation.iterancestors(f"{_TABLE}table"), None)
        place = str(sheet.get(f"{_TABLE}name", "")) if sheet is not None else ""
        author = next((each.text or "" for each in annotation.iterchildren("{*}creator")), "")
        text = " ".join(_said(each) for each in islice(annotation.iter(f"{_TEXT}p"), MOST))
        around = next(annotation.iterancestors(*_AROUND), None)
        found.append((Comment(text=text[:LONGEST], author=author, place=place), around))
    etree.strip_elements(root, _ANNOTATION, with_tail=False)
    places = {around for _, around in found[:MOST] if around is not None}
    about = {around: _said(around) for around in places}
    for comment, around in found:
        comment.about = about.get(around, "")
    return [comment for comment, _ in found]


def _chart(parts: Parts, element: Any) -> str:
    """The numbers of a chart as a table, under its kind and its title."""
    folder = posixpath.normpath(str(element.get(_LINK) or ""))
    root = parts.xml(f"{folder}/{CONTENT}") if folder != "." else None
    chart = next(root.iter(f"{_CHART}chart"), None) if root is not None else None
    if chart is None:
        return ""
    kind = str(chart.get(f"{_CHART}class")).rpartition(":")[2]
    title = " ".join(_said(each) for each in chart.iterchildren(f"{_CHART}title"))
    rows = [_cells(row) for row in islice(chart.iter(f"{_TABLE}table-row"), MOST_ROWS)]
    return "\n\n".join(
        filter(None, (f"{kind.capitalize()} chart: {title}".rstrip(": "), table(rows)))
    )


def _cells(row: Any) -> list[str]:
    return [_said(cell) for cell in islice(row.iterchildren(f"{_TABLE}table-cell"), MOST_COLUMNS)]


def _margins(styles: Any) -> Iterator[str]:
    """Headers and footers of texts and sheets, but what only counts pages."""
    masters = styles.iter("{*}master-page") if styles is not None else ()
    for margin in (margin for master in masters for margin in master.iterchildren(*_MARGINS)):
        line = " ".join(filter(None, (_said(each) for each in margin.iter(f"{_TEXT}p"))))
        field = next(margin.iter(f"{_TEXT}page-number", f"{_TEXT}sheet-name"), None)
        if line and (field is None or len(line.split()) > _COUNTED_WORDS):
            yield line


def _said(element: Any) -> str:
    pieces, left = list[str](), LONGEST
    for piece in element.itertext():
        pieces.append(piece[:left])
        left -= len(pieces[-1])
        if not left:
            break
    return " ".join("".join(pieces).split())
