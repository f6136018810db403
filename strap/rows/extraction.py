"""Extraction of rows in a worker: find records, read their fields, fit them to a schema."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from strap.records import record
from strap.rows.columns import tabulate
from strap.rows.elements import ADDRESSES, Record, Row, attribute, parse, text_of
from strap.rows.fitting import BadSchema, Misfit, fit, named_by, parse_schema
from strap.rows.groups import Group
from strap.rows.repetition import find_groups
from strap.rows.rules import BadRule, Rule, compile_css, parse_rules
from strap.rows.selectors import step_of
from strap.rows.tables import is_data, read_table

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

MOST_ROWS = 20_000
MOST_TEXT = 4_000_000
"""Characters of all rows; where more are found, the rest is left out."""
CANDIDATES = 3
COLUMNS = 12
"""Names of columns or fields that a message tells."""
_CONSIDERED = 8
"""Groups in which rules without a selector are tried."""
_LEAST = 0.3
"""Score below which a group is some links, not records."""
_LOOKED_AT = 50
"""Records that tell what the others are like."""
_EXAMPLE = 60
"""Characters of a text that a message shows."""


@record
class Extracted:
    """Result: `text` is the rows, a JSON object a line, `names` their columns.

    `selector` finds the records, `cut` tells that rows were left out, `hidden` that the page hides
    some of them. Where there is a `problem` (the end of a sentence), `about` is what it is about: a
    field of the call, "records" or "row"; `candidates` then tell what there is.
    """

    text: str = ""
    names: list[str] = field(default_factory=list)
    selector: str = ""
    cut: bool = False
    hidden: bool = False
    about: str = ""
    problem: str = ""
    candidates: list[str] = field(default_factory=list)


class _NoRecords(Exception):
    def __init__(self, problem: str, candidates: Sequence[str]) -> None:
        super().__init__(problem)
        self.candidates = list(candidates)


def extract(
    content: bytes, *, url: str, selector: str, rules: str, schema: str, first: int = 1
) -> Extracted:
    """Return the rows of a page; hidden parts count where a selector or rule finds nothing else."""
    page = content.decode("utf-8", "replace")
    arguments = {"selector": selector, "rules": rules, "schema": schema}
    rows = _extract(page, url, **arguments, first=first, hidden=False)
    if rows.about == "records" and (selector or rules):
        more = _extract(page, url, **arguments, first=first, hidden=True)
        return rows if more.about else replace(more, hidden=True)
    return rows


def _extract(
    page: str, url: str, *, selector: str, rules: str, schema: str, first: int, hidden: bool
) -> Extracted:
    about = "selector"
    try:
        find = compile_css(selector) if selector else None
        about = "value"
        parsed_rules = parse_rules(rules) if rules else []
        about = "schema"
        fits = parse_schema(schema) if schema else None
        parsed = parse(page, url, hidden=hidden)
        if parsed is None:
            raise _NoRecords("The page is empty.", ())
        root, base = parsed
        known, records = _records(root, selector, find, parsed_rules)
        read = records[:MOST_ROWS]
        if parsed_rules:
            names, rows = _by_rules(read, parsed_rules, base)
        else:
            names, rows = _by_likeness(read, base, keep_empty=find is not None)
        if fits is not None:
            names, rows = _of_schema(names, rows, fits, keep_others=bool(parsed_rules))
            about = "row"
            rows = fit(rows, fits, first)
        result = _written(names, rows, known)
        left_out = len(read) < len(records) or bool(parsed_rules and len(rows) < len(read))
        return replace(result, cut=True) if left_out else result
    except (BadRule, BadSchema, Misfit) as error:
        return Extracted(about=about, problem=str(error))
    except _NoRecords as none:
        return Extracted(about="records", problem=str(none), candidates=none.candidates)


def _records(
    root: "HtmlElement", selector: str, find: Any, rules: Sequence[Rule]
) -> tuple[str, Sequence[Record]]:
    if find is not None:
        elements = find(root)
        if not elements:
            raise _NoRecords(f"Nothing is at {selector!r}.", _candidates(find_groups(root)))
        return selector, [(element,) for element in elements]
    if rules and _is_single(root, rules):
        return "", [(root,)]
    groups = find_groups(root, _CONSIDERED)
    if rules:
        groups.sort(key=lambda group: -_hits(group, rules))
        if groups and not _hits(groups[0], rules):
            raise _NoRecords(
                "The rules match nothing in what the page repeats.", _candidates(groups)
            )
    groups = [group for group in groups if group.score >= _LEAST]
    if not groups:
        raise _NoRecords("The page repeats nothing that would be rows.", ())
    return groups[0].selector, groups[0].records


def _is_single(root: "HtmlElement", rules: Sequence[Rule]) -> bool:
    """Whether the page is one record: no rule matches twice, and one does."""
    counts = [len(rule.find(root)) for rule in rules if rule.css]
    return bool(counts) and max(counts) == 1


def _hits(group: Group, rules: Sequence[Rule]) -> float:
    looked = group.records[:_LOOKED_AT]
    hits = sum(
        bool(rule.css) and any(rule.find(element) for element in record)
        for record in looked
        for rule in rules
    )
    return hits / len(looked)


def _by_likeness(
    records: Sequence[Record], base: str, *, keep_empty: bool
) -> tuple[list[str], list[Row]]:
    """Return the fields that records have in common; records without any only if `keep_empty`."""
    names, rows = _guessed(records, base)
    if not names:
        raise _NoRecords("What the page repeats is the same everywhere.", ())
    return names, rows if keep_empty else [row for row in rows if row]


def _by_rules(
    records: Sequence[Record], rules: Sequence[Rule], base: str
) -> tuple[list[str], list[Row]]:
    """Return the values of the rules, up to `MOST_TEXT`: nested records may repeat all of it."""
    rows: list[Row] = []
    size = 0
    for elements in records:
        values = {rule.name: rule.value(elements, base) for rule in rules}
        rows.append({name: value for name, value in values.items() if value is not None})
        size += sum(map(len, rows[-1].values()))
        if size > MOST_TEXT:
            break
    for rule in rules:
        if not any(rule.name in row for row in rows):
            where = f"{rule.css}{'@' if rule.attribute else ''}{rule.attribute}"
            problem = (
                f"The rule for {rule.name!r} matches nothing in {len(rows):,} records: {where}."
            )
            raise _NoRecords(problem, _examples(records, base, rule.name))
    return [rule.name for rule in rules], rows


def _guessed(records: Sequence[Record], base: str) -> tuple[list[str], list[Row]]:
    """The rows of tables with headers by those, of anything else by what it has in common."""
    tables: dict[HtmlElement, list[HtmlElement]] = {}
    for elements in records:
        table = next(elements[0].iterancestors("table"), None)
        if len(elements) > 1 or elements[0].tag != "tr":
            return tabulate(records, base)
        if is_data(table):
            tables.setdefault(table, []).append(elements[0])
    if not tables:
        return tabulate(records, base)
    names: dict[str, None] = {}
    rows: list[Row] = []
    for table, some in tables.items():
        own, read = read_table(some, table, base)
        names.update(dict.fromkeys(own))
        rows += read
    return list(names), rows


def _of_schema(
    names: list[str], rows: list[Row], schema: dict[str, Any], *, keep_others: bool
) -> tuple[list[str], list[Row]]:
    """The columns that the schema names, as it spells them; others if `keep_others`."""
    spelled = {name: named_by(schema, name) or (name if keep_others else "") for name in names}
    if not any(spelled.values()):
        missing = ", ".join(map(repr, list(schema["properties"])[:COLUMNS]))
        raise _NoRecords(f"No column is a field of the schema ({missing}).", names[:COLUMNS])
    some = [{to: row[name] for name, to in spelled.items() if to and name in row} for row in rows]
    return [to for to in spelled.values() if to], some


def _written(names: list[str], rows: list[Row], selector: str) -> Extracted:
    lines: list[str] = []
    left = MOST_TEXT
    for row in rows:
        line = json.dumps(row, ensure_ascii=False)
        left -= len(line)
        if left < 0:
            break
        lines.append(line)
    cut = len(lines) < len(rows)
    return Extracted(text="\n".join(lines), names=names, selector=selector, cut=cut)


def _candidates(groups: Sequence[Group]) -> list[str]:
    return [
        f"{group.selector} ({len(group.records):,}, as {_begin(group.records[0])!r})"
        for group in groups[:CANDIDATES]
    ]


def _begin(record: Record) -> str:
    text = " ".join(map(text_of, record))
    return text if len(text) <= _EXAMPLE else f"{text[:_EXAMPLE]}…"


def _examples(records: Sequence[Record], base: str, column: str) -> list[str]:
    """Rules for what the first records have, those first whose guessed name is like `column`."""
    records = records[:_LOOKED_AT]
    names, rows = _guessed(records, base)
    names.sort(key=lambda name: column.lower() not in name.lower())
    examples = []
    for name in names:
        at = next((at for at, row in enumerate(rows) if row.get(name)), None)
        rule = "" if at is None else _rule_for(records[at], rows[at][name], base)
        if at is not None and rule:
            examples.append(f"{name}: {rule} (as {rows[at][name][:_EXAMPLE]!r})")
    return examples[:CANDIDATES]


def _rule_for(record: Record, value: str, base: str) -> str:
    """Return a simple rule that finds `value` in the record, empty if there is none."""
    places = islice(_places(record, value, base), CANDIDATES)
    for way in (f"{way}{at}" for element, at in places for way in _ways(element)):
        with suppress(BadRule):
            (rule,) = parse_rules(f"value: {way}")
            if rule.value(record, base) == value:
                return way
    return ""


def _places(record: Record, value: str, base: str) -> "Iterator[tuple[HtmlElement, str]]":
    for element in (below for part in record for below in part.iterdescendants("*")):
        if text_of(element) == value:
            yield element, ""
        for name in sorted(ADDRESSES.intersection(element.keys())):
            if attribute(element, name, base) == value:
                yield element, f"@{name}"


def _ways(element: "HtmlElement") -> "Iterator[str]":
    """Selectors that may find the element before any other of its record, the short ones first."""
    step = step_of([element])
    yield step
    nth = 1 + sum(1 for _ in element.itersiblings(element.tag, preceding=True))
    yield f"{step}:nth-of-type({nth})"
    yield f"{step_of([element.getparent()])} > {step}:nth-of-type({nth})"
