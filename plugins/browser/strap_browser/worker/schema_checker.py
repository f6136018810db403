"""Checking schemas, and answers against them, in a process that may be ended over it.

A pattern, a long list without duplicates or references that multiply can take for ever.
"""

import json
import math
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

ROOM = 512 * 1_048_576
"""Bytes of memory that a check may take."""
MOST_PROBLEMS = 1_000
"""After so many misfits no more are looked for; the first of them by place is told."""
LONGEST = 300
TOO_DEEP = "it is nested too deeply."


class NoJson(ValueError):
    """A text is no JSON, as the standard has it (RFC 8259)."""


def check(order: dict[str, Any]) -> str:
    """Return what is wrong with a schema, or with an answer by it; empty if nothing is."""
    _limit(order["seconds"])
    schema = json.loads(order["schema"])
    return fault(schema) if order["answer"] is None else mismatch(order["answer"], schema)


def _limit(seconds: float) -> None:
    """Let the kernel end this process after so much computing, and bound its memory."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return
    most = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def fault(schema: Any) -> str:
    """Return why `schema` is no JSON Schema that can be used, empty if it is."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"is no JSON Schema: {_short(error.message)}."
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    for target in set(_references(schema)):
        try:
            resolver.lookup(target)
        except (Unresolvable, ValueError):
            return (
                f"refers to {_short(target)!r}, which is not in it."
                " Only references within it are followed, such as '#/$defs/name'."
            )
    return ""


def _references(schema: Any) -> Iterator[str]:
    """Yield the targets of all references; what looks like one in an example counts as well."""
    if isinstance(schema, dict):
        for name in ("$ref", "$dynamicRef"):
            if isinstance(target := schema.get(name), str):
                yield target
    children = schema.values() if isinstance(schema, dict) else schema
    for child in children if isinstance(schema, dict | list) else ():
        yield from _references(child)


def mismatch(text: str, schema: Any) -> str:
    """Return why `text` is not JSON valid against `schema`, empty if it is."""
    try:
        value = parse(text)
    except NoJson as error:
        return f"it is no JSON ({error})."
    except RecursionError:
        return TOO_DEEP
    try:
        first = min(_problems(value, schema), key=_place, default=None)
    except Unresolvable:
        return "the schema itself leads nowhere."
    except RecursionError:
        return "the schema itself leads nowhere, or it is nested too deeply."
    if first is None:
        return ""
    where = "/".join(map(str, first.absolute_path)) or "the answer"
    return f"{_short(where)}: {_short(first.message)}."


def parse(text: str) -> Any:
    """Return the value of a JSON text; raises `NoJson`, also for numbers that JSON has not."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except NoJson:
        raise
    except ValueError as error:
        raise NoJson(str(error)) from None


def _no_number(name: str) -> float:
    raise NoJson(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NoJson(f"{_short(digits)} is too large a number")
    return number


def _problems(value: Any, schema: Any) -> Iterator[ValidationError]:
    # An empty registry: without one the validator would fetch what a reference names.
    errors = Draft202012Validator(schema, registry=Registry()).iter_errors(value)
    for _, error in zip(range(MOST_PROBLEMS), errors, strict=False):
        yield error


def _place(error: ValidationError) -> list[str]:
    return [str(part) for part in error.absolute_path]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def answer(order: dict[str, Any], send: Callable[..., None]) -> None:
    """Carry out a check and send what it found."""
    try:
        problem = check(order)
    except MemoryError:
        problem = "it takes too much memory to check."
    except RecursionError:
        problem = TOO_DEEP
    send("checked", problem=problem)
