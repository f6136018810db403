"""Calls written as a line: `browser click ref=e5`, as the command line and `batch` take them."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from strap.errors import UsageError
from strap.text import short_repr

SYNTAX = "RESOURCE ACTION key=value …"
_TOLD = 200
"""Characters of a line that a message tells."""
_PIECE = re.compile(
    r"""(?P<blank>[ \t\r\n]+)|(?P<bare>[^ \t\r\n'"\\]+)|\\(?P<escaped>.)"""
    r"""|'(?P<single>[^']*+)'|"(?P<double>(?:[^"\\]++|\\.)*+)\"""",
    re.DOTALL,
)
"""Pieces of a line: blanks, and parts of words."""
_ESCAPED = re.compile(r"""\\(["\\])""")


def parse_line(line: str) -> dict[str, Any]:
    """Parse a line, split as a shell splits words, into arguments; raises `UsageError`.

    A word that begins with `#` begins a comment; `selector=#buy` does not.
    """
    return parse_words(split_line(line))


def split_line(line: str) -> list[str]:
    """Split a line into words as a shell does, without a comment; raises `UsageError`."""
    return list(takewhile(lambda word: not word.startswith("#"), _words(line)))


def _words(line: str) -> Iterator[str]:
    """Yield the words; `shlex` does the same, but the longer a word the longer for each sign."""
    pieces: list[str] = []
    at = 0
    while at < len(line):
        piece = _PIECE.match(line, at)
        if piece is None:
            missing = "No escaped character" if line[at] == "\\" else "No closing quotation"
            raise UsageError(f"{short_repr(line, _TOLD)} cannot be split into words: {missing}.")
        at, kind = piece.end(), piece.lastgroup or ""
        if kind != "blank":
            text = piece[kind]
            pieces.append(_ESCAPED.sub(r"\1", text) if kind == "double" else text)
        elif pieces:
            yield "".join(pieces)
            pieces = []
    if pieces:
        yield "".join(pieces)


def parse_words(words: Sequence[str]) -> dict[str, Any]:
    """Turn `[RESOURCE] ACTION key=value …` into arguments.

    Values are strings; the action's fields convert them. A key given twice makes a list,
    `headers.Accept=text/html` an entry of a map. Raises `UsageError`.
    """
    names = [word for word in words if "=" not in word]
    if len(names) not in (1, 2) or list(words[: len(names)]) != names:
        line = short_repr(" ".join(words), _TOLD)
        raise UsageError(f"A call is written as {SYNTAX}; {line} is not.")
    arguments: dict[str, Any] = dict(zip(("resource", "action")[-len(names) :], names, strict=True))
    for word in words[len(names) :]:
        key, _, value = word.partition("=")
        _add(arguments, key, value)
    return arguments


def _add(arguments: dict[str, Any], key: str, value: str) -> None:
    name, dot, entry = key.partition(".")
    before = arguments.get(name)
    if name in arguments and isinstance(before, dict) != bool(dot):
        raise UsageError(f"{name!r} is given both as {name}=value and as {name}.key=value.")
    if dot:
        arguments.setdefault(name, {})[entry] = value
    elif key in arguments:
        arguments[key] = [*before, value] if isinstance(before, list) else [before, value]
    else:
        arguments[key] = value
