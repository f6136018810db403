"""JSON Schema (draft 2020-12): what is wrong with a schema, and with a value by it.

For a process that may be ended over it: a pattern, a long list without duplicates or references
that multiply can take for ever.
"""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

MOST_PROBLEMS = 1_000
"""After so many misfits no more are looked for; the first of them by place is told."""
LONGEST = 300
TOO_DEEP = "it is nested too deeply."


def fault(schema: Any) -> str:
    """Return why `schema` is no JSON Schema that can be used, empty if it is."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"is not a valid JSON Schema: {short(error.message)}."
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    for target in set(_references(schema)):
        try:
            resolver.lookup(target)
        except (Unresolvable, ValueError):
            return (
                f"refers to {short(target)!r}, which is not in it."
                " Only references within it are followed, such as '#/$defs/name'."
            )
    return ""


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name in ("$ref", "$dynamicRef"):
            if isinstance(target := schema.get(name), str):
                yield target
    children = schema.values() if isinstance(schema, dict) else schema
    for child in children if isinstance(schema, dict | list) else ():
        yield from _references(child)


def problems(value: Any, schema: Any, whole: str) -> str:
    """Return the first reason, by place, why `value` is not valid by `schema`; empty if it is.

    `whole` is what the value itself is called.
    """
    try:
        first = min(_errors(value, schema), key=_place, default=None)
    except Unresolvable:
        return "the schema itself leads nowhere."
    except RecursionError:
        return "the schema itself leads nowhere, or it is nested too deeply."
    if first is None:
        return ""
    where = "/".join(map(str, first.absolute_path)) or whole
    return f"{short(where)}: {short(first.message)}."


def _errors(value: Any, schema: Any) -> Iterator[ValidationError]:
    # An empty registry: without one the validator would fetch what a reference names.
    errors = Draft202012Validator(schema, registry=Registry()).iter_errors(value)
    for _, error in zip(range(MOST_PROBLEMS), errors, strict=False):
        yield error


def _place(error: ValidationError) -> list[str]:
    return [str(part) for part in error.absolute_path]


def short(text: str) -> str:
    """Return a text in one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
