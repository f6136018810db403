"""JSON: the values that a JSONPath leads to (RFC 9535), and which paths there are."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from strap import record
from strap.text import counted

MOST = 100_000
"""Values that a path may lead to."""
MOST_PATHS = 1_000
"""Paths of an outline; data whose keys are names or numbers has ever more."""
DEEPEST = 16
_LONGEST = 60
"""Characters of an example."""


@record
class Selected:
    """Result: `text` has `count` values or paths; or `problem` says why there are none."""

    text: str = ""
    count: int = 0
    problem: str = ""


def select(content: bytes, *, path: str) -> Selected:
    """Return the values that `path` leads to: one as it is, several as an array, one a line."""
    import jsonpath

    try:
        matches = jsonpath.compile(_from_root(path)).finditer(_parsed(content))
        values = [match.obj for match in islice(matches, MOST)]
    except jsonpath.JSONPathError as error:
        return Selected(problem=f"not a valid JSONPath: {_line(error)}")
    except (ValueError, RecursionError) as error:
        return Selected(problem=f"no valid JSON: {_line(error)}")
    if len(values) == 1:
        return Selected(text=json.dumps(values[0], ensure_ascii=False, indent=1), count=1)
    lines = ",\n".join(json.dumps(value, ensure_ascii=False) for value in values)
    return Selected(text=f"[\n{lines}\n]" if values else "", count=len(values))


def outline(content: bytes) -> Selected:
    """Return the paths of the values, each with its types, how many there are, and an example."""
    try:
        data = _parsed(content)
        paths: dict[str, _Values] = {}
        for path, value in _walk(data, "$", DEEPEST):
            if path not in paths and len(paths) >= MOST_PATHS:
                break
            paths.setdefault(path, _Values()).add(value)
    except (ValueError, RecursionError) as error:
        return Selected(problem=f"no valid JSON: {_line(error)}")
    text = "\n".join(f"{path}: {values}" for path, values in paths.items())
    return Selected(text=text, count=len(paths))


@dataclass(slots=True)
class _Values:
    """The values at one path."""

    count: int = 0
    types: dict[str, None] = field(default_factory=dict)
    example: str = ""

    def add(self, value: Any) -> None:
        self.count += 1
        self.types[_type(value)] = None
        if not self.example and not isinstance(value, dict):
            self.example = _example(value)

    def __str__(self) -> str:
        many = f" ({self.count:,})" if self.count > 1 else ""
        example = f", as {self.example}" if self.example else ""
        return f"{' or '.join(self.types)}{many}{example}"


def _example(value: Any) -> str:
    if isinstance(value, list):
        return counted(len(value), "item")
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _walk(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    yield path, value
    if depth and isinstance(value, dict):
        for name, inner in value.items():
            step = f".{name}" if name.isidentifier() else f"[{json.dumps(name)}]"
            yield from _walk(inner, path + step, depth - 1)
    elif depth and isinstance(value, list):
        for inner in value:
            yield from _walk(inner, f"{path}[*]", depth - 1)


def _type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def _parsed(content: bytes) -> Any:
    """The data; of lines that are each a value, the list of them. Raises `ValueError`."""
    text = content.decode("utf-8-sig", "replace")
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if not lines[1:]:
            raise
    return [json.loads(line) for line in lines]


def _from_root(path: str) -> str:
    path = path.strip()
    if path.startswith("$"):
        return path
    return f"${path}" if path.startswith("[") else f"$.{path}"


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
