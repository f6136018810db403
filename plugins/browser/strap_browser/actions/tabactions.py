"""The actions on a page as a whole: waiting, history, dialogs, opening, closing, size."""

from typing import Literal

from pydantic import Field

from strap import Context, Result, action
from strap_browser.actions.pageactions import ElementParams
from strap_browser.actions.params import BrowserParams, ProfileParams
from strap_browser.pages.registry import BrowserRegistry


class Wait(ElementParams):
    """What to wait for."""

    text: str | None = Field(default=None, max_length=1_000)
    """Text to appear anywhere on the page."""
    value: str | None = Field(default=None, max_length=20)
    """`gone`, `load`, `idle`, `url` (of which `text` is a part), or a number of seconds."""


class Dialog(BrowserParams):
    """How to answer."""

    value: Literal["accept", "dismiss"] = "accept"
    """`accept` (OK, leave the page) or `dismiss` (Cancel, stay)."""
    text: str | None = Field(default=None, max_length=20_000)
    """What to enter in a prompt; left out: what it suggests."""


class NewPage(ProfileParams):
    """What to open."""

    url: str | None = Field(default=None, max_length=20_000)
    """URL to open; left out: a blank page."""


class Resize(BrowserParams):
    """The size of the viewport."""

    width: int = Field(ge=100, le=8_000)
    """Width in CSS pixels."""
    height: int = Field(ge=100, le=8_000)
    """Height in CSS pixels."""


@action("browser", effect="read")
async def wait(params: Wait, ctx: Context[BrowserRegistry]) -> Result:
    """Wait for a text, an element, or for the page to come to rest.

    `text`, `ref` or `selector` is waited for until it is visible, with `value=gone` until it is
    not. `value=load` waits for everything in the page, images too; `value=idle`, which is meant
    where nothing is given, until no request runs and nothing changes. Answers with what changed;
    what does not come about within `timeout` (30 s) is an error. Other actions wait for what they
    start: this one is for what a page does by itself. Meanwhile `snapshot`, `text` and pictures
    of the page are had as ever.
    """
    from strap_browser.actions import wait as waiting

    what = waiting.wait_condition(params.text, params.ref, params.selector, params.value)
    return await waiting.wait(what, ctx)


@action("browser", effect="write")
async def back(params: BrowserParams, ctx: Context[BrowserRegistry]) -> Result:
    """Go to the earlier page of this tab's history; answers like `navigate`."""
    from strap_browser.actions import history

    return await history.travel("back", ctx)


@action("browser", effect="write")
async def forward(params: BrowserParams, ctx: Context[BrowserRegistry]) -> Result:
    """Go to the later page of this tab's history; answers like `navigate`."""
    from strap_browser.actions import history

    return await history.travel("forward", ctx)


@action("browser", effect="write")
async def reload(params: BrowserParams, ctx: Context[BrowserRegistry]) -> Result:
    """Load the page again; answers like `navigate`."""
    from strap_browser.actions import history

    return await history.reload(ctx)


@action("browser", effect="write")
async def dialog(params: Dialog, ctx: Context[BrowserRegistry]) -> Result:
    """Answer the confirm, prompt or "leave page?" dialog that blocks a page.

    Never waits for the page, and answers with what it does next if it does so at once. Alerts
    need no answer.
    """
    from strap_browser.actions import dialog as dialogs

    accept = params.value == "accept"
    return await dialogs.answer_dialog(accept=accept, text=params.text, ctx=ctx)


@action("browser", effect="write")
async def new_page(params: NewPage, ctx: Context[BrowserRegistry]) -> Result:
    """Open a further page, which becomes the current one; with `url` answers like `navigate`.

    A page that cannot be opened is closed again.
    """
    from strap_browser.actions import pages

    return await pages.new_page(params.url, ctx)


@action("browser", effect="write")
async def close_page(params: BrowserParams, ctx: Context[BrowserRegistry]) -> Result:
    """Close the current page, or the one of `target_id`, without waiting for it.

    Answers with the page that is current then.
    """
    from strap_browser.actions import pages

    return await pages.close_page(ctx)


@action("browser", effect="write")
async def resize(params: Resize, ctx: Context[BrowserRegistry]) -> Result:
    """Change the size of the viewport, and answer with what that changed."""
    from strap_browser.actions import pages

    return await pages.resize(params.width, params.height, ctx)


ACTIONS = [wait, back, forward, reload, dialog, new_page, close_page, resize]
