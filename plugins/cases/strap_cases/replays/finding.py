"""Finds the element of a recorded action: the only one that everything fits, or none."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from strap import StrapError
from strap_cases.checking.matching import fits, squeezed
from strap_cases.checking.scene import Session
from strap_cases.checks import Text
from strap_cases.replays.recordings import Target

STEP = 0.1
"""Seconds between two looks."""
FEW = 5
"""Elements that are told instead."""
MANY = 60
"""Elements of one role and name that are looked at closely."""
TOKENS = 100_000
ROW = ",".join(
    (
        *("tr", "li", "article", "fieldset"),
        *(f"[role={role}]" for role in ("row", "listitem", "article", "group")),
    )
)
"""Selector of rows, entries and cards, the same as in the agent's worker."""
ATTRIBUTES = f"""(element) => ({{
  testid: element.getAttribute("data-testid"), id: element.id, field: element.getAttribute("name"),
  row: element.parentElement?.closest("{ROW}")?.textContent.slice(0, 2000),
}})"""
Element = Mapping[str, str]


class Drift(Exception):
    """The page is not what it was when the case was recorded; the text says how."""


async def find(session: Session, target: Target, at: str, patience: float) -> str:
    """Return the ref of the only element that fits, in `patience` seconds; raises `Drift`."""
    until = monotonic() + patience
    while True:
        wrong, refs = await _look(session, target, at)
        if not wrong:
            return refs
        if monotonic() >= until:
            raise Drift(wrong)
        await asyncio.sleep(STEP)


async def _look(session: Session, target: Target, at: str) -> tuple[str, str]:
    try:
        there = (await session.on_page("snapshot", max_tokens=TOKENS)).data
        path = urlsplit(there["url"]).path or "/"
        if at and not fits(path, Text(value=at, form="path")):
            return f"the page is at {path}, not at {at}", ""
        if there["elements"] is None:
            return f"there is too much on {path} to tell one from all others", ""
        found = await _fitting(session, target, there["elements"])
    except StrapError as error:
        return str(error), ""
    if len(found) == 1 and found[0]["ref"]:
        return "", found[0]["ref"]
    if found:
        what = f"{len(found)} fit" if len(found) > 1 else "the page is too large to point at it"
        return f"{what} on {path}", ""
    return f"none on {path}; there: {_instead(target, there['elements'])}", ""


async def _fitting(session: Session, target: Target, elements: Sequence[Element]) -> list[Element]:
    alike = [
        each
        for each in elements
        if each["role"] == target.role
        and squeezed(each["name"]) == squeezed(target.name)
        and (not each["ref"] or each["ref"].startswith("f") == target.framed)
    ]
    wanted = target.model_dump(include={"testid", "id", "field", "row"}, exclude_none=True)
    if not wanted or len(alike) > MANY:
        return alike
    told = [await _attributes(session, each["ref"]) for each in alike]
    return [
        each
        for each, has in zip(alike, told, strict=True)
        if all(_same(name, has.get(name), value) for name, value in wanted.items())
    ]


def _same(name: str, has: Any, wanted: str) -> bool:
    """Whether an attribute is as it was; the blanks in a row are not all known of either."""
    if name == "row":
        return "".join(str(has or "").split()) == "".join(wanted.split())
    return bool(has == wanted)


async def _attributes(session: Session, ref: str) -> dict[str, Any]:
    answer = await session.on_page("evaluate", ref=ref, text=ATTRIBUTES)
    result = (answer.data or {}).get("result")
    return result if isinstance(result, dict) else {}


def _instead(target: Target, elements: Sequence[Element]) -> str:
    nearest = sorted(elements, key=lambda each: each["role"] != target.role)[:FEW]
    told = [
        f"{each['role'] or 'clickable'} {json.dumps(each['name'][:60], ensure_ascii=False)}"
        for each in nearest
    ]
    return ", ".join(told) or "nothing to act on"
