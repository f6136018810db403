"""A third-party plugin with the smallest page actions: they show what a tab is like."""

import asyncio

from strap import Context, Result, action, hookimpl
from strap_browser.actions.params import BrowserParams
from strap_browser.pages.registry import BrowserRegistry

LOADED = """new Promise((done) =>
  document.readyState === "complete" ? done() : addEventListener("load", () => done()))"""


class Visit(BrowserParams):
    url: str


class Run(BrowserParams):
    text: str


@action("browser", effect="write")
async def visit(params: Visit, ctx: Context[BrowserRegistry]) -> Result:
    """Go to a page and tell its id, title and events."""
    async with ctx.state.tab(ctx, blank_ok=True) as tab:
        going = tab.page.goto(params.url)
        if params.url.startswith("http"):
            going = tab.connection.lead(await ctx.guard.check(params.url), going)
        await going
        await tab.page.evaluate(LOADED)
        lines = [tab.handle, await tab.page.title(), *tab.drain()]
        return Result(text="\n".join(lines), data=lines[2:])


@action("browser", effect="write")
async def run(params: Run, ctx: Context[BrowserRegistry]) -> Result:
    """Run JavaScript; the events of the page are the data of the result."""
    async with ctx.state.tab(ctx) as tab:
        done = asyncio.ensure_future(tab.page.evaluate(params.text))
        opened = asyncio.ensure_future(tab.dialog_opened.wait())
        try:
            await asyncio.wait((done, opened), return_when=asyncio.FIRST_COMPLETED)
            value = await done if done.done() else "(a dialog is open)"
        finally:
            opened.cancel()
            done.cancel()
        return Result(text=str(value), data=tab.drain())


@action("browser", effect="write")
async def reply(params: Run, ctx: Context[BrowserRegistry]) -> Result:
    """Answer the open dialog with `text`."""
    tab = await ctx.state.peek(ctx)
    kind = tab.dialog.type if tab.dialog else "none"
    await tab.answer(accept=True, text=params.text)
    return Result(text=kind)


@action("browser", effect="read")
async def news(params: BrowserParams, ctx: Context[BrowserRegistry]) -> Result:
    """Tell what happened on the page, without waiting for it."""
    tab = await ctx.state.peek(ctx)
    return Result(text=tab.handle, data=tab.drain())


@action("browser", effect="write")
async def another(params: BrowserParams, ctx: Context[BrowserRegistry]) -> Result:
    """Open a further page."""
    return Result(text=(await ctx.state.new_tab(ctx)).handle)


@action("browser", effect="write")
async def drop(params: BrowserParams, ctx: Context[BrowserRegistry]) -> Result:
    """Close a page."""
    return Result(text=(await ctx.state.close_tab(ctx)).handle)


@hookimpl
def strap_register_actions(config):
    return [visit, run, reply, news, another, drop]
