"""One attempt at a task: what its policy sees and does, and what that costs."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.wire import Failed, Server

HUD = re.compile(
    r"^text: (?:Last reward|Last 10 average|Time left|Episodes done):.*\n?", re.MULTILINE
)
REWARD = re.compile(r"Last reward:\]? (-?\d+\.\d+)")
REF = r"((?:f\d+)?e\d+)"


class Lost(Exception):
    """The policy does not know what to do."""


@dataclass(kw_only=True)
class Episode:
    """A page of a task behind one server; `seen` is the last snapshot."""

    server: Server
    count: Callable[[str], int]
    seen: str = ""
    calls: int = 0
    tokens: int = 0
    used: set[str] = field(default_factory=set)

    def web(self, action: str, *, may_fail: bool = False, **fields: Any) -> str:
        """Make a call and return its text, "" if it failed and may."""
        self.used.add(action)
        self.calls += 1
        try:
            answer = self.server.call("web", {"resource": "browser", "action": action, **fields})
        except Failed:
            if may_fail:
                return ""
            raise
        self.tokens += self.count(answer.text)
        return answer.text

    def look(self, **fields: Any) -> str:
        """Take a snapshot, without the page's own display of scores."""
        self.seen = HUD.sub("", self.web("snapshot", **fields))
        return self.seen

    def begin(self, url: str) -> None:
        """Open the task and press START."""
        self.web("navigate", url=url)
        self.web("click", selector="text=START")
        self.look()

    def reward(self) -> float:
        """Reward that the page tells, -1 if it tells none."""
        said = REWARD.search(self.web("snapshot", text="Last reward"))
        return float(said[1]) if said else -1.0

    @property
    def goal(self) -> str:
        """The task in words."""
        return self.texts[0]

    @property
    def texts(self) -> list[str]:
        """The loose texts of the page."""
        return re.findall(r"^ *text: (.*)$", self.seen, re.MULTILINE)

    @property
    def quoted(self) -> list[str]:
        """Texts in quotes in the task."""
        return re.findall(r'"([^"]*)"', self.goal)

    def said(self, pattern: str) -> Sequence[str]:
        """Groups that `pattern` matches in the task."""
        found = re.search(pattern, self.goal)
        if found is None:
            raise Lost(self.goal)
        return found.groups()

    def refs(self, role: str, name: str | None = None) -> list[str]:
        """The refs of all elements of a role (and name), in reading order."""
        label = "" if name is None else f'"{re.escape(name)}" '
        named = r'(?:"(?:[^"\\]|\\.)*" )?' if name is None else label
        return re.findall(rf"\b{role} {named}{REF}\b", self.seen)

    def ref(self, role: str, name: str | None = None) -> str:
        """The ref of the first of them."""
        found = self.refs(role, name)
        if not found:
            raise Lost(f"no {role} {name or ''} in {self.seen}")
        return found[0]

    def click(self, role: str, name: str | None = None) -> str:
        """Click the first element of a role and name."""
        return self.web("click", ref=self.ref(role, name))

    def fill(self, value: str, number: int = 0, role: str = "textbox") -> str:
        """Fill one of the fields."""
        return self.web("fill", ref=self.refs(role)[number], value=value)

    def submit(self) -> str:
        return self.click("button", "Submit")

    def size(self, **target: Any) -> tuple[float, float]:
        """Width and height of an element, as the caption of its picture tells them."""
        found = re.search(r": (\d+) x (\d+) px", self.web("screenshot", **target))
        if found is None:
            raise Lost("no size")
        return float(found[1]), float(found[2])


def exact(text: str) -> str:
    """A selector for the innermost element with just this text."""
    return f'text="{text}"'
