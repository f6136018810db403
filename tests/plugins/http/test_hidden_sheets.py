"""Hidden parts of binary workbooks are told, though the reader of their cells omits them."""

import struct
import time

import pytest

from strap_http.extraction.files import binary_sheets
from strap_http.extraction.files.binary_sheets import of_ole, of_parts
from strap_http.extraction.files.office import convert
from strap_http.extraction.files.parts import Parts
from tests.plugins.http.documents import package

END, FREE = 0xFFFFFFFE, 0xFFFFFFFF


def record(kind, *fields):
    body = b"".join(fields)
    return struct.pack("<HH", kind, len(body)) + body


def part(*rows):
    begin = record(0x809, struct.pack("<HH", 0x600, 0x10), bytes(12))
    return begin + b"".join(rows) + record(0x0A)


def row(number, *, cells, hidden):
    return record(0x208, struct.pack("<3H6xHH", number, 0, cells, 0x20 if hidden else 0, 0))


def columns(first, last):
    return record(0x7D, struct.pack("<5H2x", first, last, 8, 0, 1))


def workbook(**sheets):
    """The stream of a workbook: by its name each sheet has its state and its part."""
    globals_ = part(*(record(0x85, bytes(8), name.encode()) for name in sheets))
    at, entries, parts = len(globals_), [], []
    for name, (state, content) in sheets.items():
        entries.append(
            record(0x85, struct.pack("<IBBBB", at, state, 0, len(name), 0), name.encode())
        )
        parts.append(content)
        at += len(content)
    return part(*entries) + b"".join(parts)


def xls(book, name="Workbook"):
    """A compound file with that stream alone (MS-CFB 2)."""
    book = book.ljust(4_096, b"\0")
    book += bytes(-len(book) % 512)
    count = len(book) // 512
    head = struct.pack(
        "<8s16x5H6x9I",
        *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6),
        *(0, 1, 1, 0, 4096, END, 0, END, 0),
    )
    chain = [*range(3, count + 2), END]
    table = struct.pack("<128I", 0xFFFFFFFD, END, *chain, *[FREE] * (126 - count))
    name = name.encode("utf-16-le")
    stream = struct.pack(
        "<64sHBBIII36xIQ", name, len(name) + 2, 2, 1, FREE, FREE, FREE, 2, len(book)
    )
    root = struct.pack("<64sHBBIII36xIQ", b"R\0", 4, 5, 1, FREE, FREE, 1, END, 0)
    return (
        head
        + struct.pack("<109I", 0, *[FREE] * 108)
        + table
        + (root + stream).ljust(512, b"\0")
        + book
    )


SHOWN = part(row(0, cells=2, hidden=False), row(1, cells=2, hidden=True), columns(3, 5))
BOOK = workbook(Prices=(0, SHOWN), Costs=(1, part()), Secret=(2, part()), Empty=(0, part()))


@pytest.mark.parametrize("name", ["Workbook", "WORKBOOK", "Book"])
def test_what_an_xls_file_hides_is_told(name):
    assert of_ole(xls(BOOK, name)).hidden == [
        "sheet 'Secret'",
        "sheet 'Costs'",
        "of 'Prices' 1 row and 3 columns",
    ]


def test_rows_without_cells_and_blank_columns_hide_nothing():
    book = workbook(A=(0, part(row(0, cells=0, hidden=True), columns(9, 20_000))))
    assert of_ole(xls(book)).hidden == []


@pytest.mark.parametrize("at", [0, 30, 48, 76, 512, 1_030, 1_024 + 128 + 116, 1_536, 1_545])
@pytest.mark.parametrize("odd", [b"\xff" * 8, b"\0" * 8, b"\x05\0\0\0\x05\0\0\0"])
def test_a_damaged_workbook_comes_to_an_end(at, odd):
    content = xls(BOOK)
    assert isinstance(of_ole(content[:at] + odd + content[at + 8 :]).hidden, list)
    assert isinstance(of_ole(content[:at]).hidden, list)


def test_parts_that_say_the_same_again_and_again_are_not_read_each_time(monkeypatch):
    long = b"".join(row(n % 60_000, cells=1, hidden=True) for n in range(180_000))
    entries = [record(0x85, struct.pack("<IBBBB", 20, 0, 0, 1, 0), b"A") for _ in range(900)]
    monkeypatch.setattr(binary_sheets, "_stream", lambda _: part(*entries, long))
    started = time.process_time()
    assert of_ole(xls(BOOK)).hidden
    assert time.process_time() - started < 2


def record_12(kind, body):
    number = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([len(body)]) + body


def string_12(text):
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def xlsb(**sheets):
    """A package with these sheets: by its name each has its state and its part."""
    relation = '<Relationship Id="{}" Type="http://x/relationships/{}" Target="{}"/>'
    listed = b"".join(
        record_12(156, struct.pack("<II", state, n) + string_12(f"r{n}") + string_12(name))
        for n, (name, (state, _)) in enumerate(sheets.items())
    )
    targets = "".join(
        relation.format(f"r{n}", "worksheet", f"s{n}.bin") for n in range(len(sheets))
    )
    return package(
        {
            "_rels/.rels": f"<x>{relation.format('r', 'officeDocument', 'xl/workbook.bin')}</x>",
            "xl/workbook.bin": listed,
            "xl/_rels/workbook.bin.rels": f"<x>{targets}</x>",
            **{f"xl/s{n}.bin": content for n, (_, content) in enumerate(sheets.values())},
        }
    )


def test_what_an_xlsb_file_hides_is_told():
    rows = (struct.pack("<IIHBBBI", n, 0, 0, 0, flags, 0, cells) for n, flags, cells in (
        (0, 0, 1), (1, 0x10, 1), (2, 0x10, 0)
    ))  # fmt: skip
    column = struct.pack("<IIIIH", 1, 2, 8, 0, 1)
    sheet = b"".join((*(record_12(0, each) for each in rows), record_12(60, column)))
    content = xlsb(Prices=(0, sheet), Costs=(1, b""), Secret=(2, b""))
    found = of_parts(Parts(content))
    assert found is not None
    assert found.hidden == ["sheet 'Secret'", "sheet 'Costs'", "of 'Prices' 1 row and 2 columns"]


def test_no_other_package_is_taken_for_one():
    assert of_parts(Parts(package({"a": b"x"}))) is None


@pytest.mark.parametrize("behind", [b"", xlsb(Others=(1, b""))], ids=["nothing", "a workbook"])
def test_it_stands_below_the_cells_whatever_else_is_in_the_file(monkeypatch, behind):
    monkeypatch.setattr("strap_http.extraction.files.office._markdown", lambda *_: "| A |")
    assert convert(xls(BOOK) + behind, "application/vnd.ms-excel") == (
        "| A |\n\n[Left out, as the workbook hides it: sheet 'Secret'; sheet 'Costs'; "
        "of 'Prices' 1 row and 3 columns]"
    )
