"""Playwright's accessibility snapshot (`page.aria_snapshot(mode="ai")`) as a tree.

One node a line, two spaces of indentation a level, in the YAML subset of Playwright's
`ariaSnapshotRenderer`: `- role "name" [mark] [ref=e5] [cursor=pointer]: text`, loose text as
`- text: …`, properties as `- /url: …`.
"""

import json
import re
from dataclasses import dataclass, field

_LINE = re.compile(
    r"^(?P<indent> *)- (?:"
    r"(?P<special>text|/url|/placeholder): (?P<content>.*)"
    r"|(?P<quoted>'.*)"
    r'|(?P<role>[^\s"\[:]+)(?: (?P<name>"(?:[^"\\]|\\.)*"))?(?P<marks>(?: \[[^\]]*\])*)'
    r"(?::(?: (?P<value>.*))?)?"
    r")$",
    re.MULTILINE,
)
_QUOTED_KEY = re.compile(r"'(?P<key>(?:[^']|'')*)'(?P<rest>.*)$")
_ESCAPED = re.compile(r"\\(\\|x([0-9a-f]{2}))")
_REF = "ref="
MAX_DEPTH = 100
"""Levels kept, so that no page exhausts the stack; what is deeper is moved up to the last one."""
_POINTER = "cursor=pointer"


@dataclass(slots=True, eq=False)
class Node:
    """An element, or with role `text` a piece of text.

    `ref` is Playwright's (`e5`, `f2e5`), `marks` are its states (`checked`, `level=2`), `text` is
    the value of a field or the only text inside.
    """

    role: str
    name: str = ""
    text: str = ""
    marks: tuple[str, ...] = ()
    ref: str = ""
    pointer: bool = False
    url: str = ""
    placeholder: str = ""
    children: list["Node"] = field(default_factory=list)


def parse(snapshot: str) -> Node:
    """Return the tree below a node of role `page`; a line that cannot be read is left out."""
    root = Node("page")
    path = [root]
    for match in _LINE.finditer(snapshot):
        indent, special, content, *rest = match.groups()
        depth = min(len(indent) // 2, MAX_DEPTH)
        del path[depth + 1 :]
        parent = path[-1]
        if special == "/url":
            parent.url = _value(content)
        elif special == "/placeholder":
            parent.placeholder = _value(content)
        else:
            node = Node("text", text=_value(content)) if special else _node(*rest)
            parent.children.append(node)
            path.append(node)
    return root


def _node(
    quoted: str | None, role: str | None, name: str | None, marks: str | None, value: str | None
) -> Node:
    if quoted is not None:
        return _unquoted(quoted)
    node = Node(role or "text", _value(name or ""), _value(value or ""))
    if marks:
        states = []
        for mark in marks[2:-1].split("] ["):
            if mark.startswith(_REF):
                node.ref = mark[4:]
            elif mark == _POINTER:
                node.pointer = True
            else:
                states.append(mark)
        node.marks = tuple(states)
    return node


def _unquoted(quoted: str) -> Node:
    """Read a line whose key YAML had to quote, such as one with a colon in the name."""
    if key := _QUOTED_KEY.match(quoted):
        match = _LINE.match("- " + key["key"].replace("''", "'") + key["rest"])
        if match is not None and match["role"]:
            return _node(None, *match.group("role", "name", "marks", "value"))
    return Node("text", text=quoted)


def _value(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        if "\\" not in text:
            return text[1:-1]
        try:
            return str(json.loads(_ESCAPED.sub(_json_escape, text), strict=False))
        except ValueError:
            return text[1:-1]
    return text


def _json_escape(match: re.Match[str]) -> str:
    return f"\\u00{match[2]}" if match[2] else match[0]
