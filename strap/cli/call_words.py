"""The words of a call on the command line, and the arguments that they stand for."""

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from strap.api.call_syntax import parse_words, split_line
from strap.errors import UsageError
from strap.mcp.signals import ending

if TYPE_CHECKING:
    from strap.routing.catalog import Catalog

STDIN = "-"
"""In place of a call, and as a body: what standard input has."""
_BODY = "body="
_NAMED = re.compile(r"\w+(\.[^=/?:]*)?=")
"""A word that begins with the name of a field; an address with a query does not."""


Read = Callable[[], Sequence[str]]
"""Returns the words of a call; raises `UsageError`."""


def calls_of(words: Sequence[str]) -> Iterable[Read]:
    """Return what reads each call: one, or a line each of standard input for `-`."""
    stdin = sys.stdin  # None where it is closed
    if list(words) != [STDIN]:
        return [partial(with_contents, words, stdin.buffer if stdin else io.BytesIO())]
    lines = _lines(stdin) if stdin else ()
    return (partial(_words_of, line) for line in lines if line.strip() and line[0] != "#")


def _lines(stdin: IO[str]) -> Iterator[str]:
    while True:
        with ending.interrupting():
            line = stdin.readline()
        if not line:
            return
        yield line


def _words_of(line: str) -> Sequence[str]:
    return with_contents(split_line(line), None)


def with_contents(words: Sequence[str], stdin: IO[bytes] | None) -> list[str]:
    """Replace `body=@FILE` and `body=-` by what the file or standard input has.

    `stdin` is None where calls are read from it. Raises `UsageError`.
    """
    return [_with_content(word, stdin) for word in words]


def _with_content(word: str, stdin: IO[bytes] | None) -> str:
    value = word.removeprefix(_BODY)
    if value == word or not (value == STDIN or value.startswith("@")):
        return word
    if value == STDIN and stdin is None:
        raise UsageError("body=- cannot be: standard input has the calls. Give body=@FILE.")
    try:
        with ending.interrupting():
            data = stdin.read() if stdin and value == STDIN else Path(value[1:]).read_bytes()
        return _BODY + data.decode()
    except OSError as error:
        raise UsageError(f"{word} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{word} is not text in UTF-8, and a body is text.") from None


def to_arguments(words: Sequence[str], catalog: "Catalog") -> dict[str, Any]:
    """Return the arguments of a call; raises `UsageError`.

    One word without a name is the value of the one field that the action requires.
    """
    named = 2 if words and words[0] in catalog.resources else 1
    others = [i for i, word in enumerate(words) if i >= named and not _NAMED.match(word)]
    if named == 1 and others and not (_NAMED.match(words[0]) or _is_action(words[0], catalog)):
        catalog.find(words[0], words[others[0]])  # says what it may have been meant to be
    if len(others) != 1:
        return parse_words(words)
    field = _required(words[:named], words[others[0]], catalog)
    if repeated := [word for word in words if word.startswith(f"{field}=")]:
        raise UsageError(f"{field!r} is given both as {repeated[0]} and without its name.")
    return parse_words([f"{field}={w}" if i == others[0] else w for i, w in enumerate(words)])


def _is_action(word: str, catalog: "Catalog") -> bool:
    return any(action.name == word for action in catalog.actions.values())


def _required(names: Sequence[str], word: str, catalog: "Catalog") -> str:
    from strap.routing.argument_errors import signature

    action = catalog.find(names[0] if len(names) > 1 else None, names[-1])
    required = [name for name, field in action.fields.items() if field.required]
    if len(required) != 1:
        raise UsageError(
            f"{action.qualified}: {word!r} needs the name of its field, as in key=value. "
            f"Takes: {signature(action)}."
        )
    return required[0]
