"""Rows of HTML tables: cells under their headers, with what spans several put into each."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from strap.rows.elements import Row, attribute, text_of
from strap.rows.names import worded

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

WIDEST = 100
"""Columns of a table that are read."""


def is_data(table: "HtmlElement | None") -> bool:
    """Whether a table has headers, so that it is data and no layout."""
    if table is None or table.get("role") in ("presentation", "none"):
        return False
    return next(table.iter("th"), None) is not None


def read_table(
    rows: "Sequence[HtmlElement]", table: "HtmlElement", url: str
) -> "tuple[list[str], list[Row]]":
    """Return names of columns, and `rows` of `table` by them; rows of headers are left out."""
    headers = _headers(table)
    chosen = set(rows)
    read: list[Row] = []
    for row, cells in _grid(table):
        if row not in chosen or all(cell.tag == "th" for cell in cells):
            continue
        values: Row = {}
        for name, cell in zip(headers, cells, strict=False):
            if text := text_of(cell):
                values[name] = text
            link = next(cell.iter("a"), None)
            if link is not None and (href := attribute(link, "href", url)):
                values[f"{name}_url"] = href
        read.append(values)
    names = [column for name in headers for column in (name, f"{name}_url")]
    return [name for name in names if any(name in row for row in read)], read


def _grid(table: "HtmlElement") -> "list[tuple[HtmlElement, list[HtmlElement]]]":
    """The cells of each row; one that spans several is in each of them (HTML 4.9.12)."""
    grid = []
    below: dict[int, tuple[HtmlElement, int]] = {}
    for row in table.iter("tr"):
        if next((ancestor for ancestor in row.iterancestors("table")), None) is not table:
            continue
        cells: list[HtmlElement] = []
        own = [child for child in row if child.tag in ("td", "th")]
        while (own or len(cells) in below) and len(cells) < WIDEST:
            at = len(cells)
            if at in below:
                cell, left = below.pop(at)
                cells.append(cell)
                if left > 1:
                    below[at] = cell, left - 1
                continue
            cell = own.pop(0)
            down = _span(cell, "rowspan")
            for _ in range(_span(cell, "colspan")):
                if down > 1:
                    below[len(cells)] = cell, down - 1
                cells.append(cell)
        grid.append((row, cells))
    return grid


def _span(cell: "HtmlElement", name: str) -> int:
    value = cell.get(name) or ""
    return min(max(int(value), 1), WIDEST) if value.isascii() and value.isdigit() else 1


def _headers(table: "HtmlElement") -> list[str]:
    """Names of columns: the last header row above the data, numbers where there is none."""
    above: list[str] = []
    lines = [cells for _, cells in _grid(table) if cells]
    width = max(map(len, lines), default=0)
    for cells in lines:
        if any(cell.tag != "th" for cell in cells):
            if above:
                break
        elif width == 1 or len(set(cells)) > 1:
            lower = [worded(text_of(cell)) for cell in cells]
            above = [name or old for name, old in zip_longest(lower, above[:width], fillvalue="")]
    names: list[str] = []
    for at in range(min(width, WIDEST)):
        base = (above[at] if at < len(above) else "") or f"column_{at + 1}"
        name, number = base, 2
        while name in names:
            name, number = f"{base}_{number}", number + 1
        names.append(name)
    return names
