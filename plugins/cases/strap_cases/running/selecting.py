"""Selection of cases by path, title, line, tags and shard."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from strap import UsageError
from strap_cases.cases import Case

_AT_LINE = re.compile(r"(?P<path>.+):(?P<line>\d+)$")
_WORDS = re.compile(r"\s*([()]|[^\s()]+)")
CaseFilter = Callable[[Case], bool]


def places(words: Sequence[str]) -> dict[Path, list[str]]:
    """Return the paths that are named, each with the titles or `:line`s that it is bound to."""
    by_path: dict[Path, list[str]] = {}
    for word in words or ["."]:
        path, part = word, ""
        if not Path(word).exists():
            if "::" in word:
                path, _, part = word.partition("::")
            elif at := _AT_LINE.match(word):
                path, part = at["path"], f":{at['line']}"
        by_path.setdefault(Path(path), []).append(part)
    return by_path


def selected(
    cases: Sequence[Case],
    where: Mapping[Path, Sequence[str]],
    *,
    tags: str = "",
    text: str = "",
    shard: tuple[int, int] = (1, 1),
    only: CaseFilter | None = None,
) -> list[Case]:
    """Return the cases of a `shard`, and those that make their states; raises `UsageError`."""
    has_tags = tag_expression(tags) if tags else None
    chosen = [case for case in cases if _at_place(case, where, cases)]
    for path, parts in where.items():
        if any(parts) and not any(case.path == path for case in chosen):
            raise UsageError(f"{path} has no case at {', '.join(filter(None, parts))}.")
    chosen = [
        case
        for case in chosen
        if (has_tags is None or has_tags(case)) and text.casefold() in case.id.casefold()
    ]
    number, count = shard
    chosen = [case for case in chosen[number - 1 :: count] if only is None or only(case)]
    return with_setups(chosen, cases)


def _at_place(case: Case, where: Mapping[Path, Sequence[str]], cases: Sequence[Case]) -> bool:
    parts = where.get(case.path, [""])
    return any(not part or _is_meant(case, part, cases) for part in parts)


def _is_meant(case: Case, part: str, cases: Sequence[Case]) -> bool:
    if not part.startswith(":"):
        return part in (case.title, case.name, case.id.rpartition("::")[2])
    line = int(part[1:])
    before = [other.line for other in cases if other.path == case.path and other.line <= line]
    return bool(before) and case.line == max(before)


def with_setups(chosen: Sequence[Case], cases: Sequence[Case]) -> list[Case]:
    """Return the chosen cases, and those that make the states which they start with."""
    setups = {case.setup: case for case in cases if case.setup}
    needed = {case.id for case in chosen}
    for case in chosen:
        state = case.state
        while state in setups:
            needed.add(setups[state].id)
            state = setups[state].state
    return [case for case in cases if case.id in needed]


def tag_expression(source: str) -> CaseFilter:
    """Return whether a case has the tags: names with `and`, `or`, `not` and parentheses."""
    words = _WORDS.findall(source)
    try:
        expression, rest = _either(words)
    except IndexError:
        rest = [source]
    if rest:
        what = (
            f"{source!r} is not a valid expression of tags; write names with and, or, not and ()."
        )
        raise UsageError(what)
    return expression


def _either(words: list[str]) -> tuple[CaseFilter, list[str]]:
    first, rest = _both(words)
    if rest[:1] != ["or"]:
        return first, rest
    second, rest = _either(rest[1:])
    return (lambda case: first(case) or second(case)), rest


def _both(words: list[str]) -> tuple[CaseFilter, list[str]]:
    first, rest = _term(words)
    if rest[:1] != ["and"]:
        return first, rest
    second, rest = _both(rest[1:])
    return (lambda case: first(case) and second(case)), rest


def _term(words: list[str]) -> tuple[CaseFilter, list[str]]:
    word, rest = words[0], words[1:]
    if word == "not":
        inner, rest = _term(rest)
        return (lambda case: not inner(case)), rest
    if word == "(":
        inner, rest = _either(rest)
        return inner, rest[1:] if rest[0] == ")" else ["("]
    name = word.removeprefix("@")
    return (lambda case: name in case.tags), rest
