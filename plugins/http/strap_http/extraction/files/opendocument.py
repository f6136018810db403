"""OpenDocument: comments, charts, headers, the name of a sheet (OASIS, version 1.3)."""

import posixpath
from collections.abc import Iterator
from itertools import islice
from typing import Any

from strap.text import counted
from strap_http.extraction.files.comments_and_notes import Asides, Comment, table
from strap_http.extraction.files.hidden_text import without_opendocument
from strap_http.extraction.files.parts import Parts

CONTENT, STYLES = "content.xml", "styles.xml"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_ANNOTATION = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}annotation"
_DRAWN = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}*"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_CELL = f"{_TABLE}table-cell"
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_BLANKS = dict.fromkeys(
    (*_PARAGRAPHS, *(f"{_TEXT}{name}" for name in ("tab", "line-break", "s"))), " "
)
"""Text for elements that have none of their own; paragraphs get it at both ends."""
_LINK = "{http://www.w3.org/1999/xlink}href"
_ASIDES = (b":annotation", b":object ", b":spreadsheet", b":ruby", b":text-box")
_HIDES = (b":hidden-", b'display="none"', b'display="condition"')
"""Marks of hidden text; a file without these and those of `_ASIDES` is not parsed."""
_MARGINS = tuple(
    f"{{*}}{name}{pages}" for name in ("header", "footer") for pages in ("", "-first", "-left")
)
_COUNTED_WORDS = 4
"""Words of a line that has a page's number and nothing to say: "Page 1 of 3"."""
MOST_ROWS, MOST_COLUMNS = 1_000, 50
"""Most rows and columns of a chart's numbers that are shown."""
MOST_CHARTS = 1_000


def asides(parts: Parts) -> Asides | None:
    """Return what stands beside the text, taking comments out of it; None for another kind."""
    source = parts.raw(CONTENT)
    if not source:
        return None
    notes = Asides()
    styles = parts.raw(STYLES)
    is_hiding = any(mark in part for mark in _HIDES for part in (source, styles))
    is_looked_at = is_hiding or any(mark in source for mark in _ASIDES)
    root = parts.parsed(source) if is_looked_at else None
    if root is not None:
        words = without_opendocument(root, parts.parsed(styles)) if is_hiding else 0
        notes.hidden += [counted(words, "word")] if words else []
        is_changed = _with_readings(root) | _with_frames(root) | is_hiding
        notes.add(_comments(root))
        if _without_comments(root) or is_changed:
            parts.change(CONTENT, root)
        for book in root.iter("{*}spreadsheet"):
            sheets = book.iterchildren(f"{_TABLE}table")
            notes.sheets += (str(sheet.get(f"{_TABLE}name")) for sheet in sheets)
        if not notes.sheets:  # they show cells, which are read
            charts = islice(root.iter("{*}object"), MOST_CHARTS)
            notes.charts += filter(None, (_chart(parts, chart) for chart in charts))
    if b":presentation>" not in source:
        notes.margins.update(dict.fromkeys(_margins(parts.parsed(styles))))
    return notes


def _with_readings(root: Any) -> bool:
    readings = list(root.iter(f"{_TEXT}ruby-text"))
    for reading in readings:
        reading.text = f"({reading.text or ''})"
    return bool(readings)


def _with_frames(root: Any) -> bool:
    """Put each frame that stands on a page into a paragraph: it is not read else."""
    texts = root.iterfind("{*}body/{*}text")
    frames = [frame for text in texts for frame in text.iterchildren(_DRAWN)]
    for frame in frames:
        paragraph = frame.makeelement(f"{_TEXT}p")
        frame.addprevious(paragraph)
        paragraph.append(frame)
    return bool(frames)


def _comments(root: Any) -> Iterator[Comment]:
    """The comments, but those in what was deleted, which is kept beside the text (5.5.1)."""
    from lxml import etree  # type: ignore[import-untyped]

    cells: dict[Any, str] = {}
    tags = (_ANNOTATION, f"{_TEXT}tracked-changes")
    walk = etree.iterwalk(root, events=("start",), tag=tags)
    for _, element in walk:
        walk.skip_subtree()
        if element.tag == _ANNOTATION:
            around = next(element.iterancestors(*_PARAGRAPHS, _CELL), None)
            if around is not None and around not in cells:
                cells[around] = _text_of(around)
            yield _comment(element, cells.get(around, ""))


def _comment(annotation: Any, about: str) -> Comment:
    tables = annotation.iterancestors(f"{_TABLE}table")
    place = next((str(holder.get(f"{_TABLE}name")) for holder in tables), "")
    author = next((creator.text or "" for creator in annotation.iterchildren("{*}creator")), "")
    text = " ".join(_text_of(paragraph) for paragraph in annotation.iterchildren(f"{_TEXT}*"))
    return Comment(text=text, author=author, place=place, about=about)


def _without_comments(root: Any) -> bool:
    """Take the comments out of the text, where they would stand in the middle of sentences."""
    from lxml import etree

    has_some = next(root.iter(_ANNOTATION), None) is not None
    etree.strip_elements(root, _ANNOTATION, with_tail=False)
    return has_some


def _chart(parts: Parts, element: Any) -> str:
    folder = posixpath.normpath(str(element.get(_LINK) or ""))
    root = parts.xml(f"{folder}/{CONTENT}") if folder != "." else None
    chart = next(root.iter(f"{_CHART}chart"), None) if root is not None else None
    if chart is None:
        return ""
    kind = str(chart.get(f"{_CHART}class")).rpartition(":")[2]
    title = " ".join(_text_of(paragraph) for paragraph in chart.iterchildren(f"{_CHART}title"))
    rows = [_cells(row) for row in islice(chart.iter(f"{_TABLE}table-row"), MOST_ROWS)]
    return "\n\n".join(
        filter(None, (f"{kind.capitalize()} chart: {title}".rstrip(": "), table(rows)))
    )


def _cells(row: Any) -> list[str]:
    return [_text_of(cell) for cell in islice(row.iterchildren(_CELL), MOST_COLUMNS)]


def _margins(styles: Any) -> Iterator[str]:
    """Headers and footers of texts and sheets, but what only counts pages."""
    masters = styles.iter("{*}master-page") if styles is not None else ()
    for margin in (margin for master in masters for margin in master.iterchildren(*_MARGINS)):
        line = _text_of(margin)
        field = next(margin.iter(f"{_TEXT}page-number", f"{_TEXT}sheet-name"), None)
        if line and (field is None or len(line.split()) > _COUNTED_WORDS):
            yield line


def _text_of(root: Any) -> str:
    """The text of it, but not of paragraphs in a paragraph, as in a frame, or cells in a cell."""
    from lxml import etree

    apart = {_ANNOTATION, f"{_TEXT}note"}
    apart.update(next((kind for kind in (_PARAGRAPHS, (_CELL,)) if root.tag in kind), ()))
    pieces: list[str] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        blank = _BLANKS.get(element.tag, "")
        if event == "end":
            pieces += (blank, (element.tail or "") if element is not root else "")
        elif element.tag in apart and element is not root:
            walk.skip_subtree()
        else:
            pieces += (blank, element.text or "")
    return " ".join("".join(pieces).split())
