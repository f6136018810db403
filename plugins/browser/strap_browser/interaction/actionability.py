"""Whether an element can be acted on now, and if not, why: in milliseconds."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from time import monotonic
from typing import Any

from strap import ActionError, PolicyDenied
from strap_browser.common.text import beginning
from strap_browser.interaction.element import Element
from strap_browser.interaction.elements import ask
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.recording.evidence import note_marks
from strap_browser.page_script.bundle import ScriptAnswer

FIRST_STEP = 0.012
LAST_STEP = 0.1
IDLE_PATIENCE = 0.35
"""How long an element may take to become ready on a page where nothing is going on, in seconds."""
BUSY_PATIENCE = 2.0
"""The same while the page loads or something on it moves."""
WITH_REFS = ("around", "field", "opener")
"""Fields of the page's answer that hold its own refs."""
FOCUSINGS = (True, True, False)
"""How often an element is given a focus that its page takes away: each time, whether once more."""
BY_KEYS = "Arrow keys move it: use `press`, or `drag`."
CALLED_DISABLED = "The page calls it disabled."
REASONS = {
    "covered": ("is covered by {by}", "Close what covers it; `screenshot` shows the page."),
    "cut off": (
        "is cut off by {by}",
        "It may have to be opened, or moved on, first; `screenshot` shows the page.",
    ),
    "inert": (
        "is inert: the page lets nobody use it now",
        "Something that is open, such as a dialog, may have to be closed first.",
    ),
    "off screen": (
        "is outside the viewport, where no scrolling shows it",
        "Something may have to be opened first; `screenshot` shows the page.",
    ),
    "untouchable": (
        "takes no mouse (pointer-events: none)",
        "Another step may come first: look with `snapshot`. `press` works where the keyboard does.",
    ),
    "outside": ("has only {kind} px", "x and y count from its top left corner."),
    "hidden": ("is not visible", "Something may have to be opened first; look with `snapshot`."),
    "disabled": (
        "is disabled",
        "The page may ask for something else first: look with `snapshot` for a field to fill.",
    ),
    "gone": ("is no longer on the page", ""),
    "not focusable": ("does not take the focus", "Use click."),
    "focus lost": (
        "does not keep the focus: {by} got it instead",
        "Something may have to be closed first; without ref, keys go where the focus is.",
    ),
    "a frame": ("is a frame", "Give the field in it: `snapshot` shows what is there."),
    "not a field": ("is not a field", "Give the field itself; `snapshot` shows it."),
    "moved": ("is not a field", BY_KEYS),
    "to be clicked": ("takes no text: it is of type {kind}", "Use click."),
    "a terminal": (
        "is the input of a terminal, where nothing is replaced",
        "Use `type`; a line break in the text presses Enter.",
    ),
    "for files": ("takes no text: it is of type {kind}", "Use upload."),
    "for one file": ("takes one file", "Give one path."),
    "for a folder": ("takes a whole folder", "upload gives files only."),
    "read-only slider": ("is read-only", BY_KEYS),
    "read-only": (
        "is read-only",
        "Only the page itself sets it. It may let you write after a click: click it first.",
    ),
    "secret": ("is in another document now, which the secret is not for", ""),
    "not a drop-down": ("is not a drop-down", "Click it, then the option that appears."),
    "for one": ("takes one option", "Give one value; `fill` and `select` replace it."),
    "option disabled": (
        "has the option {kind!r}, but disabled",
        "Something else has to come first.",
    ),
    "no option": ("has no option {kind!r}", ""),
    "ambiguous": ("has several options {kind!r}", ""),
    "not a value": (
        "does not take that value",
        "It is of type {kind}: write it as {form}.",
    ),
}
"""Sentence and next call for each obstacle that the page reports."""


async def wait_actionable(
    state: PageState, element: Element, op: str, **arguments: Any
) -> tuple[ScriptAnswer, Element]:
    """Ask `op` until the page agrees; returns its answer and the target it is about.

    Nothing is left pending in the browser meanwhile, so that a cancelled call cannot act later.
    Raises `ActionError` (codes "covered", "disabled", "hidden", …) when patience ends.
    """
    began, step = monotonic(), FIRST_STEP
    while True:
        answer, element = await ask(state, element, op, **arguments)
        if answer.get("ok"):
            state.tab.aimed = element.frame, arguments["token"]
            state.tab.page.emit("aimed", state.tab.aimed)
            note_marks(element, answer.pop("marks", {}))
            if answer.get("disabled"):
                element = replace(element, note=f"{element.note} {CALLED_DISABLED}".strip())
            return answer, element
        waited = monotonic() - began
        yields, busy = answer.get("yields"), answer["why"] == "moving" or answer.get("busy")
        patience = BUSY_PATIENCE if busy else IDLE_PATIENCE
        if answer.get("posts"):
            raise sent_elsewhere(answer, arguments["origins"])
        if answer.get("final") or (waited >= patience and not yields):
            raise refused(state, element, answer)
        # What never stops moving can be hit all the same, and what only ARIA calls disabled: the
        # click is checked when it lands.
        arguments |= {"rect": answer.get("rect"), "settled": waited >= patience or None}
        await asyncio.sleep(step)
        step = min(step * 1.5, LAST_STEP)


def strays(element: Element | None, report: ScriptAnswer, *, again: bool) -> bool:
    """Whether the keys that were for the element were stopped, and are to be pressed `again`.

    Its page gave the focus to something else meanwhile, if only once, as pages do when they begin.
    Raises `ActionError` (code "focus_lost") where that may have got them, or they were for the last
    time.
    """
    by = report.get("strayed")
    if element is None or not by:
        return False
    if not again or report.get("unstopped"):
        raise blocked(element.name, {"why": "focus lost", "by": by})
    return True


def sent_elsewhere(answer: ScriptAnswer, origins: Iterable[str]) -> PolicyDenied:
    """Return the error for a secret whose field's form `posts` to an origin that is none of its."""
    return PolicyDenied(
        f"The form of this field sends the secret to {answer['posts']!r}.",
        hint=f"It is for {', '.join(origins)}.",
        code="secret",
    )


def refused(state: PageState, element: Element, answer: ScriptAnswer) -> ActionError:
    """Return the error for an answer of the page that says no, with the refs that it means."""
    refs = {part: _shown(state, answer.get(part, ())) for part in WITH_REFS}
    return blocked(element.name, answer | refs)


def _shown(state: PageState, raws: Iterable[str]) -> str:
    """Return the first ref that the caller was shown, "" if there is none."""
    return next(filter(None, map(state.refs.seen, raws)), "")


def blocked(name: str, answer: ScriptAnswer) -> ActionError:
    """Return the error for an answer that says no about the element called `name`."""
    why, (message, hint) = answer["why"], REASONS.get(answer["why"], ("", ""))
    parts = {part: answer.get(part) for part in ("by", "kind", "form")}
    return ActionError(
        f"{beginning(name)} {message.format(**parts) or why}.",
        hint=_special_hint(answer) or hint.format(**parts) or "Take a new snapshot.",
        code=why.replace(" ", "_").replace("-", "_"),
    )


def _special_hint(answer: ScriptAnswer) -> str:
    if options := answer.get("options"):
        return f"Options: {', '.join(map(repr, options))}."
    if around := answer.get("around"):
        both = f"Both are part of {around}, which can be clicked: ref={around}."
        part = f"It is part of {around}, which is shown: click ref={around}."
        return both if answer["why"] == "covered" else part
    if opens := answer.get("opens"):
        ref = answer["opener"]
        return f"It is in what {ref or opens} opens: click {f'ref={ref}' if ref else 'that'} first."
    if field := answer.get("field"):
        return f"What lies over it is {field}: use that."
    if target := answer.get("target"):
        return f"That shows nothing but the pointer; if it is there for it: click {target}."
    return _wait_hint(answer.get("veil") or {})


def _wait_hint(veil: ScriptAnswer) -> str:
    if not veil:
        return ""
    closes = "Nothing in it closes it"
    if over := veil.get("over"):
        closes = f"It may close with {over}, which lies over it"
    return f"{closes}. If it goes away by itself, wait for that: wait {veil['wait']} value=gone."
