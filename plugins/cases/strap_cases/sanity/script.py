r"""Scripts of the scripted model: what an agent does on the pages that it is shown.

A line is a step, with ` & ` between its actions; `if "text"` in front makes it for pages alone
that show the text, `unless "text"` for those that do not.

    input user ada & input pass lovelace & click "Log in"
    if "Total 12.50" done failed "The total is wrong."
    done success "The order is placed."

A page may still be loading: before an `if` is given up, the page is looked at again.

Words with blanks are in quotes, in which `\n` is the end of a line. The last line is repeated.
"""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strap import UsageError

VERBS = {
    "click": 1, "input": 2, "select": 2, "go": 1, "back": 0, "scroll": 0, "wait": 1, "switch": 0,
    "done": 2, "say": 1, "error": 1, "hang": 0,
}  # fmt: skip
"""Verbs of a line, and the number of words after each."""
NAMES = {"select": "select_dropdown", "go": "navigate", "back": "go_back"}
ALONE = ("done", "say", "error", "hang")
PATIENCE = 3
"""Looks for an element that a page does not show yet; fewer for the text of an `if`."""
IF_PATIENCE = 2
LOOK_AGAIN = 1
"""Seconds between them."""
_ELEMENT = re.compile(r"\[(\d+)\]<(\w+)(.*?)/?>")
_FIELDS = ("input", "textarea", "select")


@dataclass(frozen=True, slots=True)
class Step:
    """A line: its actions, and the text that a page has to show for it, or not to show."""

    actions: tuple[tuple[str, ...], ...]
    text: str = ""
    is_unless: bool = False

    def fits(self, page: str) -> bool:
        """Whether it is for a page like this."""
        return not self.text or (self.text in page) is not self.is_unless


def parse_script(text: str) -> tuple[Step, ...]:
    """Return the steps of a script; raises `UsageError`."""
    steps = tuple(_step(line) for line in text.splitlines() if line.strip())
    if not steps:
        raise UsageError("a script has no line; write what the agent does, such as `done …`")
    return steps


def _step(line: str) -> Step:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"`{line.strip()}` is not a valid step: {error}") from None
    text, is_unless = "", False
    if words[:1] in (["if"], ["unless"]) and len(words) > 1:
        is_unless, text, words = words[0] == "unless", words[1], words[2:]
    actions = [tuple(part) for part in _parted(words)]
    for name, *rest in actions:
        if VERBS.get(name) != len(rest) or (name in ALONE and len(actions) > 1):
            known = ", ".join(f"{verb} ({count})" for verb, count in VERBS.items())
            raise UsageError(
                f"`{line.strip()}` is not a valid step; there are, with their words: {known}"
            )
    return Step(tuple(actions), text, is_unless)


def _parted(words: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == "&":
            parts.append([])
        else:
            parts[-1].append(word)
    return [part or [""] for part in parts]


@dataclass(slots=True)
class Playing:
    """A script that is being played: answers what the model says next."""

    steps: Sequence[Step]
    base_url: str
    at: int = 0
    looks: int = 0

    def next(self, prompt: str) -> tuple[str, Any]:
        """Return what to do for what the agent's model is told: `say` text, `error`, `hang`."""
        page = prompt.rpartition("[Start of page]")[2].partition("[End of page]")[0]
        while self.at < len(self.steps) - 1 and not (step := self.steps[self.at]).fits(page):
            if not step.is_unless and self.looks < IF_PATIENCE:
                self.looks += 1
                return "say", answer_of({"wait": {"seconds": LOOK_AGAIN}})
            self._go_on()
        actions = self.steps[self.at].actions
        kind = actions[0][0]
        if kind in ("say", "error"):
            self._go_on()
            return kind, actions[0][1]
        if kind == "hang":
            return kind, None
        try:
            made = [_action(action, page, prompt, self.base_url) for action in actions]
        except LookupError as missing:
            return "say", self._look_again(str(missing.args[0]))
        self._go_on()
        return "say", answer_of(*made)

    def _go_on(self) -> None:
        """The last line is repeated."""
        self.at, self.looks = min(self.at + 1, len(self.steps) - 1), 0

    def _look_again(self, missing: str) -> str:
        self.looks += 1
        if self.looks <= PATIENCE:
            return answer_of({"wait": {"seconds": LOOK_AGAIN}})
        why = f"STOP: incomplete\nThere is no {missing!r} on the page."
        return answer_of({"done": {"text": why, "success": False, "files_to_display": []}})


def answer_of(*actions: dict[str, Any]) -> str:
    """Return actions as the agent's model writes them."""
    goal = ", ".join(name for action in actions for name in action)
    thoughts = {"thinking": "", "evaluation_previous_goal": "", "memory": "", "next_goal": goal}
    return json.dumps({**thoughts, "action": list(actions)})


def _action(words: Sequence[str], page: str, prompt: str, base_url: str) -> dict[str, Any]:
    name, *rest = words
    fields: dict[str, Any] = {}
    match name:
        case "click":
            fields = {"index": element(page, rest[0])}
        case "input" | "select":
            fields = {"index": element(page, rest[0], fields=True), "text": rest[1]}
        case "go":
            fields = {"url": base_url + rest[0], "new_tab": False}
        case "wait":
            fields = {"seconds": int(rest[0])}
        case "switch":
            fields = {"tab_id": _other_tab(prompt)}
        case "scroll":
            fields = {"down": True, "pages": 3.0}
        case "done":
            text = rest[1].replace("\\n", "\n")
            fields = {"text": text, "success": rest[0] == "success", "files_to_display": []}
    return {NAMES.get(name, name): fields}


def element(page: str, text: str, *, fields: bool = False) -> int:
    """Return the number of the element or field with this text; raises `LookupError`."""
    folded_text = text.casefold()
    above: list[tuple[int, int]] = []  # indentation and number of the elements around
    inside: dict[int, str] = {}
    for line in page.splitlines():
        depth = len(line) - len(line.lstrip("\t"))
        above = [outer for outer in above if outer[0] < depth]
        if match := _ELEMENT.search(line):
            number = int(match[1])
            is_field = match[2] in _FIELDS
            if is_field >= fields and folded_text in match[3].casefold():
                return number
            above.append((depth, number))
        elif above and not fields:
            number = above[-1][1]
            inside[number] = f"{inside.get(number, '')} {line.strip()}".strip()
            if folded_text in inside[number].casefold():
                return number
    raise LookupError(text)


def _other_tab(prompt: str) -> str:
    state = prompt.rpartition("Current tab:")[2]
    current = state.split()[0] if state.split() else ""
    others: list[str] = [
        tab for tab in re.findall(r"^Tab (\w+):", state, re.MULTILINE) if tab != current
    ]
    if not others:
        raise LookupError("other tab")
    return others[-1]
