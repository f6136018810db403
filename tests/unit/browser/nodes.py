"""Trees of nodes for tests, written as an outline.

A line for each node, two spaces of indentation for each level:
`role "name" [mark] e5 pointer labelled: text`, and `text: …` for loose text.
"""

import re

from strap_browser.snapshot.nodes import Node

LINE = re.compile(
    r'(?P<indent> *)(?P<role>\w+)(?: "(?P<name>[^"]*)")?(?P<marks>(?: \[[^\]]*\])*)'
    r"(?: (?P<ref>e\d+))?(?P<pointer> pointer)?(?P<hidden> hidden)?(?P<labelled> labelled)?"
    r"(?:: (?P<text>.*))?"
)


def nodes(outline: str) -> list[Node]:
    """Return the nodes at the top."""
    path = [Node("page")]
    for line in outline.splitlines():
        found = LINE.fullmatch(line)
        assert found, line
        node = Node(
            found["role"],
            name=found["name"] or "",
            text=found["text"] or "",
            marks=tuple(re.findall(r"\[(.*?)\]", found["marks"])),
            ref=found["ref"] or "",
            pointer=bool(found["pointer"]),
            hidden=bool(found["hidden"]),
            labelled=bool(found["labelled"]),
        )
        del path[len(found["indent"]) // 2 + 1 :]
        path[-1].children.append(node)
        path.append(node)
    return path[0].children
