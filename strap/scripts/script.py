"""The text of a script: a call a line, with `{name}` for values that may differ each time.

Lines that begin with `#` are comments, but for two: `# strap script 1` names the format, and
`#param name=JSON` gives a value, which is left out where the reader has to give one.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from strap.api.call_syntax import parse_line
from strap.errors import UsageError
from strap.records import record

FORMAT = 1
"""It changes when a reader of the last one would misread."""
SUFFIX = ".strap"
MOST_LINES, MOST_CHARACTERS = 2_000, 512 * 1024
FORBIDDEN = frozenset(("batch", "eval", "script", "live"))
"""Actions of the browser that no script has: they make other calls, or ask a person or a model."""
NAME = re.compile(r"[A-Za-z_]\w{0,39}")
_HEAD = re.compile(r"# strap script (\S+)\s*")
_PARAM = re.compile(rf"#param ({NAME.pattern})(?:=(.*))?")
_USED = re.compile(rf"(?<!\{{)\{{({NAME.pattern})\}}(?!\}})")
_BARE = re.compile(r"[\w@%+:,./{}*?&=~\[\]()!^$|;<>-]+")


@record
class Line:
    """One call; `number` is its line in the text, from 1 on."""

    arguments: Mapping[str, Any]
    number: int = 0

    @property
    def action(self) -> str:
        """The name of the action."""
        return str(self.arguments.get("action", ""))

    def filled(self, values: Mapping[str, str]) -> dict[str, Any]:
        """Return the arguments with values; raises `UsageError` for a name that has none."""
        try:
            quoted = {name: _in_quotes(value) for name, value in values.items()}
            return {
                key: _filled(value, quoted if _is_target(key, value) else values)
                for key, value in self.arguments.items()
            }
        except UsageError as error:
            raise UsageError(f"line {self.number}: {error.message}", hint=error.hint) from None

    def __str__(self) -> str:
        """Return it as `read_script` reads it."""
        words = [self.action]
        if self.arguments.get("resource", "browser") != "browser":
            words.insert(0, str(self.arguments["resource"]))
        for key, value in self.arguments.items():
            if key not in ("resource", "action"):
                words += [f"{name}={quoted_word(text)}" for name, text in _entries(key, value)]
        return " ".join(words)


@record
class Script:
    """Calls, and the values that they name; one of None has to be given."""

    lines: Sequence[Line]
    params: Mapping[str, str | None] = field(default_factory=dict)
    comment: str = ""

    def values(self, params: Mapping[str, str]) -> dict[str, str]:
        """Return all values, `params` first; raises `UsageError`."""
        if unknown := sorted(params.keys() - self.names()):
            known = ", ".join(sorted(self.names())) or "none"
            raise UsageError(f"The script has no value {unknown[0]!r}.", hint=f"It has: {known}.")
        known_values = {name: value for name, value in self.params.items() if value is not None}
        return known_values | dict(params)

    def filled(self, params: Mapping[str, str]) -> list[tuple[Line, dict[str, Any]]]:
        """Return the calls with values, by their lines; raises `UsageError`."""
        values = self.values(params)
        return [(line, line.filled(values)) for line in self.lines]

    def names(self) -> set[str]:
        """Return the names of all values that it knows or uses."""
        return set(self.params).union(*(names_in(line.arguments) for line in self.lines))

    def __str__(self) -> str:
        """Return it as `read_script` reads it."""
        head = [f"# strap script {FORMAT}", *(f"# {line}" for line in self.comment.splitlines())]
        for name, value in self.params.items():
            default = "" if value is None else f"={json.dumps(value, ensure_ascii=False)}"
            head.append(f"#param {name}{default}")
        return "\n".join((*head, *map(str, self.lines))) + "\n"


def read_script(text: str) -> Script:
    """Return the script that a text says; raises `UsageError`, which names the line."""
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"A script has at most {MOST_CHARACTERS // 1024:,} KiB.")
    rows = text.removeprefix("\ufeff").split("\n")
    if len(rows) > MOST_LINES + 1:
        raise UsageError(f"A script has at most {MOST_LINES:,} lines.")
    params: dict[str, str | None] = {}
    lines: list[Line] = []
    for number, row in enumerate(map(str.strip, rows), 1):
        try:
            if row.startswith("#"):
                params |= _param(row)
            elif row:
                lines.append(Line(arguments=_arguments(row), number=number))
        except UsageError as error:
            raise UsageError(f"line {number}: {error.message}", hint=error.hint) from None
    if not lines:
        raise UsageError("The script has no call.")
    return Script(lines=lines, params=params)


def load_script(path: Path) -> Script:
    """Return the script in a file; raises `UsageError` that names the line."""
    with path.open("rb") as file:
        data = file.read(4 * MOST_CHARACTERS + 1)
    try:
        return read_script(data.decode())
    except UnicodeDecodeError:
        raise UsageError(f"{str(path)!r} is not text in UTF-8.") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}", hint=error.hint) from None


def names_in(value: Any) -> Iterator[str]:
    """Yield the names of values in a text, or in what holds texts."""
    if isinstance(value, str):
        yield from _USED.findall(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from names_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from names_in(item)


def quoted_word(value: str) -> str:
    """Return a text as a shell, and `parse_line`, read it as one word."""
    if _BARE.fullmatch(value) and not value.startswith("#"):
        return value
    if "'" not in value:
        return f"'{value}'"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def is_plain(value: str) -> bool:
    """Whether a text can stand in a line as it is, without a name for it."""
    return not any(sign < " " for sign in value) and not _USED.search(value)


def _param(row: str) -> dict[str, str | None]:
    if (head := _HEAD.fullmatch(row)) and head[1] != str(FORMAT):
        raise UsageError(f"its format is {head[1]}, and this strap reads {FORMAT}.")
    match = _PARAM.fullmatch(row)
    if match is None:
        return {}
    if match[2] is None:
        return {match[1]: None}
    try:
        value = json.loads(match[2])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, str):
        raise UsageError(f'#param {match[1]} has no text as in {match[1]}="…".')
    return {match[1]: value}


def _arguments(row: str) -> dict[str, Any]:
    arguments = {"resource": "browser"} | parse_line(row)
    if arguments["resource"] == "browser" and arguments["action"] in FORBIDDEN:
        raise UsageError(f"There is no {arguments['action']} in a script.")
    return arguments


def _entries(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        yield from ((f"{key}.{name}", str(item)) for name, item in value.items())
    elif isinstance(value, (list, tuple)):
        yield from ((key, str(item)) for item in value)
    elif isinstance(value, bool):
        yield key, str(value).lower()
    else:
        yield key, f"{value:g}" if isinstance(value, float) else str(value)


def _is_target(key: str, value: Any) -> bool:
    """Whether values stand within the quotes of a target."""
    return key == "ref" and isinstance(value, str) and not _USED.fullmatch(value)


def _in_quotes(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1].replace("*", "\\u002a")


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _USED.sub(lambda match: _value(match[1], values), value)
    if isinstance(value, Mapping):
        return {key: _filled(item, values) for key, item in value.items()}
    return [_filled(item, values) for item in value] if isinstance(value, list) else value


def _value(name: str, values: Mapping[str, str]) -> str:
    if name not in values:
        raise UsageError(
            f"{{{name}}} has no value.", hint=f"Give one: --param {name}=…, or #param {name}=…"
        )
    return values[name]
