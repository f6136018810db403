"""Recordings: what the agent did in a case, as JSON Lines in a file that people can review."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from strap import write_atomically
from strap_cases.cases import Case
from strap_cases.grammar import parse_check
from strap_cases.problems import BadCases, Problem
from strap_cases.reading import SUFFIX

FOLDER = "replays"
"""Beside the file of the cases."""
FORMAT: Literal[1] = 1
"""Version of the format; it rises when a reader of the last one would misread the file."""
MOST_ACTS = 50
MOST_BYTES = 256 * 1024
LONGEST_NAME = 60
"""Characters of a title in the name of a file."""
AGAIN = "record it anew with --update, or delete the file"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


Made = TypeVar("Made", bound=_Line)


class Target(_Line):
    """Features that identify an element: exactly one element must have all of them."""

    role: str = Field(min_length=1)
    name: str = ""
    testid: str | None = None
    id: str | None = None
    field: str | None = None
    """The attribute `name` of a form's field."""
    row: str | None = None
    """The words of the row, entry or card that it stands in, where others are called like it."""
    framed: bool = False
    """Whether it is in a frame of the page."""


class Act(_Line):
    """An action; `at` is where the page was, `text` what was put in, pressed or gone to."""

    do: Literal["open", "back", "click", "fill", "type", "select", "press", "scroll"]
    segment: int = Field(1, ge=1)
    at: str = ""
    find: Target | None = None
    text: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.find is None and self.do in ("click", "fill", "type", "select"):
            raise ValueError(f"{self.do} needs find")
        if self.text is None and self.do not in ("click", "back"):
            raise ValueError(f"{self.do} needs text")
        return self


class Head(_Line):
    """The first line: of which case the recording is, and how long it is."""

    format: Literal[1] = FORMAT
    case: str
    steps: str
    """Digest of the steps it was made of."""
    actions: int = Field(ge=0)


@dataclass(frozen=True, slots=True)
class Recording:
    """Content of a file."""

    head: Head
    acts: Sequence[Act]


def place_of(case: Case) -> Path:
    """Return the file of a case's recording; no two cases have the same."""
    stem = case.path.name.removesuffix(SUFFIX).removesuffix(".md")
    slug = re.sub(r"\W+", "-", case.name).strip("-").casefold()[:LONGEST_NAME].strip("-")
    name = f"{slug}-{sha256(case.name.encode()).hexdigest()[:6]}.jsonl"
    return case.path.parent / FOLDER / stem / name


def digest_of(case: Case, values: Mapping[str, str]) -> str:
    """Return what changes with the steps of a case, but not with a server or a check's text."""
    settings = case.settings
    told = [
        case.title,
        [[each.steps.text, _kinds(each.checks, values)] for each in case.segments],
        _kinds(case.checks, values),
        sorted(case.row),
        [settings.url, settings.viewport, case.state],
    ]
    return sha256(json.dumps(told).encode()).hexdigest()[:16]


def _kinds(checks: Sequence[Any], values: Mapping[str, str]) -> list[str]:
    made = [parse_check(line.text, line.line, values) for line in checks]
    return [f"{'no ' if each.negative else ''}{each.kind}" for each in made]


def write(recording: Recording, path: Path) -> None:
    """Write a recording; the same one gives the same bytes. Raises `OSError`."""
    lines: list[BaseModel] = [recording.head, *recording.acts]
    told = [_plain(line) for line in lines]
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in told)
    write_atomically(path, text.encode("utf-8", "replace"), private=False)


def _plain(line: BaseModel) -> dict[str, Any]:
    always = {"format": FORMAT} if isinstance(line, Head) else {}
    return {**always, **line.model_dump(exclude_defaults=True)}


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
    lines = data.decode("utf-8", "replace").splitlines()
    plain = [_json(line, path, number) for number, line in enumerate(lines, 1)]
    if not plain:
        raise _bad(path, 1, f"it is empty; {AGAIN}")
    head, *rest = plain
    if head.get("format") != FORMAT:
        told = json.dumps(head.get("format"))[:20]
        raise _bad(path, 1, f"its format is {told}, and this strap reads {FORMAT}; {AGAIN}")
    return _checked(path, _made(Head, head, path, 1), rest)


def _checked(path: Path, head: Head, rest: Sequence[Mapping[str, Any]]) -> Recording:
    acts = [_made(Act, each, path, number) for number, each in enumerate(rest, 2)]
    if len(acts) != head.actions:
        what = f"its head says {head.actions} actions, and it has {len(acts)}"
        raise _bad(path, len(acts) + 1, f"{what}; {AGAIN}")
    if len(acts) > MOST_ACTS:
        raise _bad(path, MOST_ACTS + 2, f"it has more than {MOST_ACTS} actions; {AGAIN}")
    for number, (before, act) in enumerate(pairwise(acts), 3):
        if act.segment < before.segment:
            raise _bad(path, number, f"segment {act.segment} comes after {before.segment}; {AGAIN}")
    return Recording(head, acts)


def _json(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _bad(path, number, f"this is not a JSON object; {AGAIN}")
    return value


def _made(kind: type[Made], value: Any, path: Path, number: int) -> Made:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        what = ": ".join(filter(None, (where, first["msg"].removeprefix("Value error, "))))
        raise _bad(path, number, f"{what}; {AGAIN}") from None


def _bad(path: Path, line: int, text: str) -> BadCases:
    return BadCases([Problem(path, line, f"a recording: {text}")])
