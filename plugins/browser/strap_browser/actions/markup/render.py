"""A page as its scripts draw it, for the actions of other resources."""

import asyncio
import re
from contextlib import suppress
from html import escape, unescape
from typing import TYPE_CHECKING

from pydantic import Field

from strap import ActionError, Context, Params, Result, action, record
from strap_browser import interaction
from strap_browser.actions.markup.page_markup import page_markup
from strap_browser.actions.navigate import BLANK, close_dialog, open_url
from strap_browser.actions.wait import Wait, wait
from strap_browser.snapshot.media_types import describe_media_type

if TYPE_CHECKING:
    from strap_browser.actions.markup.page_markup import Markup
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry

TIMEOUT = 30.0
MOST_DIALOGS = 5
"""Questions of a page that are closed unanswered before it is given up."""
REST_LIMIT = 5.0
"""Seconds for which a page that draws on and on is waited for."""
VEILED = 0.1
"""Share of the text of a page that waits to be faded in, from which it is scrolled through."""
LEAST_SEEN = 20
"""Characters from which a page shows something. Where fewer are seen, as of one that loads, and
more are transparent or hidden, it is read as though they were seen, and the answer says so. Where
more are, they are the page: what it hides beside them, as a question or a trap, is not read."""
MOST_SIGNS = 8 * LEAST_SEEN
"""Characters in which as many may be written in HTML."""
_TEXT = re.compile(r"(?<=>)[^<>]*[^<>\s][^<>]*")
STRIDES, STRIDE = 40, 0.05
"""Screens that are scrolled at most, and seconds at each: a few frames, so that the page hears."""


class Render(Params):
    """Fields of `render`."""

    url: str = Field(max_length=20_000)
    """Absolute http or https URL."""


@action("browser", effect="write", timeout=TIMEOUT, acts_as=("navigate",), advertised=False)
async def render(params: Render, ctx: "Context[BrowserRegistry]") -> Result:
    """Answer with the HTML that a page shows once its scripts have drawn it, for other actions.

    The page is opened in a context of its own, without cookies or logins, and closed again; a
    browser that does not run is started for it, and ended then. Waits as `navigate` does. The data
    of the answer has the `html` of what is shown, frames and shadow roots included, what is folded
    in `details` as well, and what the page says of itself in metadata and JSON-LD, whether it is
    `cut`, whether it is `veiled` (next to nothing of it is seen, the rest is transparent or hidden)
    and all that is `seen` then, whether the page `rests`, the final `url` and the HTTP `status`,
    None where no server answered. Raises `ActionError` (code "no_document") for what is no page.
    """
    async with ctx.state.apart(ctx) as own:
        opened = await open_url(params.url, own)
        drawn = await _drawn(own)
        page = drawn.page
        if page.url.startswith(interaction.ERROR_PAGE):
            raise ActionError(opened.text, code="navigation")
        what = describe_media_type(page.kind)
        if what or page.url == BLANK:
            raise ActionError(
                f"{params.url!r} is not a page that scripts draw. {what}".strip(),
                hint="http fetch without value reads it.",
                code="no_document",
            )
        html = _document(page, drawn.head)
        return Result(
            text=f"Drew {page.url}: {len(html):,} characters of HTML.",
            data={
                "html": html,
                "cut": page.cut,
                "veiled": drawn.veiled,
                "seen": drawn.seen,
                "rests": drawn.rests,
                "url": page.url,
                "status": drawn.status,
            },
        )


@record
class _Drawn:
    """Drawn page; `rests` is false if it never came to rest in time.

    `head` is its HTML for machines, such as JSON-LD, `seen` all that is seen of a page that is
    `veiled`.
    """

    page: "Markup"
    head: str
    status: int | None
    rests: bool
    veiled: bool
    seen: str


async def _drawn(ctx: "Context[BrowserRegistry]") -> _Drawn:
    await _close_dialogs(ctx)
    rests = False
    with suppress(ActionError):  # a page that never rests, or asks something: it is read as it is
        await wait(Wait(value="idle", timeout=REST_LIMIT), ctx)
        rests = True
    await _close_dialogs(ctx)
    if await _scrolled_through(ctx):
        with suppress(ActionError):
            await wait(Wait(value="idle", timeout=REST_LIMIT), ctx)
    async with interaction.using_page(ctx, reads=True) as state:
        head = (await state.ask("told"))["html"]
        page = await page_markup(state, unfold=True)
        seen = _seen(page.html)
        veiled = len(seen) < LEAST_SEEN and len(seen) < await _unseen(state)
        return _Drawn(
            page=await page_markup(state, unfold=True, lift=True) if veiled else page,
            head=head,
            status=interaction.status_of(state),
            rests=rests,
            veiled=veiled,
            seen=seen if veiled else "",
        )


def _seen(html: str) -> str:
    seen = ""
    for text in _TEXT.finditer(html):
        seen = f"{seen} {' '.join(unescape(text[0].strip()[:MOST_SIGNS]).split())}".strip()
        if len(seen) >= LEAST_SEEN:
            break
    return seen


async def _unseen(state: "PageState") -> int:
    text = await state.ask("veiled")
    return int(text["waiting"] + text["hidden"])


async def _scrolled_through(ctx: "Context[BrowserRegistry]") -> bool:
    """Scroll to the end and back where much of the text waits for that; returns whether it did.

    What stays transparent then is not shown to a reader either, and not read, unless next to
    nothing else is there. A page that waits for nothing is left where it is: some go on with
    further articles below.
    """
    async with interaction.using_page(ctx, leaving=True) as state:
        if state.tab.dialog is not None:
            return False
        text = await state.ask("veiled")
        if text["waiting"] <= VEILED * (text["waiting"] + text["seen"]):
            return False
        for _ in range(STRIDES):
            answer = await state.ask("scroll", dy=0, dx=0, to="down")
            await asyncio.sleep(STRIDE)
            if answer.get("none") or answer["bottom"] < 1:
                break
        await state.ask("scroll", to="top")
        return True


async def _close_dialogs(ctx: "Context[BrowserRegistry]") -> None:
    """Close what the page asks; a page that asks on and on is read, if at all, behind that."""
    async with interaction.using_page(ctx, leaving=True) as state:
        for _ in range(MOST_DIALOGS):
            if state.tab.dialog is None:
                return
            await close_dialog(state, interaction.response_for(ctx))


def _document(page: "Markup", head: str) -> str:
    language = f' lang="{escape(page.language)}"' if page.language else ""
    return (
        f"<!doctype html><html{language}><head><title>{escape(page.title)}</title>"
        f'<base href="{escape(page.base)}">{head}</head>{page.html}</html>'
    )
