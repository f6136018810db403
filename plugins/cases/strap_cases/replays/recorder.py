"""From what the agent did in a run that passed to actions that need no agent, or why not."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any
from urllib.parse import urlsplit

from strap.scripts.script import Line
from strap.targets.grammar import Mark, Part, Target
from strap.targets.roles import ROLES
from strap_cases.cases import Case, Filled
from strap_cases.checks import Check
from strap_cases.replays.recordings import MOST_CALLS, Recording, call
from strap_cases.replays.wording import NotRecorded, Wording

CUT = 600
"""Characters of a text among the details of a step; a longer one ends with an ellipsis there."""
LOOKS = frozenset(
    (
        *("done", "wait", "extract", "search_page", "find_elements", "find_text", "screenshot"),
        *("dropdown_options", "read_file", "write_file", "replace_file", "read_long_content"),
    )
)
"""Actions that change nothing on a page."""
UNSURE = ("step_timeout", "browser")
"""Kinds of failures after which nobody knows what was done."""
ROLES_OF_CHROMIUM = {"Date": "textbox", "DateTime": "textbox", "InputTime": "textbox"}
"""Roles of Chromium's accessibility tree that mean a text field, with the ARIA role."""
MEANINGLESS = ("generic", "none", "presentation")
BOTTOM = 10
"""Pages of a scroll that the agent is told to mean the end."""
_WRITTEN_BY_HAND = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
_KEY = re.compile(
    r"((Control|Ctrl|Alt|Shift|Meta|ControlOrMeta)\+)*"
    r"(Enter|Tab|Escape|Backspace|Delete|Space|Home|End|PageUp|PageDown|Arrow(Up|Down|Left|Right)"
    r"|F\d{1,2}|(?<=\+)[A-Za-z0-9])"
)
Event = Mapping[str, Any]


def check_recordable(case: Case, filled: Filled) -> None:
    """Raise `NotRecorded` for a case whose replay would prove less than its run."""
    last = len(filled.segments)
    for number, (_, own) in enumerate(filled.segments, 1):
        checks = (*own, *(filled.checks if number == last else ()))
        if all(check.negative for check in checks):
            line = case.segments[number - 1].steps.line
            raise NotRecorded(f"no check says what has to be there after the steps of line {line}")
        for check in checks:
            _check_kind(check)


def _check_kind(check: Check) -> None:
    if check.kind in ("answer", "dialog"):
        raise NotRecorded(f"`{check.source}` needs the agent (line {check.line})")


def recording_of(
    events: Sequence[Sequence[Event]], wording: Wording, *, derived: bool
) -> Recording:
    """Return the calls of all segments; raises `NotRecorded`.

    `events` has those of the agent's steps, oldest first. With `derived` texts are taken that stand
    nowhere in the case.
    """
    writer = _Writer(wording, derived)
    segments = [[line for step in steps for line in writer.step(step)] for steps in events]
    count = sum(map(len, segments))
    if count > MOST_CALLS:
        raise NotRecorded(f"the agent did {count} things, and {MOST_CALLS} is the most")
    return Recording(segments=segments, params=wording.params)


class _Writer:
    def __init__(self, wording: Wording, derived: bool) -> None:
        self._wording = wording
        self._derived = derived
        self._at = ""
        """Address of the last `wait` line."""

    def step(self, event: Event) -> Iterator[Line]:
        details = event["details"]
        if details.get("by") == "person":
            raise NotRecorded("a person took part")
        actions, results = details.get("actions") or [], details.get("results") or []
        elements = details.get("elements") or []
        at = self._place(details.get("url") or "")
        for action, element, result in list(zip_longest(actions, elements, results))[
            : len(results)
        ]:
            if _went_wrong(result or {}) or not action:
                continue
            for name, fields in action.items():
                if name not in LOOKS:
                    for line in self._calls(name, fields or {}, element):
                        if at and at != self._at and "ref" in line.arguments:
                            yield call("wait", url=at)
                            self._at = at
                        yield line
                        at = ""  # only of the first it is known where the page was

    def _calls(self, name: str, fields: Mapping[str, Any], element: Any) -> Iterator[Line]:
        for value in fields.values():
            _check_whole(value)
        if name in ("click", "input", "select_dropdown"):
            yield from self._on_element(name, fields, element)
        elif name == "send_keys":
            keys = str(fields.get("keys", ""))
            if not _KEY.fullmatch(keys):
                raise NotRecorded(f"the agent pressed {keys!r}, which are no plain keys")
            yield call("press", key=keys)
        elif name == "scroll":
            yield from _scrolls(fields)
        elif name == "navigate" and not fields.get("new_tab"):
            yield call("navigate", url=self._address(str(fields.get("url", ""))))
        elif name == "go_back":
            yield call("back")
        else:
            raise NotRecorded(f"the agent used {name}, which has no plain equivalent")

    def _on_element(self, name: str, fields: Mapping[str, Any], element: Any) -> Iterator[Line]:
        if not element:
            raise NotRecorded(f"the element of a {name} is not known")
        if name == "click" and element.get("tag") == "select":
            return  # the agent is told of its options, and nothing is clicked
        target = self._target(element)
        if name == "click":
            yield call("click", ref=str(target))
            return
        text = str(fields.get("text", ""))
        if not self._derived and not self._wording.knows(text):
            what = f"the agent put {text[:60]!r} into {target.element}"
            raise NotRecorded(f"{what}, which is not from the case; `replay: derived` allows it")
        kind = "select" if name == "select_dropdown" else "fill"
        if name == "input" and not fields.get("clear", True):
            yield call("type", ref=str(target), text=self._wording.written(text))
        else:
            yield call(kind, ref=str(target), value=self._wording.written(text))

    def _target(self, element: Mapping[str, Any]) -> Target:
        for value in element.values():
            _check_whole(value)
        role = ROLES_OF_CHROMIUM.get(element.get("role") or "", element.get("role") or "")
        name, tag = " ".join(element.get("name", "").split()), element.get("tag", "")
        if role not in ROLES or role in MEANINGLESS:
            raise NotRecorded(f"a <{tag}> {name!r} has no role to find it by")
        if "{{" in name:
            raise NotRecorded(f"a secret stands in the name of a {role}")
        by_hand = element.get("id") if _WRITTEN_BY_HAND.fullmatch(element.get("id", "")) else None
        testid, field = element.get("testid") or None, element.get("name_attr") or None
        if not (name or testid or by_hand or field):
            raise NotRecorded(f"a {role} has no name to find it by")
        witnesses = {"testid": testid, "id": by_hand, "name_attr": field}
        apart = any(witnesses[witness] for witness in element.get("apart", ()))
        row = element.get("row") if not apart else None
        if element.get("alike", 1) > 1 and not (apart or row):
            raise NotRecorded(f"{element['alike']} elements are {role} {name!r}")
        if "{{" in (row or ""):
            raise NotRecorded(f"a secret stands in the row of a {role}")
        written, marks = self._wording.written, {"id": by_hand, "testid": testid, "field": field}
        own = Part(
            role=role,
            name=written(name) if name else None,
            marks=tuple(Mark(kind=k, value=written(v)) for k, v in marks.items() if v),
        )
        within = [Part(name=written(row))] if row else []
        within += [Part(role="frame")] if element.get("frame") else []
        return Target(element=own, within=tuple(within))

    def _place(self, url: str) -> str:
        path, wording = urlsplit(url).path, self._wording
        if not path or "{{" in url or "…" in url:
            return ""
        parts = path.split("/")
        return "/".join(wording.written(part) if wording.lasts(part) else "*" for part in parts)

    def _address(self, url: str) -> str:
        if "{{" in url:
            raise NotRecorded("the agent went to an address with a secret")
        base = self._wording.base_url
        if base and url.startswith(base):
            return "{base_url}" + self._wording.written(url[len(base) :])
        return self._wording.written(url)


def _scrolls(fields: Mapping[str, Any]) -> Iterator[Line]:
    if fields.get("index") is not None:
        return
    down, pages = fields.get("down", True), float(fields.get("pages", 1))
    if pages >= BOTTOM:
        yield call("scroll", text="bottom" if down else "top")
        return
    for _ in range(max(1, round(pages))):
        yield call("scroll", text="down" if down else "up")


def _went_wrong(result: Mapping[str, Any]) -> bool:
    if "error" not in result:
        return False
    if result.get("kind") in UNSURE:
        raise NotRecorded(f"nobody knows what the agent did: {result['error']}")
    return True


def _check_whole(value: Any) -> None:
    if isinstance(value, str) and len(value) >= CUT and value.endswith("…"):
        raise NotRecorded(f"a text of the agent is longer than what is kept ({CUT} characters)")
