"""Cases of a file: plain values, made by reading."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from strap import record
from strap_cases.checks import Check
from strap_cases.settings import Settings


@dataclass(frozen=True, slots=True)
class Line:
    """A text as it was written, and its line (1 is the first)."""

    text: str
    line: int


@record
class Segment:
    """Steps that the agent does in one go, and the checks right after."""

    steps: Line
    checks: tuple[Line, ...] = ()


@record
class Case:
    """A case, for one row of its table; values in braces are not filled in yet."""

    path: Path
    title: str
    line: int
    tags: tuple[str, ...]
    settings: Settings
    segments: tuple[Segment, ...]
    preparation: tuple[Line, ...] = ()
    checks: tuple[Line, ...] = ()
    """Made after the last segment, those of the file among them."""
    expectations: tuple[Line, ...] = ()
    """In plain words: the model judges them."""
    finally_: tuple[Line, ...] = ()
    setup: str = ""
    """The name of the state that it makes."""
    state: str = ""
    """The name of the state that it starts with."""
    row: Mapping[str, str] = field(default_factory=dict)
    row_name: str = ""
    source: str = ""
    """Its lines as they stand, as far as a report shows them."""
    original: bool = False
    """Whether it is written in the form of `# Task` and `# Expected Output`."""

    @property
    def name(self) -> str:
        """The title, and which row of the table it is."""
        return f"{self.title} [{self.row_name}]" if self.row_name else self.title

    @property
    def id(self) -> str:
        """Names the case: `path::title[row]`."""
        row = f"[{self.row_name}]" if self.row_name else ""
        return f"{self.path.as_posix()}::{self.title}{row}"

    @property
    def checkable(self) -> bool:
        """Whether there is anything that strap checks itself."""
        return bool(self.checks or any(segment.checks for segment in self.segments))


@record
class Filled:
    """Content of one attempt: a case with all values filled in."""

    segments: tuple[tuple[str, tuple[Check, ...]], ...]
    preparation: tuple[Mapping[str, object], ...]
    """Calls, as arguments of the web tool."""
    checks: tuple[Check, ...]
    expectations: tuple[str, ...]
    finally_: tuple[Mapping[str, object], ...]
