"""Searches that a worker does for checks: for an expression, or for the most similar text."""

import json
import re
from dataclasses import dataclass
from difflib import get_close_matches

NEAR = 0.4
"""Likeness from which on a line of the page tells what is there instead."""


@dataclass(frozen=True, kw_only=True)
class Matched:
    """Numbers of the texts that match."""

    text: str = ""
    numbers: list[int]


@dataclass(frozen=True, kw_only=True)
class Nearest:
    """The text that is most like another one; empty if none is like it."""

    text: str


def match(payload: bytes, *, pattern: str, ignore_case: bool) -> Matched:
    """Look for a regular expression in each of the texts, a list of JSON."""
    compiled = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    numbers = [number for number, text in enumerate(json.loads(payload)) if compiled.search(text)]
    return Matched(numbers=numbers)


def nearest(payload: bytes, *, text: str) -> Nearest:
    """Find the one of the texts, a list of JSON, that is most like the wanted one."""
    return Nearest(text="".join(get_close_matches(text, json.loads(payload), n=1, cutoff=NEAR)))
