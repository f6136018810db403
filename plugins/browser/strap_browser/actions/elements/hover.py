"""Moving the mouse over an element."""

from strap import Context, Result, UsageError
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.elements import find_target
from strap_browser.interaction.pointer import aim, move_mouse
from strap_browser.interaction.response import answer_for
from strap_browser.interaction.settle import frames
from strap_browser.interaction.use_page import on_page
from strap_browser.pages.registry import Browsers


async def hover(ref: str | None, selector: str | None, ctx: Context[Browsers]) -> Result:
    """Move the mouse over the element and tell what that changed."""
    async with on_page(ctx) as memory:
        target = await find_target(memory, ref, selector)
        if target is None:
            raise UsageError("hover needs ref or selector.")
        effects = Effects(memory)
        place, target = await aim(memory, target, effects, guard=False)
        await move_mouse(memory, place)
        await frames(memory.tab)
        await effects.settle()
        answer = answer_for(ctx)
        answer.add(f"The mouse is over {target.name}.", target.note)
        await effects.tell(answer)
        return answer.result(memory.tab)
