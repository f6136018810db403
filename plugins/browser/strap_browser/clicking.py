"""Clicking: a real mouse at a checked place, and the proof that it arrived."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from strap import ActionError, Context, Result, UsageError
from strap_browser.acting import on_page
from strap_browser.actionability import blocked, ready
from strap_browser.agent import Answer
from strap_browser.answers import answer_for
from strap_browser.browsers import Browsers
from strap_browser.effects import Effects
from strap_browser.memory import Memory
from strap_browser.targets import Target, find_target

if TYPE_CHECKING:
    from strap_browser.tabs import Tab

Button = Literal["left", "middle", "right"]
MODIFIERS = {
    "alt": "Alt",
    "control": "Control",
    "ctrl": "Control",
    "meta": "Meta",
    "cmd": "Meta",
    "shift": "Shift",
    "controlormeta": "ControlOrMeta",
}
DONE = {"right": "Right-clicked", "middle": "Middle-clicked", "double": "Double-clicked"}
ATTEMPTS = 3
FRAMES = frozenset(("iframe", "frame", "object", "embed"))
BOX_LIMIT_MS = 1_000
RELEASE_LIMIT = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Click:
    """How to click: `at` is a place in the element, or on the page where there is none."""

    value: Literal["right", "middle", "double"] | None = None
    keys: tuple[str, ...] = ()
    at: tuple[float, float] | None = None

    @property
    def button(self) -> Button:
        """The mouse button."""
        return "left" if self.value is None or self.value == "double" else self.value

    @property
    def done(self) -> str:
        """The beginning of the answer."""
        return DONE.get(self.value or "", "Clicked")


def modifiers(key: str | None) -> tuple[str, ...]:
    """Return the keys of `Control+Shift`; raises `UsageError` for any other key."""
    names = [part.strip().lower() for part in (key or "").split("+") if part.strip()]
    unknown = [name for name in names if name not in MODIFIERS]
    if unknown:
        raise UsageError(
            f"key={key!r} holds more than modifiers.",
            hint="Valid: Alt, Control, Meta, Shift, joined by '+'.",
        )
    return tuple(MODIFIERS[name] for name in names)


async def click(
    ref: str | None, selector: str | None, how: Click, ctx: Context[Browsers]
) -> Result:
    """Click an element or a place, and tell what that changed."""
    async with on_page(ctx) as memory:
        target = await find_target(memory, ref, selector)
        if target is None and how.at is None:
            raise UsageError("click needs ref, selector, or x and y.")
        answer = answer_for(ctx)
        if target is None:
            effects = await _click_place(memory, how)
            answer.add("{} at {:g}, {:g}.".format(how.done, *how.at or (0, 0)))
        else:
            effects, target = await _click_element(memory, target, how)
            answer.add(f"{how.done} {target.name}.", target.note)
        await effects.tell(answer)
        return answer.result(memory.tab)


async def _click_place(memory: Memory, how: Click) -> Effects:
    effects = Effects(memory)
    await effects.begin()
    x, y = how.at or (0, 0)
    await _press(memory, x, y, how)
    await effects.settle()
    return effects


async def _click_element(memory: Memory, target: Target, how: Click) -> tuple[Effects, Target]:
    by = ""
    for _ in range(ATTEMPTS):
        effects = Effects(memory)
        aim, target = await ready(memory, target, "check", token=effects.token, at=how.at)
        effects.target = target
        await _press(memory, *await _place(memory, target, aim), how)
        settled = await effects.settle()
        report = settled.report
        if settled.navigated or not report.get("same") or report["hit"] == "yes":
            return effects, target
        by = report["by"]
        if not by:
            break
    raise ActionError(
        f"{target.name} could not be clicked: "
        + (f"{by} came under the mouse instead." if by else "the click did not arrive there."),
        hint="Take a new snapshot, or a screenshot.",
        code="missed",
    )


async def _place(memory: Memory, target: Target, aim: Answer) -> tuple[float, float]:
    """Return where on the page to click; `aim` tells it within the element's frame."""
    if not aim["framed"]:
        return aim["x"], aim["y"]
    await target.locator.scroll_into_view_if_needed(timeout=BOX_LIMIT_MS)
    box = await target.locator.bounding_box(timeout=BOX_LIMIT_MS)
    left, top, width, height = aim["rect"]
    if box is None:
        raise blocked(target, {"why": "hidden"})
    x = box["x"] + (aim["x"] - left) * (box["width"] / width if width else 1)
    y = box["y"] + (aim["y"] - top) * (box["height"] / height if height else 1)
    found = await memory.agent.ask("at", x=x, y=y)
    if found["tag"] not in FRAMES:
        raise blocked(target, {"why": "covered", "by": found["what"]})
    return x, y


async def _press(memory: Memory, x: float, y: float, how: Click) -> None:
    tab, count = memory.tab, 2 if how.value == "double" else 1
    async with _held(tab, how.keys):
        await memory.activity.race(
            tab.page.mouse.click(x, y, button=how.button, click_count=count),
            lambda: tab.dialog_opened.is_set() or not tab.alive,
        )


@asynccontextmanager
async def _held(tab: "Tab", keys: tuple[str, ...]) -> AsyncIterator[None]:
    """Hold keys down; they are released in any case, even behind a dialog."""
    keyboard, held = tab.page.keyboard, []
    try:
        for key in keys:
            held.append(key)
            await keyboard.down(key)
        yield
    finally:
        for key in reversed(held):
            release = tab.session.spawn(keyboard.up(key))
            with suppress(TimeoutError):
                async with asyncio.timeout(RELEASE_LIMIT):
                    await asyncio.shield(release)
