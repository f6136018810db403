"""Checks as plain values: made by the grammar, carried out elsewhere."""

from collections.abc import Mapping
from typing import Literal

from strap import record


@record
class Text:
    """Text to look for: literal `text`, a `path` with `*`, or a `regex`."""

    value: str
    form: Literal["text", "path", "regex"] = "text"
    ignore_case: bool = False


@record
class Check:
    """One check: its kind and what it was given; source and line are for reports."""

    kind: str
    arguments: Mapping[str, Text | str | int]
    negative: bool
    source: str
    line: int
