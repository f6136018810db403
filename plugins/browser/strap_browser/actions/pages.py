"""Pages as such: opening, closing, and their size."""

from typing import TYPE_CHECKING

from pydantic import Field

from strap import Context, Result, action, with_scheme
from strap_browser import interaction
from strap_browser.actions.navigate import open_url
from strap_browser.actions.params import BrowserParams, ProfileParams

if TYPE_CHECKING:
    from strap_browser.pages.registry import BrowserRegistry


class NewPage(ProfileParams):
    """Fields of `new_page`."""

    url: str | None = Field(default=None, max_length=100_000)
    """URL to open; left out: a blank page."""


@action("browser", effect="write", acts_as=("navigate",))
async def new_page(params: NewPage, ctx: "Context[BrowserRegistry]") -> Result:
    """Open a further page, which becomes the current one; with `url` answers like `navigate`.

    A page that cannot be opened is closed again.
    """
    if params.url is not None:
        await ctx.state.guard(ctx).check(with_scheme(params.url))
    await ctx.state.start(ctx)
    tab = await ctx.state.new_tab(ctx)
    text = f"Opened page {tab.handle}, which is the current one."
    if params.url is None:
        return Result(text=text, data={"target_id": tab.handle})
    try:
        return await open_url(params.url, ctx, target_id=tab.handle, note=text)
    except BaseException:
        tab.session.discard(tab)
        raise


@action("browser", effect="write", asks_person=True)
async def close_page(params: BrowserParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Close the current page, or the one of `target_id`, without waiting for it.

    Answers with the page that is current then.
    """
    tab = await ctx.state.peek(ctx)
    await interaction.confirm_page(ctx, tab)
    where = f"{tab.handle} {tab.where}"
    await ctx.state.close_tab(ctx)
    current = tab.session.current
    left = f"The current page is {current.handle} {current.where}." if current else ""
    return Result(text=f"Closed page {where}.\n{left or 'No page is left.'}")


class Resize(BrowserParams):
    """The size of the viewport."""

    width: int = Field(ge=100, le=8_000)
    """Width in CSS pixels."""
    height: int = Field(ge=100, le=8_000)
    """Height in CSS pixels."""


@action("browser", effect="write", asks_person=True)
async def resize(params: Resize, ctx: "Context[BrowserRegistry]") -> Result:
    """Change the size of the viewport, and answer with what that changed."""
    async with interaction.using_page(ctx) as state:
        effects = interaction.Effects(state)
        await effects.begin()
        await state.tab.page.resize(params.width, params.height)
        await interaction.next_frames_drawn(state.tab)
        await effects.settle()
        answer = interaction.response_for(ctx)
        answer.add(f"The viewport has {params.width} x {params.height} px.")
        await effects.tell(answer, own=True)
        return answer.result(state.tab)
