"""Repeated elements of a page: those that are its records.

Elements that stand at the same path of tags are a group, and those of one class in it. The group
wins whose members say the most, in several texts each, alike from one to the next: as in
MDR (Liu, Grossman, Zhai: Mining Data Records in Web Pages, KDD 2003), by shapes in place of edit
distances. Records without an element of their own begin at each member of a group and end before
the next one.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from strap.rows.classes import plain
from strap.rows.elements import ROOTS, Record, has_text, own_text, tokens
from strap.rows.groups import LOOKED_AT, Group, apart, inner_first, whole_first
from strap.rows.selectors import selector_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

FEWEST = 2
_LONG = 200
"""Characters of classes beyond which they are a framework's, and say nothing of what it is."""
_ENOUGH = 400
"""Characters of a record beyond which it does not count for more: else chapters were records."""
_TOGETHER = 0.8
"""Share of the members that stand in one element, where they begin records."""
_SEVERAL = 1.5
"""Texts and links in a member, on average, below which it is hardly a record."""
_WORTH = {1: 0.1, 2: 0.7}
"""Factor for the score of a group with so few common places; a paragraph counts as one."""
_KIN = 0.25
"""Share of the common places that a record has at least."""
_ASIDE = frozenset(("nav", "header", "footer", "aside", "select"))
_FORM = 0.15
"""Share of the text that does not stand aside from which a form is around the list of the page."""
_ASIDE_ROLES = frozenset(
    (
        *("navigation", "banner", "contentinfo", "search", "menu", "menubar"),
        *("dialog", "alertdialog"),
    )
)
_ASIDE_NAMES = re.compile(
    r"(?:^|[\s_-])(?<!has.)(?<!no.)(?<!w.)(?<!with.)"
    r"(?:sidebar|menu|nav|navbar|navigation|breadcrumbs?|footer|consent)(?:[\s_-]|$)",
    re.IGNORECASE,
)
_HIDING = frozenset(("hidden", "d-none", "hide", "is-hidden"))
_SHOWN_WIDE = re.compile(r"(?:sm|md|lg|xl|2xl):|d-(?:sm|md|lg|xl|xxl)-(?!none)")
"""Classes of frameworks: what is hidden by them, and shown again from some width of a window."""
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_STARTS = _HEADINGS | {"tr", "dt", "li", "div", "p"}
_LEAST = 0.5
"""Share of the usual elements of a record that one of several has at least."""


@dataclass(slots=True)
class _Facts:
    """Facts about an element: number of its path, position aside, characters, texts and links."""

    path: int
    aside: bool = False
    characters: int = 0
    texts: int = 0
    links: int = 0


def find_groups(root: "HtmlElement", most: int = 3) -> list[Group]:
    """Return the best groups of records, best first."""
    facts = _survey(root)
    rough = sorted(_rough(root, facts), key=lambda entry: -entry[0])[:LOOKED_AT]
    groups = [
        group
        for _, members, token in rough
        for group in _weighed(members, token, facts)
        if group.score > 0
    ]
    groups.sort(key=lambda group: -group.score)
    best = apart(inner_first(whole_first(groups)), most)
    return [replace(group, records=group.whole or group.records) for group in best]


def _survey(root: "HtmlElement") -> "dict[HtmlElement, _Facts]":
    numbers: dict[tuple[int, str], int] = {}
    facts: dict[HtmlElement, _Facts] = {}
    order = [element for element in root.iter() if isinstance(element.tag, str)]
    for element in order:
        parent = facts.get(element.getparent())
        key = (parent.path if parent else 0, element.tag)
        facts[element] = _Facts(path=numbers.setdefault(key, len(numbers) + 1))
    for element in reversed(order):
        own = facts[element]
        text = own_text(element)
        own.characters += len(text)
        own.texts += bool(text) or element.tag == "img"
        own.links += element.tag == "a"
        above = facts.get(element.getparent())
        if above is not None:
            above.characters += 0 if _is_folded(element) else own.characters
            above.texts += own.texts
            above.links += own.links
    left = facts[root].characters
    for element in order:
        own, above = facts[element], facts.get(element.getparent())
        is_inside = above is not None and above.aside
        own.aside = is_inside or _is_folded(element) or _is_aside(element)
        left -= own.characters if own.aside and not is_inside else 0
    for form in root.iter("form"):
        if facts[form].characters < _FORM * left:
            for element in form.iter():
                if element in facts:
                    facts[element].aside = True
    return facts


def _is_folded(element: "HtmlElement") -> bool:
    """Whether a reader sees it only after a click: questions below a shop's offers are no list."""
    parent = element.getparent()
    is_closed = parent is not None and parent.tag == "details" and parent.get("open") is None
    return is_closed and element.tag != "summary"


def _is_aside(element: "HtmlElement") -> bool:
    if element.tag in _ASIDE or element.get("role") in _ASIDE_ROLES:
        return True
    known = tokens(element)
    if not _HIDING.isdisjoint(known) and not any(_SHOWN_WIDE.match(name) for name in known):
        return True
    named = f"{element.get('id') or ''} {element.get('class') or ''}"
    may_be = element.tag not in ROOTS and element.tag != "main"
    return may_be and len(named) < _LONG and bool(_ASIDE_NAMES.search(named))


def _rough(
    root: "HtmlElement", facts: "dict[HtmlElement, _Facts]"
) -> "Iterator[tuple[float, list[HtmlElement], str]]":
    """Yield the groups by path, and those of a class within: weight, members, class."""
    by_path: dict[int, list[HtmlElement]] = defaultdict(list)
    for element, own in facts.items():
        if own.texts and element.tag not in ROOTS:
            by_path[own.path].append(element)
    for members in by_path.values():
        if len(members) < FEWEST:
            continue
        yield _weight(members, facts), members, ""
        known = Counter(token for member in members for token in dict.fromkeys(tokens(member)))
        for token, count in known.most_common(6):
            if FEWEST <= count < len(members) and not _is_turn(token, members):
                some = [member for member in members if token in tokens(member)]
                yield _weight(some, facts), some, token


def _is_turn(token: str, members: "Sequence[HtmlElement]") -> bool:
    """Whether it only tells odd ones from even ones: all members have a class of its kind."""
    kind = plain(token)
    return all(kind in map(plain, tokens(member)) for member in members)


def _weight(members: "Sequence[HtmlElement]", facts: "dict[HtmlElement, _Facts]") -> float:
    """How much a group says: the text of its members, little where they stand aside."""
    own = [facts[member] for member in members]
    length = sum(min(part.characters, _ENOUGH) for part in own)
    several = sum(part.texts + min(part.links, 1) for part in own) / len(own)
    aside = sum(part.aside for part in own) / len(own)
    return length * (0.3 if several < _SEVERAL else 1.0) * (1 - 0.9 * aside)


def _weighed(
    members: "Sequence[HtmlElement]", token: str, facts: "dict[HtmlElement, _Facts]"
) -> Iterator[Group]:
    """Yield the group by what its members have in common, and as starts of longer records."""
    selector = selector_of(members, token)
    single: list[Record] = [(member,) for member in members if member.tag != "tr" or _cells(member)]
    yield _group(selector, single, _weight(members, facts))
    regular, whole = _sequences(members)
    if regular:
        length = sum(
            min(sum(facts[element].characters for element in record), _ENOUGH) for record in regular
        )
        aside = sum(facts[record[0]].aside for record in regular) / len(regular)
        group = _group(selector, regular, length * (1 - 0.9 * aside) * 0.9)
        yield replace(group, whole=whole)


def _cells(row: "HtmlElement") -> bool:
    return any(child.tag == "td" for child in row)


def _group(selector: str, records: Sequence[Record], weight: float) -> Group:
    """Weigh records; those that have nothing in common with the others are left out."""
    shapes = [_shape(record) for record in records]
    common = _common(shapes)
    alike = [len(shape & common) >= _KIN * len(common) for shape in shapes]
    if common and sum(alike) < len(records):
        records = [record for record, is_kin in zip(records, alike, strict=True) if is_kin]
        shapes = [shape for shape, is_kin in zip(shapes, alike, strict=True) if is_kin]
        weight *= len(records) / len(alike)
    if len(records) < FEWEST or not common:
        return Group(selector=selector, records=records, score=0)
    shares = [len(shape & common) / len(shape | common) for shape in shapes]
    places = max(len(common), 2 if _is_headed(records[0][0]) else 1)
    worth = _WORTH.get(places, 1.0) * (_WORTH[1] if records[0][0].tag == "p" else 1.0)
    many = min(1.0, 0.55 + 0.15 * math.log2(len(records)))
    score = weight * worth * many * (sum(shares) / len(shares)) ** 2
    return Group(selector=selector, records=records, score=score)


def _is_headed(element: "HtmlElement") -> bool:
    """Whether it is a row of a table with headers: a record, if it has but one cell."""
    table = next(element.iterancestors("table"), None) if element.tag == "tr" else None
    return table is not None and next(table.iter("th"), None) is not None


def _common(shapes: "Sequence[set[str]]") -> set[str]:
    known = Counter(place for shape in shapes for place in shape)
    return {place for place, count in known.items() if count >= len(shapes) / 2}


def _shape(record: Record) -> set[str]:
    places: set[str] = set()
    stack = [(element, f"{number}{element.tag}") for number, element in enumerate(record)]
    while stack and len(places) < 200:
        element, path = stack.pop()
        if own_text(element) or element.tag == "img":
            places.add(path)
        stack += [(child, f"{path}/{child.tag}") for child in element if isinstance(child.tag, str)]
    return places


def _sequences(members: "Sequence[HtmlElement]") -> tuple[list[Record], list[Record]]:
    """Return the records from each member to the next: the usual lengths first, then all."""
    parent, often = Counter(member.getparent() for member in members).most_common(1)[0]
    if members[0].tag not in _STARTS or often < _TOGETHER * len(members):
        return [], []
    starts = set(members)
    sequences: list[list[HtmlElement]] = []
    for child in parent:
        if child in starts:
            sequences.append([child])
        elif sequences and isinstance(child.tag, str) and len(sequences[-1]) < 12:
            sequences[-1].append(child)
    filled = [[element for element in record if has_text(element)] for record in sequences]
    length, often = Counter(map(len, filled)).most_common(1)[0]
    # The last one may have what follows the list, too.
    if length < 2 or often < 0.7 * len(filled):
        return [], []
    usual = Counter(_tags(record) for record in filled if len(record) == length).most_common(1)[0][
        0
    ]
    whole = [*(_headless(record, usual) for record in filled[:-1]), _ended(filled[-1], usual)]
    return (
        [tuple(record[:length]) for record in filled if len(record) >= length],
        [
            tuple(record)
            for record, least in zip(whole, _least(length, len(whole)), strict=True)
            if len(record) >= least
        ],
    )


def _least(length: int, count: int) -> list[float]:
    """The least number of elements of a record, so that no heading alone is one."""
    return [_LEAST * length] * (count - 1) + [max(2, length - 1)]


def _tags(record: "Sequence[HtmlElement]") -> tuple[str, ...]:
    return tuple(element.tag for element in record)


def _headless(record: "list[HtmlElement]", usual: Sequence[str]) -> "list[HtmlElement]":
    """A record without the heading of what follows it, where records have no such headings."""
    at = (
        n
        for n, element in enumerate(record)
        if element.tag in _HEADINGS and element.tag not in usual
    )
    return record[: next(at, None)]


def _ended(record: "list[HtmlElement]", usual: Sequence[str]) -> "list[HtmlElement]":
    """The last record without what follows the list."""
    length = len(usual)
    if _tags(record)[:length] == usual:
        return record[:length]
    known = list(takewhile(lambda element: element.tag in usual, record))
    return record[: max(length, min(len(known), length + 1))]
