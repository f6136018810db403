"""What was wrong with the arguments of a call, all of it in one message."""

import reprlib
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from strap.actions import Action
from strap.errors import did_you_mean
from strap.params import COMMON, fields_of


def short(value: Any) -> str:
    """`repr(value)`, cut to a length that fits into a message."""
    cutter = reprlib.Repr()
    cutter.maxstring = cutter.maxother = 60
    return cutter.repr(value)


def explain(action: Action, error: ValidationError) -> str:
    """Name every problem of `error`, then what the action takes."""
    problems = [_problem(action, dict(item)) for item in error.errors(include_url=False)]
    more = f"; and {len(problems) - 8} more" if len(problems) > 8 else ""
    return f"{action.qualified}: {'; '.join(problems[:8])}{more}. Takes: {signature(action)}."


def signature(action: Action, *, common: frozenset[str] = COMMON) -> str:
    """`name required [optional …]`, without the `common` fields."""
    fields = {n: f for n, f in fields_of(action.params).items() if n not in common}
    required = [name for name, field in fields.items() if field.is_required()]
    optional = [name for name, field in fields.items() if not field.is_required()]
    parts = [action.name, *required]
    if optional:
        parts.append(f"[{' '.join(optional)}]")
    return " ".join(parts)


def _nearest(name: str, valid: Iterable[str]) -> str:
    guess = did_you_mean(name, valid).strip()
    return f" ({guess[0].lower()}{guess[1:]})" if guess else ""


def _problem(action: Action, item: dict[str, Any]) -> str:
    path = ".".join(str(part) for part in item["loc"]) or "arguments"
    name = short(path)
    match item["type"]:
        case "extra_forbidden":
            return f"unknown field {name}{_nearest(path, fields_of(action.params))}"
        case "missing":
            return f"{name} is missing"
        case "string_unicode":
            return f"{name} is not valid Unicode (a lone surrogate)"
        case "value_error":
            return f"{name}: {item['ctx']['error']}" if item["loc"] else str(item["ctx"]["error"])
    message = item["msg"].replace("Input should be", "must be").replace("String should", "must")
    given = f", not {short(item['input'])}" if "too_long" not in item["type"] else ""
    return f"{name} {message[0].lower()}{message[1:]}{given}"
