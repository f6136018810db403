"""Plain text of a document as other libraries read it: `python readings.py FILE`.

Run by an environment of its own, which has them: pandoc and python-docx, openpyxl, python-pptx,
odfpy. What somebody sees who opens the file is read, with comments, notes, headers and names of
sheets, and nothing that is hidden.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NEEDS = ("pypandoc_binary", "python-docx>=1.2", "openpyxl", "python-pptx", "odfpy")


def read(path: Path) -> Iterator[str]:
    kind = path.suffix[1:].lower()
    if kind in ("docx", "odt", "epub"):
        import pypandoc  # type: ignore[import-not-found,unused-ignore]

        yield pypandoc.convert_file(str(path), "plain", extra_args=["--wrap=none"])
    if kind in _BESIDE:
        yield from _BESIDE[kind](path)


def _word(path: Path) -> Iterator[str]:
    import docx

    document = docx.Document(str(path))
    yield from (comment.text for comment in document.comments)
    for section in document.sections:
        margins: list[Any] = [section.header, section.footer]
        if section.different_first_page_header_footer:
            margins += [section.first_page_header, section.first_page_footer]
        yield from (line.text for margin in margins for line in margin.paragraphs)


def _excel(path: Path) -> Iterator[str]:
    import openpyxl  # type: ignore[import-not-found,import-untyped,unused-ignore]

    book = openpyxl.load_workbook(str(path), data_only=True)
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible":
            yield sheet.title
            for cell in (cell for row in sheet.iter_rows() for cell in row):
                if isinstance(cell.value, str):  # numbers and dates are formatted, each its way
                    yield cell.value
                if cell.comment is not None:
                    yield cell.comment.text


def _powerpoint(path: Path) -> Iterator[str]:
    import pptx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    for slide in pptx.Presentation(str(path)).slides:
        yield from _shapes(slide.shapes)
        if slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame.text


def _shapes(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        yield from _shapes(getattr(shape, "shapes", ()))
        if shape.has_text_frame:
            yield shape.text_frame.text
        if getattr(shape, "has_table", False):
            yield from (cell.text for row in shape.table.rows for cell in row.cells)


def _open(path: Path) -> Iterator[str]:
    from odf import opendocument, teletype  # type: ignore[import-not-found,unused-ignore]
    from odf.table import Table  # type: ignore[import-not-found,unused-ignore]
    from odf.text import P  # type: ignore[import-not-found,unused-ignore]

    body = opendocument.load(str(path)).body
    yield from (str(sheet.getAttribute("name")) for sheet in body.getElementsByType(Table))
    yield from map(teletype.extractText, body.getElementsByType(P))


_BESIDE = {"docx": _word, "xlsx": _excel, "pptx": _powerpoint, "ods": _open, "odp": _open}

if __name__ == "__main__":
    print("\n".join(read(Path(sys.argv[1]))))
