"""Choosing options of a drop-down."""

import json
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from strap import Context, Result, UsageError, action
from strap_browser import interaction
from strap_browser.actions.elements.fill import taken_back
from strap_browser.actions.params import ElementParams

if TYPE_CHECKING:
    from strap_browser.pages.registry import BrowserRegistry


MOST = 500


def options(value: str) -> list[str]:
    """Return the options that `value` names: a JSON list, one a line, or one."""
    if value.lstrip().startswith("["):
        try:
            named = json.loads(value)
        except ValueError:
            named = None
        if isinstance(named, list):
            return [str(name) for name in named]
    return [line.strip() for line in value.splitlines() if line.strip()] or [value]


class Select(ElementParams):
    """Fields of `select`."""

    value: str = Field(max_length=20_000)
    """Text or value of the option; several one a line, or as a JSON list."""

    @model_validator(mode="before")
    @classmethod
    def _take_list(cls, values: Any) -> Any:
        """A list of options is as good as its JSON."""
        if isinstance(values, dict) and isinstance(values.get("value"), list):
            return values | {"value": json.dumps(values["value"], default=str)}
        return values


@action("browser", effect="write", asks_person=True)
async def select(params: Select, ctx: "Context[BrowserRegistry]") -> Result:
    """Choose one or more options of a drop-down, by text or value.

    What was chosen before is given up. Where groups have options of the same text, write
    `Group: option`. A drop-down that a page draws itself is clicked instead, then its option.
    """
    values = options(params.value)
    if len(values) > MOST:
        raise UsageError(f"{len(values):,} options are too many (at most {MOST}).")
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_element(state, params.ref, params.selector)
        if element is None:
            raise UsageError("select needs ref or selector.")
        (element,) = await interaction.confirm_elements(ctx, state, element)
        effects = interaction.Effects(state, value=True)
        done, element = await interaction.wait_actionable(
            state, element, "select", token=effects.token, values=values
        )
        effects.element = element
        settled = await effects.settle()
        answer = interaction.response_for(ctx)
        shown = settled.report.get("shown")
        named = ", ".join(map(repr, values))[:200] or "nothing"
        text = f"Selected {named} in {element.name}"
        answer.add(f"{text}{taken_back(settled, done['set'])}.", element.note)
        if element.node_id and shown is not None:
            state.note_value(element.node_id, shown, secret=False)
        await effects.tell(answer, own=True)
        return answer.result(state.tab)
