"""Calls written as a line: `browser click ref=e5`, as the command line and `batch` take them."""

import shlex
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from strap.errors import UsageError

SYNTAX = "RESOURCE ACTION key=value …"


def parse_line(line: str) -> dict[str, Any]:
    """Parse a line, split as a shell splits words, into arguments; raises `UsageError`.

    A word that begins with `#` begins a comment; `selector=#buy` does not.
    """
    return parse_words(split_line(line))


def split_line(line: str) -> list[str]:
    """Split a line into words as a shell does, without a comment; raises `UsageError`."""
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(takewhile(lambda word: not word.startswith("#"), lexer))
    except ValueError as error:
        raise UsageError(f"{line!r} cannot be split into words: {error}.") from None


def parse_words(words: Sequence[str]) -> dict[str, Any]:
    """Turn `[RESOURCE] ACTION key=value …` into arguments.

    Values are strings; the action's fields convert them. A key given twice makes a list,
    `headers.Accept=text/html` an entry of a map. Raises `UsageError`.
    """
    names = [word for word in words if "=" not in word]
    if len(names) not in (1, 2) or list(words[: len(names)]) != names:
        raise UsageError(f"A call is written as {SYNTAX}; {' '.join(words)!r} is not.")
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
