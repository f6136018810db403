"""Pages as such: opening, closing, and their size."""

from strap import Context, Result, with_scheme
from strap_browser.actions.navigate import navigate
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.response import response_for
from strap_browser.interaction.settle import next_frames_drawn
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.registry import BrowserRegistry


async def new_page(url: str | None, ctx: Context[BrowserRegistry]) -> Result:
    """Open a page, which becomes the current one, and go to `url`."""
    if url is not None:
        await ctx.state.guard(ctx).check(with_scheme(url))
    tab = await ctx.state.new_tab(ctx)
    said = f"Opened page {tab.handle}, which is the current one."
    if url is None:
        return Result(text=said, data={"target_id": tab.handle})
    try:
        return await navigate(url, ctx, target_id=tab.handle, said=said)
    except BaseException:
        tab.session.discard(tab)
        raise


async def close_page(ctx: Context[BrowserRegistry]) -> Result:
    """Close a page and name the one that is current then."""
    tab = await ctx.state.peek(ctx)
    where = f"{tab.handle} {tab.where}"
    await ctx.state.close_tab(ctx)
    current = tab.session.current
    left = f"The current page is {current.handle} {current.where}." if current else ""
    return Result(text=f"Closed page {where}.\n{left or 'No page is left.'}")


async def resize(width: int, height: int, ctx: Context[BrowserRegistry]) -> Result:
    """Change the size of the viewport and tell what that changed."""
    async with using_page(ctx) as state:
        effects = Effects(state)
        await effects.begin()
        await state.tab.page.set_viewport_size({"width": width, "height": height})
        await next_frames_drawn(state.tab)
        await effects.settle()
        answer = response_for(ctx)
        answer.add(f"The viewport has {width} x {height} px.")
        await effects.tell(answer, own=True)
        return answer.result(state.tab)
