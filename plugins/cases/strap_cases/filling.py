"""A case with its values: what one attempt does."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from strap import UsageError, parse_line
from strap_cases.cases import Case, Filled, Line
from strap_cases.checks import Check
from strap_cases.grammar import names_a_check, parse_check
from strap_cases.problems import Problems
from strap_cases.values import fill

Made = TypeVar("Made")
_CALL = re.compile(r"[a-z_]+\s+[a-z_]+(\s|$)")


def filled(case: Case, values: Mapping[str, str], problems: Problems) -> Filled:
    """Return what an attempt with these values does; what is wrong is noted by its line."""

    def made_of(lines: Iterable[Line], make: Callable[[Line], Made]) -> tuple[Made, ...]:
        return tuple(_made(lines, make, problems))

    def check(line: Line) -> Check:
        made = parse_check(line.text, line.line, values)
        return replace(made, source=fill(line.text, values))

    def text(line: Line) -> str:
        return fill(line.text, values)

    def call(line: Line) -> Mapping[str, object]:
        return _call(line.text, values)

    return Filled(
        segments=tuple(
            ("\n".join(made_of(_lines(s.steps), text)), made_of(s.checks, check))
            for s in case.segments
        ),
        preparation=made_of(case.preparation, call),
        checks=made_of(case.checks, check),
        expectations=made_of(case.expectations, text),
        finally_=made_of(case.finally_, call),
    )


def _made(
    lines: Iterable[Line], make: Callable[[Line], Made], problems: Problems
) -> Iterator[Made]:
    for line in lines:
        with problems.at(line.line):
            yield make(line)


def _lines(steps: Line) -> Iterator[Line]:
    for offset, text in enumerate(steps.text.split("\n")):
        yield Line(text, steps.line + offset)


def _call(source: str, values: Mapping[str, str]) -> Mapping[str, object]:
    """Return the arguments of a call; they are split first and filled then."""
    if names_a_check(source) and not source.startswith("http "):
        raise UsageError(f"`{source}` is a check; it belongs below a step or into Expect")
    if not _CALL.match(source):
        raise UsageError(f"`{source}` is not a valid call; write `RESOURCE ACTION key=value …`")
    return {key: _value(value, values) for key, value in parse_line(source).items()}


def _value(value: object, values: Mapping[str, str]) -> object:
    if isinstance(value, dict):
        return {key: _value(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item, values) for item in value]
    return fill(str(value), values)
