"""Checks of the page itself: address, title, texts, elements."""

import json
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from time import monotonic
from typing import Any

from pydantic import BaseModel, ValidationError

from strap import ActionError
from strap_cases.checking.matching import fits_address, squeezed
from strap_cases.checking.scene import Observed, Scene
from strap_cases.checks import Check, Text

GLANCE = 1.0
"""Seconds for one look at all frames of a page: a busy one needs some tenths."""
LONG_GLANCE = 10.0
"""Seconds for it on a machine that has other things to do."""
UNFINISHED = "did not finish"
"""Words in the error of a call that timed out before it had looked everywhere."""
ROOM = 150_000
"""Characters that are looked at, as in `page.js`."""
SHOWN = 200
"""Characters of a text that a report shows."""
FEW = 5
"""Elements that a report names."""


async def url(check: Check, scene: Scene) -> Observed:
    """Whether the page is at an address."""
    address = (await _ask(scene, "where")).url
    return Observed(fits_address(address, _text(check, "pattern")), address)


async def title(check: Check, scene: Scene) -> Observed:
    """Whether the title contains a text."""
    shown = (await _ask(scene, "where")).title
    return Observed(any(await scene.matching.which([shown], _text(check))), _quoted(shown))


async def text(check: Check, scene: Scene) -> Observed:
    """Whether the page, or an element of it, shows a text."""
    expected, selector = _text(check), check.arguments.get("selector")
    if selector or expected.form == "regex":
        page_text = await _drawn(scene, str(selector or ""))
        met = any(await scene.matching.which(page_text.texts, expected))
        return _bounded(met, page_text, _quoted(" | ".join(page_text.texts)))
    if await _comes(expected.value, scene, gone=check.negative) != check.negative:
        return Observed(True, _quoted(expected.value))
    return Observed(
        False, instead=None if check.negative else partial(_nearest, expected.value, scene)
    )


async def _drawn(scene: Scene, selector: str) -> "PageAnswer":
    """Return the texts that are drawn, or are there for screen readers, by `text value=plain`."""
    options = {"selector": selector} if selector else {}
    answer = await scene.session.on_page("text", value="plain", max_tokens=100_000, **options)
    texts, whole, room = list[str](), bool(answer.data["whole"]), ROOM
    for shown in answer.data["texts"]:
        texts.append(shown[:room])
        room -= len(texts[-1])
        whole = whole and len(shown) <= len(texts[-1])
    return PageAnswer(entries=texts, cut=not whole)


async def _comes(text: str, scene: Scene, *, gone: bool) -> bool:
    """Whether a text appears, or is `gone`, in the time left; one full look is always made."""
    glance = GLANCE if gone else max(GLANCE, scene.until - monotonic())
    for limit in (glance, LONG_GLANCE):
        try:
            value = {"value": "gone"} if gone else {}
            await scene.session.on_page("wait", text=text, timeout=limit, **value)
        except ActionError as error:
            if error.code == "timeout" and UNFINISHED not in error.message:
                return False
            failed = error
        else:
            return True
    raise failed


async def _nearest(expected: str, scene: Scene) -> str:
    near = await scene.matching.nearest(expected, (await _ask(scene, "lines")).texts)
    is_it = squeezed(expected).casefold() in near.casefold()
    return f"{_quoted(near)}{', invisible' if is_it else ''}" if near else "nothing like it"


async def role(check: Check, scene: Scene) -> Observed:
    """Whether there is an element of a role, a name and a state."""
    answer = await _ask(scene, "role", role=check.arguments["role"])
    name, state = check.arguments.get("name"), check.arguments.get("state")
    names = [
        element.name for element in answer.elements if not state or state in element.states.split()
    ]
    met = any(await scene.matching.which(names, name)) if isinstance(name, Text) else bool(names)
    shown = [
        f"{_quoted(element.name)} {element.states}".strip() for element in answer.elements[:FEW]
    ]
    return _bounded(met, answer, ", ".join(shown) or f"no {check.arguments['role']}")


async def value(check: Check, scene: Scene) -> Observed:
    """Whether a field holds a value, and nothing else."""
    answer, expected = (
        await _ask(scene, "values", selector=check.arguments["selector"]),
        _text(check),
    )
    if expected.form == "text":
        met = expected.value in answer.texts
    else:
        met = any(await scene.matching.which(answer.texts, expected))
    return _bounded(met, answer, _listed(answer.texts) or "no such element")


async def count(check: Check, scene: Scene) -> Observed:
    """Whether a selector matches so many elements."""
    number_shown = (await _ask(scene, "count", selector=check.arguments["selector"])).count
    number = int(str(check.arguments["number"]))
    met = {"<": number_shown < number, ">": number_shown > number, "=": number_shown == number}
    return Observed(met[str(check.arguments["relation"])], str(number_shown))


async def status(check: Check, scene: Scene) -> Observed:
    """Whether the page came with a status of HTTP."""
    actual = (await _ask(scene, "status")).status
    return Observed(
        actual == check.arguments["status"] if actual else None, str(actual or "not known")
    )


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


def _bounded(met: bool, answer: "PageAnswer", seen: str) -> Observed:
    """Return the observation; a miss is unknown if the page gave only a part."""
    known = met or not answer.cut
    return Observed(met, seen) if known else Observed(None, "there is more than can be looked at")


class Element(BaseModel):
    """An element of a role."""

    name: str
    states: str


class PageAnswer(BaseModel):
    """Answer of a page to a question, in the fields that belong to it."""

    url: str = ""
    title: str = ""
    status: int = 0
    count: int = 0
    entries: list[str] | list[Element] = []
    cut: bool = False

    @property
    def texts(self) -> list[str]:
        """Entries that are texts."""
        return [item for item in self.entries if isinstance(item, str)]

    @property
    def elements(self) -> list[Element]:
        """Entries that are elements."""
        return [item for item in self.entries if isinstance(item, Element)]


async def _ask(scene: Scene, ask: str, **fields: Any) -> PageAnswer:
    """Ask the page, whose own scripts may have a hand in what it says; raises `ActionError`."""
    question = json.dumps({"ask": ask, **fields})
    code = f"JSON.stringify(({_script()})({question}))"
    answer = await scene.session.on_page("evaluate", text=code, max_tokens=100_000)
    result = (answer.data or {}).get("result")
    try:
        return PageAnswer.model_validate_json(result if isinstance(result, str) else "")
    except ValidationError:
        raise ActionError("The page did not answer.", code="no_answer") from None


@cache
def _script() -> str:
    source = Path(__file__).with_name("page.js").read_text("utf-8")
    return source.partition("\n")[2].strip()


def _text(check: Check, name: str = "text") -> Text:
    expected = check.arguments[name]
    assert isinstance(expected, Text)
    return expected


def _quoted(shown: str) -> str:
    short = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
    return json.dumps(short, ensure_ascii=False)


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(map(_quoted, texts[:FEW]))
