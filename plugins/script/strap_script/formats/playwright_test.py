"""A test for Playwright: what its two languages have in common."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from strap import ActionError, UsageError
from strap.scripts.script import Line
from strap_script.formats.locators import Step, by_selector, steps_of
from strap_script.recording import Recorded, Recording

COUNTS = {"double": 2, "triple": 3}
"""Clicks for each value."""
HOLD = 700
"""Milliseconds of a long press."""
WHEEL = 600
"""Pixels of a scroll that says no distance."""
_PIECE = re.compile(r"\{\{\s*([A-Za-z0-9_-]+)\s*\}\}|\{([a-z][a-z0-9_]*)\}")


class PlaywrightTest(ABC):
    """Writes the lines of a recording as statements."""

    forms: Mapping[str, str]
    """Statements of actions, and of ways to scroll and drag."""
    keyed: Mapping[str, tuple[str, str]]
    """Statements of actions with an element, and without."""
    own: tuple[str, ...] = ("click", "drag", "scroll")
    """Actions that take more than a form."""

    def __init__(self, made: Recording) -> None:
        self._made = made
        self._names: dict[str, str | None] = dict(made.script.params)

    @abstractmethod
    def text(self) -> str:
        """Return the whole file."""

    def string(self, value: str) -> str:
        """Return a string literal, which is the same in both languages."""
        return json.dumps(value, ensure_ascii=False)

    def locator(self, steps: Sequence[Step]) -> str:
        """Return an expression for an element."""
        return "page" + "".join(map(self.step, steps))

    @abstractmethod
    def step(self, step: Step) -> str:
        """Return the code of one step of a locator."""

    def act(self, action: str, target: str, arguments: Mapping[str, Any]) -> str:
        """Return the statement of an action, "" for one that there is no equivalent of."""
        if action in self.own:
            return getattr(self, f"_{action}")(target, arguments)  # type: ignore[no-any-return]
        form = self.forms.get(action) or self.keyed.get(action, ("", ""))[not target]
        written = {key: self._written(value) for key, value in arguments.items()}
        return form.format(target=target, **written) if form else ""

    def _written(self, value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(self.value(str(item)) for item in value)}]"
        return self.value(value) if isinstance(value, str) else f"{value:g}"

    def _drag(self, target: str, arguments: Mapping[str, Any]) -> str:
        is_known = target and "to" in arguments
        return self.forms["drag to"].format(target=target, to=arguments["to"]) if is_known else ""

    def _scroll(self, target: str, arguments: Mapping[str, Any]) -> str:
        where = arguments.get("text")
        if where is None and target:
            return self.forms["scroll into view"].format(target=target)
        if where in ("top", "bottom"):
            end = "document.body.scrollHeight" if where == "bottom" else "0"
            return self.forms["scroll to"].format(end=end)
        ways = {"down": (0, WHEEL), "up": (0, -WHEEL), "right": (WHEEL, 0), "left": (-WHEEL, 0)}
        x, y = ways.get(where or "", (arguments.get("x", 0), arguments.get("y", 0)))
        return self.forms["scroll by"].format(x=x, y=y)

    @abstractmethod
    def expect(self, what: str, value: str, *, gone: bool) -> str:
        """Return the statement that waits for an `url`, a `text` or an `element`."""

    @abstractmethod
    def answering(self, request: tuple[str, str], act: str) -> Iterator[str]:
        """Yield the statements of an action, and of the answer to a request that it makes."""

    @abstractmethod
    def accepting(self, arguments: Mapping[str, Any]) -> str:
        """Return the statement that answers the next dialog."""

    def statements(self) -> Iterator[str]:
        """Yield the statements of all lines."""
        lines = self._made.lines
        for at, recorded in enumerate(lines):
            after = lines[at + 1] if at + 1 < len(lines) else None
            action = recorded.line.action
            if action == "dialog":
                continue
            if after is not None and after.line.action == "dialog":
                yield self.accepting(after.line.arguments)
            if action == "wait":
                yield from self._waits(recorded.line)
                continue
            act = self._act(recorded)
            request = after.line.arguments.get("request") if after and _waits(after) else None
            yield from self._with_answer(act, request)

    def value(self, text: str) -> str:
        """Return an expression for a text with `{name}` and `{{name}}` in it."""
        parts, end = [], 0
        for match in _PIECE.finditer(text):
            if match.start() > end:
                parts.append(self.string(text[end : match.start()]))
            parts.append(self.name(match[1] or match[2]))
            self._names.setdefault(match[1] or match[2], None)
            end = match.end()
        if end < len(text) or not parts:
            parts.append(self.string(text[end:]))
        return " + ".join(parts)

    @staticmethod
    def name(of: str) -> str:
        """Return the constant that has a value."""
        return re.sub(r"\W", "_", of).upper()

    def named_values(self) -> Iterator[tuple[str, str | None]]:
        """Yield all values that the statements use; call it after them."""
        for of, default in self._names.items():
            yield self.name(of), default

    def _with_answer(self, act: str, request: str | None) -> Iterator[str]:
        if request is None:
            yield act
            return
        method, _, path = request.partition(" ")
        yield from self.answering((method, pattern_of(path)), act)

    def _act(self, recorded: Recorded) -> str:
        line = recorded.line
        arguments = {k: v for k, v in line.arguments.items() if k not in ("action", "resource")}
        target = self._element(line, recorded) if {"ref", "selector"} & arguments.keys() else ""
        if line.action == "drag" and '"' in str(arguments.get("value", "")):
            arguments["to"] = self.locator(steps_of(str(arguments["value"])))
        statement = self.act(line.action, target, arguments)
        if not statement:
            raise ActionError(
                f"`{line}` has no equivalent in Playwright.",
                hint="Export it as value=strap, and play it with strap run.",
                code="unsupported",
            )
        return statement

    def _element(self, line: Line, recorded: Recorded) -> str:
        ref, selector = line.arguments.get("ref"), line.arguments.get("selector")
        if selector:
            return self.locator(by_selector(str(selector)))
        try:
            return self.locator(steps_of(str(ref), recorded.evidence.get("ref")))
        except UsageError as error:
            raise ActionError(f"`{line}`: {error.message}", code="unsupported") from None

    def _waits(self, line: Line) -> Iterator[str]:
        fields = line.arguments
        gone = fields.get("value") == "gone"
        if url := fields.get("url"):
            yield self.expect("url", pattern_of(str(url)), gone=False)
        if (text := fields.get("text")) and fields.get("value") != "url":
            yield self.expect("text", self.value(str(text)), gone=gone)
        if fields.get("ref"):
            steps = steps_of(str(fields["ref"]))
            yield self.expect("element", self.locator(steps), gone=gone)
        if fields.get("selector"):
            steps = by_selector(str(fields["selector"]))
            yield self.expect("element", self.locator(steps), gone=gone)


def _waits(recorded: Recorded) -> bool:
    return recorded.line.action == "wait"


def pattern_of(path: str) -> str:
    """Return a regular expression, of both languages, for an address or a path with `*`."""
    pattern = "".join(
        ".*" if piece == "*" else _escaped(piece) for piece in re.split(r"(\*)", path)
    )
    if not path.startswith("/"):
        return f"^{pattern}$"
    return rf"^https?://[^/]+{pattern}([?#].*)?$"


def _escaped(text: str) -> str:
    return re.sub(r"[.+?^${}()|\[\]\\/]", r"\\\g<0>", text)
