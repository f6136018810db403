"""Moving the mouse over an element."""

from strap import Context, Result, UsageError
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.elements import find_element
from strap_browser.interaction.pointer import hit_point, move_mouse
from strap_browser.interaction.response import response_for
from strap_browser.interaction.settle import next_frames_drawn
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.registry import BrowserRegistry


async def hover(ref: str | None, selector: str | None, ctx: Context[BrowserRegistry]) -> Result:
    """Move the mouse over the element and tell what that changed."""
    async with using_page(ctx) as state:
        element = await find_element(state, ref, selector)
        if element is None:
            raise UsageError("hover needs ref or selector.")
        effects = Effects(state)
        place, element = await hit_point(state, element, effects, guard=False)
        await move_mouse(state, place)
        await next_frames_drawn(state.tab)
        await effects.settle()
        answer = response_for(ctx)
        answer.add(f"The mouse is over {element.name}.", element.note)
        await effects.tell(answer)
        return answer.result(state.tab)
