"""Targets as locators of Playwright, apart from the language that they are written in."""

from collections.abc import Iterator
from typing import Any

from strap import record
from strap.targets.grammar import Mark, Part, Target, parse_target
from strap_browser.api import Evidence

FRAMES = ("frame", "iframe")
BY_TEXT = ("text", "clickable", "columns", "")
"""Words of a snapshot that are no ARIA roles: what they name is found by its text."""
BY_CONTENT = ("row", "listitem", "article", "cell", "gridcell")
"""Roles of containers that are told by what is in them."""
TEST_IDS = ("data-testid", "data-test", "data-cy", "data-qa")


@record
class Step:
    """A step of a locator: `kind` is one of role, label, text, css, frame, having and nth."""

    kind: str
    text: str = ""
    name: str | None = None
    open_end: bool = False
    number: int = 0


def steps_of(ref: str, evidence: Evidence | None = None) -> list[Step]:
    """Return the steps to the element of a target; raises `UsageError` for what is none."""
    target = parse_target(ref)
    steps: list[Step] = []
    for part in reversed(target.within):
        steps += _container(part)
    steps += _element(target, evidence)
    if target.place is not None:
        steps.append(Step(kind="nth", number=target.place[0] - 1))
    return steps


def by_selector(selector: str) -> list[Step]:
    """Return the step to what a CSS selector finds."""
    return [Step(kind="css", text=selector)]


def _container(part: Part) -> Iterator[Step]:
    if part.role in FRAMES:
        name = part.name or ""
        end = "^=" if part.open_end else "="
        attributes = (f"iframe[{key}{end}{css_string(name)}]" for key in ("title", "name"))
        yield Step(kind="frame", text=", ".join(attributes))
    elif part.role in BY_CONTENT and part.name is not None:
        yield Step(kind="role", text=part.role)
        yield Step(kind="having", text=part.name)
    else:
        yield from _part(part)


def _element(target: Target, evidence: Evidence | None) -> Iterator[Step]:
    """Yield the steps to the element; fields for passwords have no ARIA role."""
    part = target.element
    if evidence is not None and evidence.is_secret and part.name is not None:
        if field := evidence.marks.get("field"):
            yield Step(kind="css", text=f"[name={css_string(field)}]")
        else:
            yield Step(kind="label", text=part.name, open_end=part.open_end)
    else:
        yield from _part(part)


def _part(part: Part) -> Iterator[Step]:
    marks = "".join(map(_css, part.marks))
    if part.marks and not part.has_words:
        yield Step(kind="css", text=marks)
        return
    role, name = part.role, part.name
    if len(role) == 2 and role[0] == "h" and role[1].isdigit():
        yield Step(
            kind="role", text="heading", name=name, open_end=part.open_end, number=int(role[1])
        )
    elif role in BY_TEXT:
        yield Step(kind="text", text=name or "", open_end=part.open_end)
    else:
        yield Step(kind="role", text=role, name=name, open_end=part.open_end)
    if marks:
        yield Step(kind="and", text=marks)


def _css(mark: Mark) -> str:
    value = css_string(mark.value)
    if mark.kind == "testid":
        return f":is({', '.join(f'[{name}={value}]' for name in TEST_IDS)})"
    return f"[{'id' if mark.kind == 'id' else 'name'}={value}]"


def css_string(text: str) -> str:
    """Return a string of CSS."""
    escaped: Any = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(f"\\{ord(s):x} " if s < " " else s for s in escaped) + '"'
