"""Checks of the page itself: address, title, texts, elements."""

import json
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from strap import ActionError
from strap_cases.checking.matching import contains, fits_address, squeezed
from strap_cases.checking.scene import Observed, Scene
from strap_cases.checks import Check, Text

GLANCE = 1.0
"""Seconds for one look at all frames of a page: a busy one needs some tenths."""
SHOWN = 200
"""Characters of a text that a report shows."""
FEW = 5
"""Elements that a report names."""
NEAR = 0.4
"""Likeness from which on a line of the page tells what is there instead."""


async def url(check: Check, scene: Scene) -> Observed:
    """Whether the page is at an address."""
    here = (await _ask(scene, "where"))["url"]
    return Observed(fits_address(here, _text(check, "pattern")), here)


async def title(check: Check, scene: Scene) -> Observed:
    """Whether the title contains a text."""
    there = (await _ask(scene, "where"))["title"]
    return Observed(contains(there, _text(check)), _quoted(there))


async def text(check: Check, scene: Scene) -> Observed:
    """Whether the page, or an element of it, shows a text."""
    wanted, selector = _text(check), check.given.get("selector")
    if selector or wanted.form == "regex":
        texts = (await _ask(scene, "texts", selector=selector or ""))["texts"]
        return Observed(any(contains(each, wanted) for each in texts), _quoted(" | ".join(texts)))
    gone = {"value": "gone"} if check.negative else {}
    try:
        await scene.session.on_page("wait", text=wanted.value, timeout=GLANCE, **gone)
    except ActionError as error:
        if error.code != "timeout":
            raise
        if check.negative:
            return Observed(True, _quoted(wanted.value))
        return Observed(False, await _nearest(wanted.value, scene))
    return Observed(not check.negative, _quoted(wanted.value) if not check.negative else "")


async def _nearest(wanted: str, scene: Scene) -> str:
    """Return the line of the page that is most like a text."""
    lines = (await _ask(scene, "lines"))["lines"]
    near = get_close_matches(squeezed(wanted), lines, n=1, cutoff=NEAR)
    return _quoted(near[0]) if near else "nothing like it"


async def role(check: Check, scene: Scene) -> Observed:
    """Whether there is an element of a role, a name and a state."""
    found = (await _ask(scene, "role", role=check.given["role"]))["elements"]
    name, state = check.given.get("name"), check.given.get("state")
    fit = [
        each
        for each in found
        if (not isinstance(name, Text) or contains(each["name"], name))
        and (not state or state in each["states"].split())
    ]
    told = [f"{_quoted(each['name'])} {each['states']}".strip() for each in found[:FEW]]
    return Observed(bool(fit), ", ".join(told) or f"no {check.given['role']}")


async def value(check: Check, scene: Scene) -> Observed:
    """Whether a field holds a value, and nothing else."""
    values = (await _ask(scene, "values", selector=check.given["selector"]))["values"]
    wanted = _text(check)
    exact = wanted.form == "text"
    met = any(each == wanted.value if exact else contains(each, wanted) for each in values)
    return Observed(met, _listed(values) or "no such element")


async def count(check: Check, scene: Scene) -> Observed:
    """Whether a selector matches so many elements."""
    there = int((await _ask(scene, "count", selector=check.given["selector"]))["count"])
    number = int(str(check.given["number"]))
    met = {"<": there < number, ">": there > number, "=": there == number}
    return Observed(met[str(check.given["relation"])], str(there))


async def status(check: Check, scene: Scene) -> Observed:
    """Whether the page came with a status of HTTP."""
    there = (await _ask(scene, "status"))["status"]
    return Observed(there == check.given["status"] if there else None, str(there or "not known"))


async def js(check: Check, scene: Scene) -> Observed:
    """Whether an expression comes to something that counts as true."""
    try:
        answer = await scene.session.on_page("evaluate", text=_text(check).value)
    except ActionError as error:
        if error.code != "script_error" or check.negative:
            raise
        return Observed(False, error.message)
    result = (answer.data or {}).get("result")
    return Observed(bool(result), json.dumps(result, ensure_ascii=False)[:SHOWN])


async def _ask(scene: Scene, ask: str, **given: Any) -> dict[str, Any]:
    question = json.dumps({"ask": ask, **given})
    code = f"JSON.stringify(({_script()})({question}))"
    answer = await scene.session.on_page("evaluate", text=code, max_tokens=100_000)
    result = (answer.data or {}).get("result")
    if not isinstance(result, str):
        raise ActionError("The page did not answer.", code="no_answer")
    told: dict[str, Any] = json.loads(result)
    return told


@cache
def _script() -> str:
    source = Path(__file__).with_name("page.js").read_text("utf-8")
    return source.partition("\n")[2].strip()


def _text(check: Check, name: str = "text") -> Text:
    wanted = check.given[name]
    assert isinstance(wanted, Text)
    return wanted


def _quoted(there: str) -> str:
    short = there if len(there) <= SHOWN else f"{there[:SHOWN]}…"
    return json.dumps(short, ensure_ascii=False)


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(map(_quoted, texts[:FEW]))
