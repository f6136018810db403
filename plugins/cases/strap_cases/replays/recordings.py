"""Recordings: what the agent did in a case, as a script in a file that people can review."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from strap import UsageError, record, write_atomically
from strap.scripts.script import Line, Script, read_script
from strap_cases.cases import Case
from strap_cases.grammar import parse_check
from strap_cases.problems import BadCases, Problem
from strap_cases.reading import SUFFIX

FOLDER = "replays"
"""Beside the file of the cases."""
MOST_CALLS = 80
"""Calls of a recording, with those that wait for an address."""
MOST_BYTES = 256 * 1024
LONGEST_NAME = 60
"""Characters of a title in the name of a file."""
AGAIN = "record it anew with --update, or delete the file"
FIELDS = {
    "back": (),
    "click": ("ref",),
    "fill": ("ref", "value"),
    "navigate": ("url",),
    "press": ("key",),
    "scroll": ("text",),
    "select": ("ref", "value"),
    "type": ("ref", "text"),
    "wait": ("url",),
}
"""Actions and fields of a recording: it is played without anybody who looks."""
_HEAD = re.compile(r"# case of steps ([0-9a-f]+), (\d+) calls?: .*")
_SEGMENT = re.compile(r"# segment (\d{1,4})")
_PLACE = re.compile(r"line (\d+): ")


@record
class Recording:
    """Content of a file: the calls of each segment of a case, and texts by the names in them."""

    segments: Sequence[Sequence[Line]]
    params: Mapping[str, str] = field(default_factory=dict)
    steps: str = ""
    """Digest of the steps it was made of."""

    def does_the_same(self, other: "Recording") -> bool:
        """Tell whether another one makes the same calls."""
        return _texts(self.segments) == _texts(other.segments) and self.params == other.params


def call(action: str, **fields: str) -> Line:
    """Return a call of the browser."""
    return Line(arguments={"resource": "browser", "action": action, **fields})


def place_of(case: Case) -> Path:
    """Return the file of a case's recording; no two cases have the same."""
    stem = case.path.name.removesuffix(SUFFIX).removesuffix(".md")
    slug = re.sub(r"\W+", "-", case.name).strip("-").casefold()[:LONGEST_NAME].strip("-")
    name = f"{slug}-{sha256(case.name.encode()).hexdigest()[:6]}.strap"
    return case.path.parent / FOLDER / stem / name


def digest_of(case: Case, values: Mapping[str, str]) -> str:
    """Return what changes with the steps of a case, but not with a server or a check's text."""
    settings = case.settings
    content = [
        case.title,
        [[segment.steps.text, _kinds(segment.checks, values)] for segment in case.segments],
        _kinds(case.checks, values),
        sorted(case.row),
        [settings.url, settings.viewport, case.state],
    ]
    return sha256(json.dumps(content).encode()).hexdigest()[:16]


def _kinds(checks: Sequence[Any], values: Mapping[str, str]) -> list[str]:
    made = [parse_check(line.text, line.line, values) for line in checks]
    return [f"{'no ' if check.negative else ''}{check.kind}" for check in made]


def write(recording: Recording, case: str, path: Path) -> None:
    """Write a recording; the same one gives the same bytes. Raises `OSError`."""
    count = sum(map(len, recording.segments))
    calls = "1 call" if count == 1 else f"{count} calls"
    comment = f"case of steps {recording.steps}, {calls}: {json.dumps(case, ensure_ascii=False)}"
    text = str(Script(lines=(), params=recording.params, comment=comment))
    for number, lines in enumerate(recording.segments, 1):
        text += f"# segment {number}\n" if number > 1 and lines else ""
        text += "".join(f"{line}\n" for line in lines)
    write_atomically(path, text.encode("utf-8", "replace"), private=False)


def read(path: Path) -> Recording | None:
    """Return the recording in a file, None without one; raises `BadCases` with the bad line."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _bad(path, 1, f"it cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise _bad(path, 1, f"it has more than {MOST_BYTES // 1024} KiB; {AGAIN}")
    rows = data.decode("utf-8", "replace").split("\n")
    head = next(filter(None, map(_HEAD.fullmatch, rows[:2])), None)
    script = _script(path, rows)
    for line in script.lines:
        _check(path, line)
    if head is None:
        raise _bad(path, 2, f"it says of no case that it is its own; {AGAIN}")
    if len(script.lines) != int(head[2]):
        what = f"its head says {head[2]} calls, and it has {len(script.lines)}"
        raise _bad(path, len(rows), f"{what}; {AGAIN}")
    segments = [[*segment] for segment in _segments(path, rows, script.lines)]
    params = {name: value or "" for name, value in script.params.items()}
    return Recording(segments=segments, params=params, steps=head[1])


def _script(path: Path, rows: Sequence[str]) -> Script:
    if not any(row and not row.startswith("#") for row in rows[1:]) and rows[0].startswith("#"):
        rows = [*rows, "back"]  # of an agent that only looked
        return Script(lines=(), params=_script(path, rows).params)
    try:
        return read_script("\n".join(rows))
    except UsageError as error:
        place = _PLACE.match(error.message)
        text = error.message[place.end() :] if place else error.message
        raise _bad(path, int(place[1]) if place else 1, f"{text.rstrip('.')}; {AGAIN}") from None


def _check(path: Path, line: Line) -> None:
    names = {name for name in line.arguments if name not in ("resource", "action")}
    allowed = FIELDS.get(line.action) if line.arguments["resource"] == "browser" else None
    if allowed is None or names != {*allowed}:
        raise _bad(path, line.number, f"{str(line)[:60]!r} is no call of a recording; {AGAIN}")


def _segments(path: Path, rows: Sequence[str], lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the calls of each segment; a segment without any may have no line that names it."""
    numbers, at = dict[int, int](), 1
    for number, row in enumerate(rows, 1):
        if match := _SEGMENT.fullmatch(row):
            if int(match[1]) <= at:
                raise _bad(path, number, f"segment {match[1]} comes after {at}; {AGAIN}")
            at = int(match[1])
        numbers[number] = at
    for segment in range(1, at + 1):
        yield [line for line in lines if numbers[line.number] == segment]


def _texts(segments: Sequence[Sequence[Line]]) -> list[list[str]]:
    return [list(map(str, lines)) for lines in segments if lines]


def _bad(path: Path, line: int, text: str) -> BadCases:
    return BadCases([Problem(path, line, f"a recording: {text}")])
