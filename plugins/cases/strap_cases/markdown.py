"""The parts of a Markdown text that a case is made of, each with its lines (0 is the first)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from strap import record


@record
class Block:
    """A heading, paragraph, fence or list item: its text, and its lines from `start` to `end`."""

    text: str
    start: int
    end: int
    level: int = 0
    """Level of a heading."""
    listed: bool = False
    code: str = ""
    """The code that it begins with."""
    alone: bool = False
    """Whether it is that code and nothing else."""


@record
class Table:
    """A table: rows of cells, the head first, each with its line."""

    rows: list[tuple[int, list[str]]]
    start: int


@dataclass(kw_only=True, slots=True)
class Document:
    """A text as lines, and what is in it."""

    lines: Sequence[str]
    front: Block | None = None
    headings: list[Block] = field(default_factory=list)
    paragraphs: list[Block] = field(default_factory=list)
    """Those of lists as well, in order."""
    fences: list[Block] = field(default_factory=list)
    """`code` is the info string."""
    tables: list[Table] = field(default_factory=list)


def parse(text: str) -> Document:
    """Parse Markdown with front matter and tables."""
    tokens = MarkdownIt("commonmark").enable("table").use(front_matter_plugin).parse(text)
    lines = text.split("\n")
    document = Document(lines=lines, tables=list(_tables(tokens, lines)))
    for index, token in enumerate(tokens):
        start, end = token.map or (0, 0)
        if token.type == "front_matter":
            document.front = Block(text=token.content, start=1, end=end)
        elif token.type == "fence":
            info = " ".join(token.info.split())
            document.fences.append(Block(text=token.content, start=start, end=end, code=info))
        elif token.type == "heading_open" and token.level == 0:
            heading = Block(
                text=tokens[index + 1].content, start=start, end=end, level=int(token.tag[1:])
            )
            document.headings.append(heading)
        elif token.type == "paragraph_open":
            listed = index > 0 and tokens[index - 1].type == "list_item_open"
            document.paragraphs.append(_paragraph(tokens[index + 1], listed=listed))
    return document


def _paragraph(inline: Token, *, listed: bool) -> Block:
    start, end = inline.map or (0, 0)
    children = inline.children or []
    code = children[0].content if children and children[0].type == "code_inline" else ""
    return Block(
        text=inline.content,
        start=start,
        end=end,
        listed=listed,
        code=code,
        alone=bool(code) and len(children) == 1,
    )


def _tables(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Table]:
    for token in tokens:
        if token.type == "table_open" and token.map:
            start, end = token.map
            numbers = [start, *range(start + 2, end)]  # without the line below the head
            yield Table(rows=[(n, _cells(lines[n])) for n in numbers], start=start)


def _cells(line: str) -> list[str]:
    """Split a row; the parser would fill up short rows and cut long ones."""
    inner = re.sub(r"^\s*\||(?<!\\)\|\s*$", "", line)
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]
