"""Plain words for what pydantic finds wrong with a value, for calls and for settings."""

import re
from collections.abc import Mapping
from typing import Any

_KINDS = {
    "int": "a whole number",
    "int_from_float": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "a string",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "dict": "a map of names to values",
    "model": "a map of names to values",
    "path": "a path",
}


_PROBLEMS = {
    "missing": "is missing",
    "extra_forbidden": "is unknown",
    "string_unicode": "is not valid Unicode (a lone surrogate)",
}
_SUBJECT = re.compile(r"^(Input|String|List|Tuple|Dictionary|Value) should")


def describe_error(item: Mapping[str, Any]) -> str:
    """Return what is wrong by one entry of `ValidationError.errors`, as in `must be a number`."""
    kind = item["type"]
    if kind == "value_error":
        return str(item["ctx"]["error"])
    if kind in _PROBLEMS:
        return _PROBLEMS[kind]
    name = kind.removesuffix("_type").removesuffix("_parsing")
    text = item["msg"].replace(" after validation", "")
    message = f"must be {_KINDS[name]}" if name in _KINDS else _SUBJECT.sub("must", text)
    return f"{message[0].lower()}{message[1:]}"
