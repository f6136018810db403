"""Problems in case files: a line each, all of them at once."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from strap import UsageError

LONGEST_NAME = 64
"""Characters; comparing a line of kilobytes with every name would take long."""
BEGINNING, END = 400, 300
"""Characters that are told of a problem: what it is, what to write. A line may be a whole file."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Problem at a line (1 is the first): what, why, what to write."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        text = self.text
        if len(text) > BEGINNING + END:
            text = f"{text[:BEGINNING]} … {text[-END:]}"
        return f"{self.path}:{self.line}: {text}"


class BadCases(UsageError):
    """Case files that do not parse; `problems` in the order of files and lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(slots=True)
class Problems:
    """Gathers what is wrong with one file."""

    path: Path
    entries: set[Problem] = field(default_factory=set)

    def add(self, line: int, text: str) -> None:
        """Note a problem; one that many rows of a table have is noted once."""
        self.entries.add(Problem(self.path, line, text))

    @contextmanager
    def at(self, line: int) -> Iterator[None]:
        """Note a `UsageError` raised inside as a problem of that line; `BadCases` know theirs."""
        try:
            yield
        except BadCases as bad:
            self.entries |= set(bad.problems)
        except UsageError as error:
            self.add(line, str(error))


def closest(name: str, valid: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?`, or all that is valid where nothing is close."""
    names = list(valid)
    near = get_close_matches(name.casefold(), names, n=1) if len(name) <= LONGEST_NAME else []
    return f" Did you mean {near[0]!r}?" if near else f" There are: {', '.join(names)}."
