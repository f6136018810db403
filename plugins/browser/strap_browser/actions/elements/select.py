"""Choosing options of a drop-down."""

import json

from strap import Context, Result, UsageError
from strap_browser.actions.elements.fill import taken_back
from strap_browser.interaction.actionability import wait_actionable
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.elements import find_element
from strap_browser.interaction.response import response_for
from strap_browser.interaction.use_page import using_page
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
            return [str(each) for each in named]
    return [line.strip() for line in value.splitlines() if line.strip()] or [value]


async def select(
    ref: str | None, selector: str | None, value: str, ctx: Context[BrowserRegistry]
) -> Result:
    """Choose the options, these alone, and tell what that changed."""
    wanted = options(value)
    if len(wanted) > MOST:
        raise UsageError(f"{len(wanted):,} options are too many (at most {MOST}).")
    async with using_page(ctx) as memory:
        target = await find_element(memory, ref, selector)
        if target is None:
            raise UsageError("select needs ref or selector.")
        effects = Effects(memory, value=True)
        done, target = await wait_actionable(
            memory, target, "select", token=effects.token, values=wanted
        )
        effects.target = target
        settled = await effects.settle()
        answer = response_for(ctx)
        shown = settled.report.get("shown")
        named = ", ".join(map(repr, wanted))[:200] or "nothing"
        said = f"Selected {named} in {target.name}"
        answer.add(f"{said}{taken_back(settled, done['set'])}.", target.note)
        if target.node_id and shown is not None:
            memory.note_value(target.node_id, shown, secret=False)
        await effects.tell(answer, own=True)
        return answer.result(memory.tab)
