"""Putting text into fields: `fill` replaces what a field holds, `type` presses keys."""

import re
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from strap import Context, Result, UsageError, action
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.elements.entering import Entry, holds
from strap_browser.actions.params import ElementParams

if TYPE_CHECKING:
    from strap_browser.interaction.effects import Effects
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.interaction.secret_values import FieldText
    from strap_browser.interaction.settle import Settled
    from strap_browser.pages.registry import BrowserRegistry


SHORT = 200
"""Longest value that is handed to fields which are set rather than typed into."""
KEYS = re.compile(r"\n|[^\n]{1,8}")
"""Keys sent together: a call that is cancelled stops within so many."""
LINES = re.compile(r"\n|[^\n]+")
SHOWN = 200


class Fill(ElementParams):
    """Fields of `fill`."""

    value: str
    """Value for the field, `{{name}}` for a secret; for a drop-down, one of its options."""

    @model_validator(mode="before")
    @classmethod
    def _take_text(cls, values: Any) -> Any:
        """Callers used to `type` say text."""
        if isinstance(values, dict) and "text" in values and values.get("value") is None:
            values = dict(values)
            values["value"] = values.pop("text")
        return values


@action("browser", effect="write", asks_person=True, acts_as=("type",))
async def fill(params: Fill, ctx: "Context[BrowserRegistry]") -> Result:
    """Replace what a field holds.

    For text fields, editors, dates, colours, ranges and drop-downs. Answers with what the field
    holds if that is something else, and with what else changed.
    """
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_element(state, params.ref, params.selector)
        if element is None:
            raise UsageError("fill needs ref or selector.")
        (element,) = await interaction.confirm_elements(ctx, state, element)
        text = await interaction.resolve_secrets(state, element, params.value, ctx, asks_again=True)
        for again in interaction.FOCUSINGS:
            effects = interaction.Effects(state, value=True, waits=False)
            field, element = await _fill(state, element, text, effects)
            if not interaction.strays(element, effects.settled.report, again=again):
                break
        answer = interaction.response_for(ctx)
        if text.boxes > 1:
            after = counted(text.boxes - 1, "field")
            answer.add(f"Filled {element.name} and {after} after it, a character each.")
        else:
            shown = state.tab.secrets.hide(text.text)
            answer.add(_filled(element, field, effects.settled, shown))
        answer.add(element.note, text.note)
        await _finish(answer, state, effects)
        return answer.result(state.tab)


class Type(ElementParams):
    """Fields of `type`."""

    text: str = Field(max_length=20_000)
    """Text to type, key by key; a line break is the Enter key."""


@action(
    "browser",
    effect="write",
    name="type",
    asks_person=True,
    acts_as=("click", "fill", "press", "select"),
)
async def type_(params: Type, ctx: "Context[BrowserRegistry]") -> Result:
    """Press the keys of a text, in a field or wherever the focus is.

    Adds to what a field holds, or replaces what is selected in it; a line break presses Enter.
    `fill` is faster where a page does not care about single keys.
    """
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_key_target(state, params.ref, params.selector)
        element = await interaction.confirm_keys(ctx, state, element)
        keys = await interaction.resolve_secrets(state, element, params.text, ctx)
        for again in interaction.FOCUSINGS:
            effects = interaction.Effects(state, value=True, waits="\n" in keys.text)
            typed, where = await _type(state, element, keys, effects)
            element = effects.element
            if not interaction.strays(element, effects.settled.report, again=again):
                break
        answer = interaction.response_for(ctx)
        answer.add(f"Typed {typed} into {where}{_holding(effects.settled)}.")
        answer.add(element.note if element else "", keys.note)
        await _finish(answer, state, effects)
        return answer.result(state.tab)


async def _type(
    state: "PageState",
    element: "Element | None",
    keys: "FieldText",
    effects: "Effects",
) -> tuple[str, str]:
    field: dict[str, Any] = {}
    if element is None:
        where = (await effects.begin())["focus"]
    else:
        field, element = await interaction.wait_actionable(
            state, element, "focus", token=effects.token, text=True
        )
        effects.element, where = element, element.name
    typed = await _press_keys(state, element, keys)
    if field.get("keys"):
        # An editor of code draws what it holds a little later.
        await interaction.next_frames_drawn(state.tab)
    await effects.settle()
    return typed, where


async def _fill(
    state: "PageState", element: "Element", text: "FieldText", effects: "Effects"
) -> "tuple[dict[str, Any], Element]":
    value = text.text
    fields = {"token": effects.token, "origins": text.origins, "key": bool(value), "whole": True}
    shown = value if len(value) <= SHORT else None
    field, element = await interaction.wait_actionable(
        state, element, "fill", value=shown, **fields
    )
    effects.element = element
    entry = Entry(state=state, element=element, effects=effects, value_text=text)
    if field.get("keys") or field.get("editor"):
        field["held"] = await entry.edit(field)
    elif field["mode"] == "type" and (value or not field["empty"]):
        report = await entry.enter()
        if report and report.get("partly"):  # it was not entered
            await interaction.wait_actionable(state, element, "fill", token=effects.token)
            report = await entry.enter()
        if report and _is_plain(report, state.tab.secrets.hide(value)) and not effects.pending:
            effects.settled = interaction.Settled(report=report)
            return field, element
    await effects.settle(patient=False)
    return field, element


def _is_plain(report: dict[str, Any], value: str) -> bool:
    return report.get("value") is not None and holds(report, value) and not report["outside"]


async def _press_keys(state: "PageState", element: "Element | None", value: "FieldText") -> str:
    """Press the keys of a text and say how many were.

    It ends where a question opens or the document goes: the rest is for neither.
    """
    keyboard, blocked = state.tab.page.keyboard, state.tab.dialog_opened.is_set
    frame = element.frame if element else state.tab.page.main_frame
    text, loader, pressed = re.sub(r"\r\n?", "\n", value.text), frame.loader, 0
    # Of a secret a page that looks at each key would tell all but the last.
    for keys in (LINES if value.is_secret else KEYS).findall(text):
        if blocked() or not state.tab.alive or frame.loader != loader:
            break
        if keys == "\n":
            work = keyboard.press("Enter")
        else:
            secret = value.is_secret
            work = value.enter(state, element, keys) if secret else keyboard.type(keys)
        await state.activity.race(work, blocked)
        pressed += len(keys)
    if value.is_secret:
        return "it" if pressed == len(text) else "a part of it"
    if pressed == len(text):
        return counted(pressed, "character")
    return f"{pressed:,} of {len(text):,} characters"


async def _finish(answer: "ResponseBuilder", state: "PageState", effects: "Effects") -> None:
    """Add what else changed, with a look at the page only where something did, or may do so."""
    report, element = effects.settled.report, effects.element
    if element is not None and element.node_id and report.get("shown") is not None:
        state.note_value(element.node_id, report["shown"], secret=report["secret"])
    if effects.awaits or element is None or not report or report.get("outside", 1):
        await effects.tell(answer, own=True)


def taken_back(settled: "Settled", shown: str) -> str:
    """Return what a field shows now if the page did not leave it at what was set, else ""."""
    now = settled.report.get("shown")
    return "" if now is None or now == shown else f", but it now holds {_short(now)}"


def _filled(element: "Element", field: dict[str, Any], settled: "Settled", value: str) -> str:
    if field["mode"] == "done":
        return f"Filled {element.name}{taken_back(settled, field['set'])}."
    held = field.get("held") or settled.report.get("value")
    if held is None or holds(settled.report | {"value": held}, value):
        return f"Filled {element.name}."
    if settled.report.get("secret"):
        return f"Filled {element.name}, but it holds something else than that."
    return f"Filled {element.name}, but it now holds {_short(held)}."


def _holding(settled: "Settled") -> str:
    held = settled.report.get("value")
    if held is None or settled.report.get("secret"):
        return ""
    return f"; it holds {_short(held)}"


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")
