"""What a document says beside its text: comments, charts, headers and footers, as Markdown."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

MOST = 1_000
"""Comments that are shown."""
LONGEST = 20_000
"""Characters of a comment, a header or a cell of a chart."""
_HEADING = re.compile(r"^## (.*)", re.MULTILINE)
_LONGEST = 60
"""Characters of the words that a comment is about."""


@dataclass(kw_only=True, slots=True)
class Comment:
    """What somebody said; `place` is where, and `about` the words that it is about."""

    text: str
    author: str = ""
    place: str = ""
    about: str = ""

    def __str__(self) -> str:
        about = " ".join(self.about.split())
        about = about if len(about) <= _LONGEST else f"{about[: _LONGEST - 1].rstrip()}…"
        told = (self.place, self.author, f'on "{about}"' if about else "")
        who = ", ".join(" ".join(part.split()) for part in told if part.strip())
        return f"- {': '.join(filter(None, (who, ' '.join(self.text.split()))))}"


@dataclass(kw_only=True, slots=True)
class Asides:
    """What stands before a document's text, and after it."""

    sheets: list[str] = field(default_factory=list)
    """The names of the sheets that are shown."""
    charts: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    margins: dict[str, None] = field(default_factory=dict)
    """Headers and footers, each once."""

    def around(self, text: str) -> str:
        """Return `text` with all of it."""
        is_one = len(self.sheets) == 1 and text.strip()  # those of several are headings already
        title = f"## {self.sheets[0]}" if is_one else ""
        return "\n\n".join(filter(None, (title, text.strip("\n"), *self._after(text))))

    def _after(self, text: str) -> Iterator[str]:
        if len(self.sheets) > 1:
            headings = set(map(_letters, _HEADING.findall(text)))
            bare = [name for name in self.sheets if _letters(name) not in headings]
            yield f"[Sheets without cells: {', '.join(bare)}]" if bare else ""
        yield from self.charts
        yield _section("Comments", self._comments())
        yield _section("Headers and footers", (f"- {line}" for line in self.margins))

    def _comments(self) -> Iterator[str]:
        said = [comment for comment in self.comments if comment.text.strip()]
        yield from map(str, said[:MOST])
        if len(said) > MOST:
            yield f"[{len(said) - MOST:,} more comments]"


def _letters(name: str) -> str:
    """What is left of a name however its marks are escaped."""
    return "".join(filter(str.isalnum, name))


def _section(heading: str, lines: Iterable[str]) -> str:
    text = "\n".join(lines)
    return f"## {heading}\n\n{text}" if text else ""


def table(rows: list[list[str]]) -> str:
    """Return a table whose first row is its head."""
    width = max(map(len, rows), default=0)
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]]) if width else ""
