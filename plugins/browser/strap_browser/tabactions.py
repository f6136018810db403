"""The actions on a page as a whole: wait, back, forward, reload."""

from pydantic import Field

from strap import Context, Result, action
from strap_browser.browsers import Browsers
from strap_browser.pageactions import ElementParams
from strap_browser.params import BrowserParams
from strap_browser.resource import browser


class Wait(ElementParams):
    """What to wait for."""

    text: str | None = Field(default=None, max_length=1_000)
    """Text to appear anywhere on the page."""
    value: str | None = Field(default=None, max_length=20)
    """`gone`, `load`, `idle`, `url` (of which `text` is a part), or a number of seconds."""


@action(browser, effect="read")
async def wait(params: Wait, ctx: Context[Browsers]) -> Result:
    """Wait for a text, an element, or for the page to come to rest.

    `text`, `ref` or `selector` is waited for until it is visible, with `value=gone` until it is
    not. `value=load` waits for everything in the page, images too; `value=idle`, which is meant
    where nothing is given, until no request runs and nothing changes. Answers with what changed;
    what does not come about within `timeout` (30 s) is an error. Other actions wait for what they
    start: this one is for what a page does by itself.
    """
    from strap_browser import waiting

    what = waiting.wish(params.text, params.ref, params.selector, params.value)
    return await waiting.wait(what, ctx)


@action(browser, effect="write")
async def back(params: BrowserParams, ctx: Context[Browsers]) -> Result:
    """Go to the earlier page of this tab's history; answers like `navigate`."""
    from strap_browser import history

    return await history.travel("back", ctx)


@action(browser, effect="write")
async def forward(params: BrowserParams, ctx: Context[Browsers]) -> Result:
    """Go to the later page of this tab's history; answers like `navigate`."""
    from strap_browser import history

    return await history.travel("forward", ctx)


@action(browser, effect="write")
async def reload(params: BrowserParams, ctx: Context[Browsers]) -> Result:
    """Load the page again; answers like `navigate`."""
    from strap_browser import history

    return await history.reload(ctx)


ACTIONS = [wait, back, forward, reload]
