"""Errors in the arguments of a call, all of them in one message."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from strap.api.actions import Action
from strap.api.params import COMMON
from strap.config.validation_words import describe_error
from strap.errors import did_you_mean
from strap.text import short_repr

MOST = 8
"""Problems that one message names."""
FEW = 2
"""Owners of a field that are named; a field of more says nothing about what was meant."""


def explain(action: Action, error: ValidationError, siblings: Sequence[Action]) -> str:
    """Name the problems of `error`, then what the action takes.

    Where `action` does not know a field, the actions among `siblings` that do are named.
    """
    errors = error.errors(include_url=False)
    problems = "; ".join(_problem(action, dict(item), siblings) for item in errors[:MOST])
    more = f"; and {len(errors) - MOST} more" if len(errors) > MOST else ""
    return f"{action.qualified}: {problems}{more}. Takes: {signature(action)}."


def signature(action: Action, *, common: frozenset[str] = COMMON) -> str:
    """`name required [optional …]`, without the `common` fields."""
    fields = {n: f for n, f in action.fields.items() if n not in common}
    required = [name for name, field in fields.items() if field.required]
    optional = [name for name, field in fields.items() if not field.required]
    parts = [action.name, *required]
    if optional:
        parts.append(f"[{' '.join(optional)}]")
    return " ".join(parts)


def _elsewhere(name: str, action: Action, siblings: Sequence[Action]) -> str:
    if guess := did_you_mean(name, action.fields).strip():
        return f" ({guess[0].lower()}{guess[1:]})"
    owners = [other.name for other in siblings if name in other.fields]
    return f" (a field of {' and '.join(owners)})" if 0 < len(owners) <= FEW else ""


def _problem(action: Action, item: dict[str, Any], siblings: Sequence[Action]) -> str:
    path = ".".join(str(part) for part in item["loc"])
    name, problem = short_repr(path or "arguments"), describe_error(item)
    match item["type"]:
        case "extra_forbidden":
            return f"unknown field {name}{_elsewhere(path, action, siblings)}"
        case "value_error":
            return f"{name}: {problem}" if path else problem
        case "missing" | "string_unicode" | "string_too_long" | "too_long" | "too_short":
            return f"{name} {problem}"
    return f"{name} {problem}, not {short_repr(item['input'])}"
