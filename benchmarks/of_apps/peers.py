"""How the peers are told the calls of a plan: by the refs of their own snapshots."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.of_apps.playing import Cannot, named
from benchmarks.wire import Answer, Failed, Server
from strap.targets.grammar import Part, Target, parse_target

ICONS = re.compile("[\ue000-\uf8ff]")
"""Letters of fonts that draw icons."""
ALIASES = {"clickable": "", "text": "", "frame": "iframe"}
"""Roles in snapshots of others, by strap's names for elements without one; "": anything."""

ACTING = ("button", "checkbox", "combobox", "link", "menuitem", "option", "radio", "tab", "textbox")
"""Roles that no peer gives to what is something else by strap."""


@dataclass(frozen=True)
class Node:
    """A line of a snapshot."""

    depth: int
    role: str
    name: str
    ref: str
    above: tuple["Node", ...]


class Peer:
    """One that shows a tree of lines with refs."""

    line: re.Pattern[str]
    """Groups: indent, role, name, and ref; in whatever order."""

    @property
    def snapshot(self) -> tuple[str, Mapping[str, Any]]:
        """The call that looks at the page."""
        raise NotImplementedError

    def __init__(self, server: Server, uploads: str) -> None:
        self._server = server
        self.uploads = uploads
        self._nodes: Sequence[Node] = ()
        self._seen = ""
        """Text of the last look, if no call came after it."""
        self._page = "t1"

    def look(self) -> Answer:
        answer = self._server.call(*self.snapshot)
        self._seen = answer.text
        self._nodes = self._read(answer.text)
        return answer

    def turn(self, fields: Mapping[str, Any]) -> Callable[[], Answer] | None:
        page = fields.get("target_id", self._page)
        if page == self._page:
            return None
        self._page, self._nodes = page, ()
        return lambda: self._server.call(*self.to_page(int(page[1:]) - 1))

    def to_page(self, number: int) -> tuple[str, Any]:
        """Return the call that makes another page the current one, counted from 0."""
        raise Cannot("no call for another page")

    def knows(self, fields: Mapping[str, Any]) -> bool:
        return all(self._found(target) for target in named(fields))

    def calls(self, action: str, fields: Mapping[str, Any]) -> Iterator[Callable[[], Answer]]:
        if action in ("navigate", "new_page"):
            self._nodes = ()
        translate = getattr(self, f"to_{action}", None)
        if translate is None:
            raise Cannot(f"no call for {action}")
        seen, self._seen = self._seen, ""
        if action == "wait" and fields.get("text", "\n") in seen:
            # Its own wait does not look into frames.
            yield lambda: Answer(result={}, size=0, ms=0)
            return
        if before := self.first(action, dict(fields)):
            yield lambda: self._server.call(*before)
        tool, arguments = translate(dict(fields))
        yield lambda: self._server.call(tool, arguments)

    def untrue(self, action: str, fields: Mapping[str, Any], answer: Answer) -> list[str]:
        return []  # their answers do not say what became of a call

    def first(self, action: str, fields: dict[str, Any]) -> tuple[str, Any] | None:
        """Return a call that another one takes before it."""
        return None

    def ref(self, fields: Mapping[str, Any], key: str = "ref") -> str:
        """Return the ref of the element that a field names; raises `Failed`."""
        text = str(fields.get(key) or fields.get("selector") or "")
        found = self._found(text)
        if not found:
            raise Failed(f"no {text} in the snapshot")
        return found[0].ref

    def _found(self, text: str) -> list[Node]:
        target = parse_target(text)
        found = [node for node in self._nodes if node.ref and _fits(node, target)]
        if not found and target.element.name:  # it may call it by another role
            loose = replace(target, element=replace(target.element, role=""))
            fitting = (node for node in self._nodes if node.ref and _fits(node, loose))
            found = [node for node in fitting if node.role not in ACTING]
        if target.place is None:
            return found
        number, of = target.place
        return found[number - 1 : number] if len(found) == of else []

    def _read(self, text: str) -> list[Node]:
        nodes: list[Node] = []
        open_: list[Node] = []
        for line in text.splitlines():
            match = self.line.match(line)
            if match is None:
                continue
            depth = len(match["indent"])
            while open_ and open_[-1].depth >= depth:
                open_.pop()
            name = match["name"] or match.groupdict().get("text") or ""
            name = ICONS.sub("", name).replace('\\"', '"').strip()
            node = Node(depth, match["role"], name, match["ref"] or "", tuple(open_))
            nodes.append(node)
            open_.append(node)
        return nodes


def _fits(node: Node, target: Target) -> bool:
    if not _is(node, target.element):
        return False
    above = list(reversed(node.above))
    for part in target.within:
        while above and not _is(above[0], part):
            above.pop(0)
        if not above:
            return False
        above.pop(0)
    return True


def _is(node: Node, part: Part) -> bool:
    role = ALIASES.get(part.role, part.role)
    level = re.fullmatch(r"h([1-6])", role)
    wanted = "heading" if level else role
    return (not wanted or node.role == wanted) and part.names(node.name)


class Playwright(Peer):
    line = re.compile(
        r'(?P<indent>\s*)- (?:\'?)(?P<role>[a-z]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?'
        r"(?:.*?\[ref=(?P<ref>\w+)\])?(?:[^:]*: (?P<text>[^\"'].*))?"
    )
    snapshot = "browser_snapshot", MappingProxyType({})

    def first(self, action: str, fields: dict[str, Any]) -> tuple[str, Any] | None:
        # It takes files for the chooser that a click opens.
        return self.to_click({"ref": fields["ref"]}) if action == "upload" else None

    def to_page(self, number: int) -> tuple[str, Any]:
        return "browser_tabs", {"action": "select", "index": number}

    def to_new_page(self, fields: dict[str, Any]) -> tuple[str, Any]:
        self._page = "t2"
        return "browser_tabs", {"action": "new", "url": fields["url"]}

    def to_navigate(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return "browser_navigate", {"url": fields["url"]}

    def to_click(self, fields: dict[str, Any]) -> tuple[str, Any]:
        more: dict[str, Any] = {}
        if fields.get("value") == "double":
            more["doubleClick"] = True
        elif fields.get("value"):
            more["button"] = fields["value"]
        if fields.get("key"):
            more["modifiers"] = fields["key"].split("+")
        return "browser_click", {"target": self.target(fields), **more}

    def target(self, fields: Mapping[str, Any], key: str = "ref") -> str:
        text = str(fields.get("selector") or fields[key])
        return text if "selector" in fields or text.startswith("#") else self.ref(fields, key)

    def to_fill(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return "browser_type", {"target": self.target(fields), "text": fields["value"]}

    def to_type(self, fields: dict[str, Any]) -> tuple[str, Any]:
        if "ref" not in fields and "selector" not in fields:
            raise Cannot("no typing where the focus is")
        more = {"text": fields["text"], "slowly": True}
        return "browser_type", {"target": self.target(fields), **more}

    def to_press(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return "browser_press_key", {"key": fields["key"]}

    def to_hover(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return "browser_hover", {"target": self.target(fields)}

    def to_select(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return "browser_select_option", {
            "target": self.target(fields),
            "values": [fields["value"]],
        }

    def to_drag(self, fields: dict[str, Any]) -> tuple[str, Any]:
        if re.match(r"-?\d+,", fields["value"]):
            raise Cannot("no drag along a path")
        ends = self.target(fields), self.target({"ref": fields["value"]})
        return "browser_drag", {"startTarget": ends[0], "endTarget": ends[1]}

    def to_wait(self, fields: dict[str, Any]) -> tuple[str, Any]:
        if "text" not in fields:
            return "browser_wait_for", {"time": 1}
        key = "textGone" if fields.get("value") == "gone" else "text"
        return "browser_wait_for", {key: fields["text"]}

    def to_dialog(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return "browser_handle_dialog", {"accept": fields.get("value", "accept") == "accept"}

    def to_upload(self, fields: dict[str, Any]) -> tuple[str, Any]:
        files = [str(Path(self.uploads) / name) for name in json.loads(fields["paths"])]
        return "browser_file_upload", {"paths": files}
