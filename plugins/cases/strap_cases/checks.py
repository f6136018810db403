"""What a check is: values alone, made by the grammar, carried out elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """What is looked for: `text` as it stands, a `path` with `*`, or a `regex`."""

    value: str
    form: Literal["text", "path", "regex"] = "text"
    ignore_case: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One check: its kind and what it was given; source and line are for reports."""

    kind: str
    given: Mapping[str, Text | str | int]
    negative: bool
    source: str
    line: int
