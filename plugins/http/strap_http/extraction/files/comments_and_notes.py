"""Asides of a document's text: comments, charts, headers and footers, as Markdown."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

MOST = 1_000
"""Comments that are looked at."""
REACH = 1_000
"""Characters that are looked at of what only a line's beginning is shown of."""
_HEADING = re.compile(r"^## (.*)", re.MULTILINE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")  # CommonMark 0.31.2, 2.4
_LONGEST = 60
"""Characters of the words that a comment is about, of its place and of its author."""


@dataclass(kw_only=True, slots=True)
class Comment:
    """Comment by `author`; `place` is where it is, and `about` the words that it is about."""

    text: str
    author: str = ""
    place: str = ""
    about: str = ""

    def __str__(self) -> str:
        place, author, about = map(short, (self.place, self.author, self.about))
        who = ", ".join(filter(None, (place, author, f'on "{about}"' if about else "")))
        return f"- {': '.join(filter(None, (who, _line(self.text))))}"


@dataclass(kw_only=True, slots=True)
class Asides:
    """Parts of a document shown before and after its text."""

    sheets: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    kind: str = "document"
    """Word for the document in notes, such as "workbook"."""
    chunks: list[str] = field(default_factory=list)
    """Parts of the text that are stored in files of their own."""
    links: list[str] = field(default_factory=list)
    """Links of cells, whose text does not tell them."""
    charts: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    margins: dict[str, None] = field(default_factory=dict)
    """Headers and footers, each once."""

    def add(self, comments: Iterable[Comment]) -> None:
        """Add comments: those that are shown, and one, which tells that there are more."""
        self.comments += islice(comments, MOST + 1 - len(self.comments))

    def around(self, text: str) -> str:
        """Return `text` with all of it."""
        is_one = len(self.sheets) == 1 and text.strip()  # those of several are headings already
        title = f"## {self.sheets[0]}" if is_one else ""
        return "\n\n".join(
            filter(None, (title, text.strip("\n"), *self.chunks, *self._after(text)))
        )

    def _after(self, text: str) -> Iterator[str]:
        if len(self.sheets) > 1:
            headings = (_ESCAPE.sub(r"\1", heading) for heading in _HEADING.findall(text))
            shown = set(map(_line, headings))
            bare = [name for name in self.sheets if _line(name) not in shown]
            yield f"[Sheets without cells: {', '.join(bare)}]" if bare else ""
        hidden = "; ".join(self.hidden)
        yield f"[Left out, as the {self.kind} hides it: {hidden}]" if hidden else ""
        yield from self.charts
        yield _section("Links", (f"- {line}" for line in self.links))
        yield _section("Comments", self._comments())
        yield _section("Headers and footers", (f"- {line}" for line in self.margins))

    def _comments(self) -> Iterator[str]:
        yield from (str(comment) for comment in self.comments[:MOST] if comment.text.strip())
        if len(self.comments) > MOST:
            yield f"[There are more than {MOST:,} comments: these are of the first]"


def short(text: str) -> str:
    """Return `text` as one line that is not long."""
    line = _line(text[:REACH])
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def _line(text: str) -> str:
    return " ".join(text.split())


def _section(heading: str, lines: Iterable[str]) -> str:
    text = "\n".join(lines)
    return f"## {heading}\n\n{text}" if text else ""


def table(rows: list[list[str]]) -> str:
    """Return a table whose first row is its head."""
    width = max(map(len, rows), default=0)
    cells = [[_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]]) if width else ""
