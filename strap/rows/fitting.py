"""Making rows fit a JSON Schema: numbers as numbers, then checked, field by field."""

import json
import math
import re
from typing import Any

_MINUS, _APOSTROPHE = "\u2212", "\u2019"
_SPACES = f" \u00a0\u202f'{_APOSTROPHE}"
_NUMBER = re.compile(
    rf"[-{_MINUS}+]?\s?(?:\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?|\d[\d.,]*|[.,]\d+)"
)
_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3}){2,}")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


EXAMPLE = '{"properties": {"price": {"type": "number"}}}'


class BadSchema(ValueError):
    """Invalid JSON Schema; the text is the end of a sentence."""


class Misfit(ValueError):
    """A row that does not fit; the text says which, and why."""


def parse_schema(text: str) -> dict[str, Any]:
    """Return the schema of a row; of a list of rows, that of its items. Raises `BadSchema`."""
    from strap.json.schema import fault

    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadSchema(f"is not valid JSON, as in {EXAMPLE}: {error}") from None
    if not isinstance(schema, dict):
        raise BadSchema("is not a valid JSON Schema: it has to be an object")
    if problem := fault(schema):
        raise BadSchema(problem.rstrip("."))
    if schema.get("type") == "array" and isinstance(schema.get("items"), dict):
        return {
            **{key: schema[key] for key in ("$defs", "definitions") if key in schema},
            **schema["items"],
        }
    return schema


def named_by(schema: dict[str, Any], name: str) -> str | None:
    """Return how the schema spells the field `name`; None where it does not have it."""
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        return name
    plain = {own.casefold().replace("_", ""): own for own in properties}
    return plain.get(name.casefold().replace("_", ""))


def fit(rows: list[dict[str, Any]], schema: dict[str, Any], first: int) -> list[dict[str, Any]]:
    """Return rows with values as the schema has them; raises `Misfit` with a row's number."""
    from strap.json.schema import problems

    properties = schema.get("properties")
    types = {
        name: _types(declared)
        for name, declared in (properties if isinstance(properties, dict) else {}).items()
    }
    fitted = [
        {name: _as(value, types.get(name, ())) for name, value in row.items()} for row in rows
    ]
    for number, row in enumerate(fitted, first):
        if error := problems(row, schema, "the row"):
            raise Misfit(f"Row {number:,}: {error}")
    return fitted


def _types(schema: Any) -> tuple[str, ...]:
    declared = schema.get("type", ()) if isinstance(schema, dict) else ()
    return (declared,) if isinstance(declared, str) else tuple(declared)


def _as(value: str, types: tuple[str, ...]) -> Any:
    """The value as one of `types`; as it is where it cannot be."""
    if not types or "string" in types:
        return value
    if "boolean" in types and value.casefold() in _TRUTH:
        return _TRUTH[value.casefold()]
    if "number" in types or "integer" in types:
        number = number_in(value)
        if number is not None and ("number" in types or number.is_integer()):
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
    return value


def number_in(text: str) -> float | None:
    """Return the only number in "$1,234.50" or "1.234,50 €"; None if there are more."""
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1:
        return None
    digits = re.sub(rf"[\s{_SPACES}+]", "", numbers[0]).replace(_MINUS, "-").rstrip(".,")
    bare = digits.lstrip("-")
    if _GROUPS.fullmatch(bare):
        plain = re.sub("[.,]", "", digits)
    elif "," in bare and "." in bare:
        sign = max(".,", key=bare.rfind)
        plain = digits.replace("," if sign == "." else ".", "").replace(sign, ".")
    else:
        plain = digits.replace(",", ".")
    try:
        number = float(plain)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
