"""Hidden sheets, rows and columns of binary workbooks: xls (MS-CFB, MS-XLS), xlsb (MS-XLSB)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from strap.text import counted
from strap_http.extraction.files.comments_and_notes import Asides
from strap_http.extraction.files.parts import Parts

MOST = 4_194_304
"""Bytes of records that are looked at."""
MOST_SHEETS = 1_000
_LAST_COLUMN = 16_384
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENTRY = 128  # bytes of an entry of the directory
_STREAMS = ("workbook", "book")
"""Names of the stream that is a workbook, whose case says nothing (MS-CFB 2.6.4)."""
_SHEET, _BEGIN, _END, _ROW, _COLUMNS = 0x85, 0x809, 0x0A, 0x208, 0x7D
"""Records of xls (MS-XLS 2.3)."""
_SHEET_12, _ROW_12, _COLUMNS_12 = 156, 0, 60
"""Records of xlsb (MS-XLSB 2.3)."""


@dataclass(kw_only=True, slots=True)
class _Hidden:
    rows: int = 0
    columns: int = 0

    def __str__(self) -> str:
        rows = counted(self.rows, "row") if self.rows else ""
        columns = counted(self.columns, "column") if self.columns else ""
        return " and ".join(filter(None, (rows, columns)))

    def add_columns(self, first: int, last: int) -> None:
        if first <= last < _LAST_COLUMN:
            self.columns += last - first + 1


def of_ole(content: bytes) -> Asides:
    """Return what an xls file hides; nothing of other files."""
    notes, left = Asides(kind="workbook"), MOST
    try:
        book = _stream(content)[:MOST] if content.startswith(_OLE) else b""
        for at, is_shown, name in islice(_sheets(book), MOST_SHEETS):
            if not is_shown:
                notes.hidden.insert(0, f"sheet {name!r}")
                continue
            hides, end = _of_sheet(book, at, at + left)
            left -= max(end - at, 0)
            if hidden := str(hides):
                notes.hidden.append(f"of {name!r} {hidden}")
    except (struct.error, IndexError, UnicodeError):  # damaged: what was found stays
        pass
    return notes


def of_parts(parts: Parts) -> Asides | None:
    """Return what an xlsb file hides; None of other packages."""
    main = next(iter(parts.related("", "/officeDocument")), "")
    if not main.endswith(".bin"):
        return None
    notes, targets = Asides(kind="workbook"), parts.relations(main, "/worksheet")
    try:
        for kind, record in _records_12(parts.raw(main)):
            if kind != _SHEET_12:
                continue
            relation, at = _string_12(record, 8)
            name, _ = _string_12(record, at)
            if struct.unpack_from("<I", record)[0]:
                notes.hidden.insert(0, f"sheet {name!r}")
            elif hidden := str(_of_sheet_12(parts.raw(targets.get(relation, "")))):
                notes.hidden.append(f"of {name!r} {hidden}")
    except (struct.error, IndexError, UnicodeError):
        pass
    return notes


def _stream(content: bytes) -> bytes:
    """The bytes of the workbook in a compound file; empty if it has none (MS-CFB 2)."""
    size = 1 << min(struct.unpack_from("<H", content, 30)[0], 12)
    tables = [n for n in struct.unpack_from("<109I", content, 76) if (n + 2) * size <= len(content)]
    sectors = [
        struct.unpack_from(f"<{size // 4}I", content, (table + 1) * size) for table in tables
    ]
    following = [number for sector in sectors for number in sector]

    def chain(number: int) -> bytes:
        pieces, left = [], len(following)
        while number < len(following) and left:
            pieces.append(content[(number + 1) * size : (number + 2) * size])
            number, left = following[number], left - 1
        return b"".join(pieces)

    directory = chain(struct.unpack_from("<I", content, 48)[0])
    for at in range(0, len(directory) - _ENTRY + 1, _ENTRY):
        length = struct.unpack_from("<H", directory, at + 64)[0]
        name = directory[at : at + max(length - 2, 0)].decode("utf-16-le", "replace")
        if name.lower() in _STREAMS:
            return chain(struct.unpack_from("<I", directory, at + 116)[0])
    return b""


def _records(book: bytes, at: int = 0, until: int = MOST) -> Iterator[tuple[int, int, int]]:
    """The kind of each record up to the end of its part, where it is and how long."""
    while at + 4 <= min(len(book), until):
        kind, length = struct.unpack_from("<HH", book, at)
        if kind == _END:
            return
        yield kind, at + 4, length
        at += 4 + length


def _sheets(book: bytes) -> Iterator[tuple[int, bool, str]]:
    """Yield the offset of each sheet's part, whether it is shown, and its name (2.4.28)."""
    is_wide = False
    for kind, at, length in _records(book):
        if kind == _BEGIN:
            is_wide = struct.unpack_from("<H", book, at)[0] >= 0x600
        elif kind == _SHEET:
            part, state, _, size = struct.unpack_from("<IBBB", book, at)
            text = book[at + 7 : at + length]
            if is_wide:
                encoding = "utf-16-le" if text[0] & 1 else "latin-1"
                text = text[1 : 1 + size * (2 if text[0] & 1 else 1)]
            else:
                encoding = "cp1252"
            yield part, not state & 3, text.decode(encoding, "replace")


def _of_sheet(book: bytes, at: int, until: int) -> tuple[_Hidden, int]:
    """Return the rows and columns hidden in the part that begins at `at`, and its end."""
    hidden, place, length = _Hidden(), at, 0
    for kind, place, length in _records(book, at, until):
        if kind == _ROW and length >= 14:
            first, last = struct.unpack_from("<HH", book, place + 2)
            hidden.rows += first < last and bool(book[place + 12] & 0x20)
        elif kind == _COLUMNS and length >= 10 and book[place + 8] & 1:
            hidden.add_columns(*struct.unpack_from("<HH", book, place))
    return hidden, place + length


def _of_sheet_12(sheet: bytes) -> _Hidden:
    hidden = _Hidden()
    for kind, record in _records_12(sheet):
        if kind == _ROW_12:
            hidden.rows += bool(record[11] & 0x10) and struct.unpack_from("<I", record, 13)[0] > 0
        elif kind == _COLUMNS_12 and record[16] & 1:
            hidden.add_columns(*struct.unpack_from("<II", record))
    return hidden


def _records_12(part: bytes) -> Iterator[tuple[int, bytes]]:
    """The records of a part of xlsb, each with its kind (MS-XLSB 2.1.4)."""
    at = 0
    while at < min(len(part), MOST):
        kind, length, shift = part[at], 0, 0
        at += 1
        if kind & 0x80:
            kind, at = kind & 0x7F | (part[at] & 0x7F) << 7, at + 1
        while shift < 28:
            byte, at = part[at], at + 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        yield kind, part[at : at + length]
        at += length


def _string_12(record: bytes, at: int) -> tuple[str, int]:
    """A string, and where it ends (2.5.168)."""
    end = at + 4 + 2 * struct.unpack_from("<I", record, at)[0]
    return record[at + 4 : end].decode("utf-16-le", "replace"), end
