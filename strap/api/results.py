"""Results of actions, and their size in tokens."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from strap.records import record
from strap.text import short_repr

DEFAULT_MAX_TOKENS = 2_500
"""Tokens that an answer may have where the call says nothing of `max_tokens`."""
DETACHED_SECONDS = 3_600.0
"""Seconds for a call that goes on as a run, where it says nothing of `timeout`."""

# Word pieces as byte-pair encoders of the o200k family see them: words (long ones split), up to
# three digits, runs of punctuation, line breaks. Measured against o200k on pages, JSON and
# snapshots the estimate is within 15 %, mostly above; it costs no vocabulary of 40 MB.
# Blanks count where they are many: a page has them by the million.
_PIECES = re.compile(r"[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]+|\n+|[^\S\n]{17,}")
_LETTERS_PER_TOKEN = 7
_MARKS_PER_TOKEN = 2
_BLANKS_PER_TOKEN = 16
# What is longer has no breaks (encoded data, a line of Chinese) and is split anywhere.
_LONGEST_WORD = 30


@record
class Image:
    """An encoded picture: `data` are the bytes of a file of type `mime`."""

    data: bytes = field(repr=False)
    mime: str = "image/jpeg"


@record
class Detached:
    """A call that goes on after it was answered, as a run of the browser's `list_runs`.

    `work(report)` carries it out, in `seconds` at most; `report` is a `Progress`, and is told of
    each of the `steps`. `resume` are the arguments of the call that goes on where a crash ended it,
    none where nothing can.
    """

    url: str
    task: str
    seconds: float
    steps: int
    work: Callable[..., Awaitable["Result"]]
    resume: Mapping[str, Any] = field(default_factory=dict)


@record
class Result:
    """An answer: text first, pictures only where asked for.

    `data` is for Python callers (plain JSON values); it never goes over MCP beside the text.
    `is_error` marks a failure that an action renders itself, by its own contract. `whole` keeps the
    router from cutting the text: it has a form, such as JSON, and the action bounds it itself.
    `files` are those that the call wrote into the folder for files; the router adds those that were
    written through `Context.outputs`.
    """

    text: str = ""
    images: tuple[Image, ...] = ()
    data: Any = None
    is_error: bool = False
    whole: bool = False
    files: tuple[Path, ...] = ()
    read: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The sites that the answer shows something of, `private` or `public`; the router adds it."""


def check_parts(result: Result) -> None:
    """Raise `TypeError` for a result whose parts are not what it says they are."""
    texts, images, files = ((result.text,), str), (result.images, Image), (result.files, Path)
    for values, kind in (texts, images, files):
        for value in values:
            if not isinstance(value, kind):
                raise TypeError(f"its Result has {short_repr(value)} in place of a {kind.__name__}")


def count_tokens(text: str) -> int:
    """Estimate the number of o200k tokens of `text`."""
    return sum(_weight(piece) for piece in _PIECES.findall(text))


def _weight(piece: str) -> int:
    first = piece[0]
    if first.isdigit():
        return 1
    if first.isspace():
        return -(-len(piece) // _BLANKS_PER_TOKEN)
    if first.isascii():
        per_token = _LETTERS_PER_TOKEN if first.isalpha() else _MARKS_PER_TOKEN
        return -(-len(piece) // per_token)
    return -(-len(piece) * 2 // 3)


def cut(text: str, max_tokens: int) -> tuple[str, str]:
    """Split `text` where it reaches `max_tokens`, at a line break if one is near.

    Returns the head that fits and the rest (empty if all of it fits).
    """
    if len(text) <= max_tokens:
        return text, ""  # no token is shorter than a character
    used = 0
    for match in _PIECES.finditer(text):
        piece, weight = match.group(), _weight(match.group())
        used += weight
        if used > max_tokens:
            at = match.start()
            if len(piece) > _LONGEST_WORD:
                at += len(piece) * (max_tokens - used + weight) // weight
            newline = text.rfind("\n", at - at // 5, at)
            at = newline + 1 if newline > 0 else at
            return text[:at], text[at:]
    return text, ""
