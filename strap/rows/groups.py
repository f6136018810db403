"""Groups of records, and which of them are the records where one group is within another."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from strap.records import record
from strap.rows.classes import plain
from strap.rows.elements import Record, own_text, text_of, tokens
from strap.rows.tables import is_data

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

LOOKED_AT = 40
"""Groups that are compared by shape, after a first look at all."""
_PARTED = 1.6
"""How many times more records a group has that is the parts of another one's."""
_PARTS = 4
"""Parts, such as the variants of a product, that a record has at most, on average."""
_COVERED, _HOLDERS = 0.6, 0.85
"""Shares from which parts are the records: of the text in them, and of records that have any."""

_OWN = 3
"""Texts beside its parts with which a record is one of its own, rather than a line of cards."""
_NEARLY = 0.8
"""Share of the best score that suffices for a group around its records, with more links."""
_ENTRIES = 0.8
"""Share of the entries of lists that lead somewhere, each elsewhere."""
_ALIKE = 0.8
"""Share of the rows whose cells are of the same classes."""


@record
class Group:
    """Records and the selector of their first elements; `whole` has incomplete ones as well."""

    selector: str
    records: Sequence[Record]
    score: float
    whole: Sequence[Record] = ()


def whole_first(groups: list[Group]) -> list[Group]:
    """Put before the best group one whose records have its own as parts.

    Some of them lack these, or all have one and a link or a picture beside it.
    """
    for group in groups[1:LOOKED_AT]:
        if _has_as_parts(group, groups[0]) or _completes(group, groups[0]):
            return [group, *(other for other in groups if other is not group)]
    return groups


def _completes(group: Group, best: Group) -> bool:
    if len(group.records) != len(best.records) or group.score < _NEARLY * best.score:
        return False
    holders = _holders(best, group)
    if None in holders or len(set(holders)) < len(holders):
        return False
    return sum(_leads(own) > _leads(part) for own, part in _pairs(group, best)) > len(holders) / 2


def _pairs(group: Group, best: Group) -> "zip[tuple[Record, Record]]":
    return zip(group.records, best.records, strict=True)


def _leads(record: Record) -> int:
    return len({link.get("href") for element in record for link in element.iter("a")})


def _has_as_parts(group: Group, best: Group) -> bool:
    if len(group.records) < len(best.records) / _PARTS or group.score < best.score / 2:
        return False
    holders = _holders(best, group)
    return None not in holders and len(set(holders)) < _HOLDERS * len(group.records)


def inner_first(groups: list[Group]) -> list[Group]:
    """Put before the best group one whose records are its parts: else lines of cards were rows."""
    for _ in range(3):
        best = groups[0] if groups else None
        inner = next(
            (group for group in groups[1:LOOKED_AT] if best and _is_within(group, best)), None
        )
        if inner is None:
            break
        groups = [inner, *(group for group in groups if group is not inner)]
    return groups


def _is_within(inner: Group, outer: Group) -> bool:
    is_worse = inner.score < outer.score / 2 and not _is_list(inner)
    if len(inner.records) < _PARTED * len(outer.records) or is_worse:
        return False
    holders = _holders(inner, outer)
    inside = [holder for holder in holders if holder is not None]
    if len(inside) <= 0.8 * len(holders) or len(set(inside)) < _HOLDERS * len(outer.records):
        return False
    if _says_itself(outer, inner) or _are_fields(inner, holders):
        return False
    covered = sum(len(_text(record)) for record in inner.records)
    if covered < _COVERED * sum(len(_text(record)) for record in outer.records):
        return False
    # A card that is there twice, for wide and for narrow screens, is one.
    different = set(zip(holders, map(_mark, inner.records), strict=True))
    return len(different) >= _PARTED * len(outer.records)


def _says_itself(outer: Group, inner: Group) -> bool:
    """Whether most records are rows of a table with several texts beside their parts."""
    if outer.records[0][0].tag != "tr":
        return False
    parts = {element for record in inner.records for element in record}
    own = sum(_texts_beside(record, parts) >= _OWN for record in outer.records)
    return own > len(outer.records) / 2


def _are_fields(inner: Group, holders: "Sequence[int | None]") -> bool:
    """Whether they are cells below headers, each of another class in its row, alike in all rows."""
    cell = inner.records[0][0]
    if cell.tag != "td" or not is_data(next(cell.iterancestors("table"), None)):
        return False
    rows: dict[int | None, list[str]] = defaultdict(list)
    for (cell, *_), holder in zip(inner.records, holders, strict=True):
        rows[holder].append(" ".join(sorted(map(plain, tokens(cell)))))
    kinds, often = Counter(map(tuple, rows.values())).most_common(1)[0]
    return 1 < len(kinds) == len(set(kinds)) and often > _ALIKE * len(rows)


def _texts_beside(record: Record, parts: "set[HtmlElement]") -> int:
    count, stack = 0, [element for element in record if element not in parts]
    while stack:
        element = stack.pop()
        count += bool(own_text(element))
        stack += [child for child in element if isinstance(child.tag, str) and child not in parts]
    return count


def _is_list(group: Group) -> bool:
    """Whether it is entries of lists that lead somewhere each, as in an index by letters."""
    marks = {_mark(record) for record in group.records}
    linked = sum(record[0].tag == "li" and _leads(record) > 0 for record in group.records)
    return linked >= _ENTRIES * len(group.records) and len(marks) >= _ENTRIES * len(group.records)


def _mark(record: Record) -> str:
    links = (link for element in record for link in element.iter("a"))
    return next((href for link in links if (href := link.get("href"))), "") or _text(record)


def _text(record: Record) -> str:
    return " ".join(map(text_of, record))


def _holders(inner: Group, outer: Group) -> list[int | None]:
    """For each record of `inner` the number of that of `outer` which it is in, None for none."""
    numbers = {element: n for n, record in enumerate(outer.records) for element in record}
    return [
        next(
            (numbers[ancestor] for ancestor in record[0].iterancestors() if ancestor in numbers),
            None,
        )
        for record in inner.records
    ]


def apart(groups: Sequence[Group], most: int) -> list[Group]:
    """Return the best groups that do not have the same records, or parts of them."""
    chosen: list[Group] = []
    taken: set[HtmlElement] = set()
    for group in groups:
        inside = {element for record in group.records for element in record}
        above = {ancestor for element in inside for ancestor in element.iterancestors()}
        if inside & taken or above & taken:
            continue
        chosen.append(group)
        taken |= inside
        if len(chosen) == most:
            break
    return chosen
