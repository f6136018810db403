"""Going to a URL, back and forward, and loading a page again."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from strap import ActionError, Context, Result, action, with_scheme
from strap_browser import interaction
from strap_browser.actions.navigation_errors import NET_ERROR, explained
from strap_browser.actions.params import BrowserParams
from strap_browser.engine.playwright.errors import Error
from strap_browser.proxy.control import may_be_refused
from strap_browser.snapshot.media_types import NO_PAGE

if TYPE_CHECKING:
    from strap_browser.engine.page_activity import PageActivity
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.tab import Tab

STOP_LIMIT = 0.1
LOSS_LIMIT = 1.0
Way = Literal["back", "forward"]
STEPS = {"back": -1, "forward": 1}
WORDS = {"back": "earlier", "forward": "later"}
BLANK = "about:blank"
INTERRUPTED = "interrupted by another navigation"
ABORTED = "net::ERR_ABORTED"


class Navigate(BrowserParams):
    """Where to go."""

    url: str = Field(max_length=20_000)
    """URL to open; `localhost:3000` and `example.com` will do."""


@action("browser", effect="write")
async def navigate(params: Navigate, ctx: "Context[BrowserRegistry]") -> Result:
    """Go to a URL.

    Returns when the document is there and what its scripts ask for at once; never waits for
    images. Answers with title, final URL, an HTTP status of 400 or more, and the page itself if
    it is small.
    """
    return await open_url(params.url, ctx)


@action("browser", effect="write")
async def back(params: BrowserParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Go to the earlier page of this tab's history; answers like `navigate`."""
    return await _travel("back", ctx)


@action("browser", effect="write")
async def forward(params: BrowserParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Go to the later page of this tab's history; answers like `navigate`."""
    return await _travel("forward", ctx)


@action("browser", effect="write")
async def reload(params: BrowserParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Load the page again; answers like `navigate`."""
    async with interaction.using_page(ctx, leaving=True) as state:
        answer = interaction.response_for(ctx)
        await close_dialog(state, answer)
        page = state.tab.page
        failed = state.activity.document if page.url.startswith(interaction.ERROR_PAGE) else None
        url = failed.url if failed else page.url
        if url == BLANK:
            raise ActionError("The page is blank.", hint="Open one with navigate.", code="no_page")
        is_web = urlsplit(url).scheme in ("http", "https")
        target = await ctx.state.guard(ctx).check(url) if is_web else None
        # Chromium's page about a certificate does not answer any more when it is loaded again.
        again = page.goto(url, wait_until="commit", timeout=0) if failed else None
        work = again or page.reload(wait_until="commit", timeout=0)
        if target is not None:
            work = state.tab.connection.lead(target, work, again=True)
        await load(state, work, url, urlsplit(url).hostname or url, answer)
        return answer.result(state.tab)


async def open_url(
    url: str, ctx: "Context[BrowserRegistry]", *, target_id: str | None = None, said: str = ""
) -> Result:
    """Go to `url`, on the page `target_id` or the one that the call means; tell what is there."""
    target = await ctx.state.guard(ctx).check(with_scheme(url))
    async with interaction.using_page(ctx, leaving=True, target_id=target_id, early=True) as state:
        answer = interaction.response_for(ctx)
        answer.add(said)
        await close_dialog(state, answer)
        if state.activity.held:
            await state.activity.blank()  # let go, it would be on its way before we are
        work = state.tab.connection.lead(target, _goto(state, target.url))
        await load(state, work, target.url, target.host, answer)
        if state.tab.early:
            state.tab.session.spawn(interaction.take_over_soon(state.tab))
        return answer.result(state.tab)


async def _travel(way: Way, ctx: "Context[BrowserRegistry]") -> Result:
    """Go one page back or forward and tell what is there."""
    async with interaction.using_page(ctx, leaving=True) as state:
        answer = interaction.response_for(ctx)
        if await close_dialog(state, answer):  # an earlier call was held up by it
            await interaction.add_page(answer, state)
            return answer.result(state.tab)
        url = await _entry(state.tab, way)
        target = await ctx.state.guard(ctx).check(url)
        page = state.tab.page
        go = page.go_back if way == "back" else page.go_forward
        work = state.tab.connection.lead(target, go(wait_until="commit", timeout=0), again=True)
        await load(state, work, url, target.host, answer)
        return answer.result(state.tab)


async def _entry(tab: "Tab", way: Way) -> str:
    """Return the address of the next entry; raises `ActionError` (code "no_history")."""
    history: dict[str, Any] = await (await tab.cdp()).send("Page.getNavigationHistory")
    index = history["currentIndex"] + STEPS[way]
    entries = history["entries"]
    url = str(entries[index]["url"]) if 0 <= index < len(entries) else BLANK
    if url == BLANK:
        raise ActionError(
            f"There is no {WORDS[way]} page.", hint="Go on with navigate.", code="no_history"
        )
    return url


async def close_dialog(state: "PageState", answer: "ResponseBuilder") -> bool:
    """Close the open dialog of a page that is to be left, if there is one, and say so.

    Returns whether that let a navigation go on that the dialog held up.
    """
    before = state.activity.commits
    if state.tab.dialog is not None:
        answer.add(f"The open {state.tab.dialog.type} dialog was closed.")
        await _close_dialog(state)
    return state.activity.commits > before


async def load(
    state: "PageState",
    work: Coroutine[Any, Any, Any],
    url: str,
    host: str,
    answer: "ResponseBuilder",
) -> None:
    """Wait for the document that `work` makes the page go to, and add what is there."""
    answer.add(await _go(state, work, url, host))
    if state.tab.dialog is None and state.tab.alive:
        await _show(answer, state)


async def _show(answer: "ResponseBuilder", state: "PageState") -> None:
    """Add what is there; what cannot be seen before Playwright is there, is seen with it."""
    tab, said = state.tab, len(answer.lines)
    if tab.early is None or tab.early.whole:
        try:
            await interaction.add_page(answer, state)
        except Error:
            if tab.early is None:
                raise
        else:
            return
    del answer.lines[said:]
    await interaction.take_over(tab)
    await interaction.add_page(answer, await interaction.page_state_of(tab))


async def _close_dialog(state: "PageState") -> None:
    """Dismiss the dialog; to the one that asks whether to leave the page, say yes."""
    tab, mark = state.tab, state.activity.mark()
    leaving = tab.dialog is not None and tab.dialog.type == "beforeunload"
    await tab.answer(accept=leaving)
    if leaving:  # else the navigation that it held up would get in the way of the next one
        await state.activity.barrier()
        await interaction.Settler(tab, state.activity, mark).navigation()


async def _go(state: "PageState", work: Coroutine[Any, Any, Any], url: str, host: str) -> str:
    """Load the document; returns what is unfinished when patience ends."""
    tab, activity = state.tab, state.activity
    await activity.release()
    mark, asked = activity.mark(), activity.asked
    try:
        await activity.race(work, tab.dialog_opened.is_set)
    except Error as error:
        if ABORTED in str(error):
            await _let_loss_be_told(activity)
        if not tab.alive or _is_download(error):
            return ""
        if _interfered(state, asked, error):
            raise _elsewhere(url) from None
        raise (
            await _refusal(state, error)
            or await _bare(state, error, host)
            or explained(error, url, host)
        ) from None
    except asyncio.CancelledError:
        await _stop(tab)
        raise
    return (await interaction.Settler(tab, activity, mark).navigation()).unfinished


async def _let_loss_be_told(activity: "PageActivity") -> None:
    """Wait for the news that the page is lost, which ends the call; one that is not answers.

    All that is told of a navigation before is that it was given up.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(LOSS_LIMIT):
            await activity.barrier()


async def _goto(state: "PageState", url: str) -> None:
    """Go there, also from a page that goes elsewhere all the time."""
    page, activity = state.tab.page, state.activity
    asked = activity.asked
    try:
        await page.goto(url, wait_until="commit", timeout=0)
    except Error as error:
        if not _interfered(state, asked, error):
            raise
        await activity.blank()
        await page.goto(url, wait_until="commit", timeout=0)


def _interfered(state: "PageState", asked: int, error: Exception) -> bool:
    """Whether the page, which had `asked` so often to leave, has ended a navigation by one more."""
    text = str(error)
    return INTERRUPTED in text or (ABORTED in text and state.activity.asked > asked)


async def _stop(tab: "Tab") -> None:
    """Stop loading: a call that was cancelled leaves nothing that goes on."""
    with suppress(Exception):
        async with asyncio.timeout(STOP_LIMIT):
            await (await tab.cdp()).send("Page.stopLoading")


async def _refusal(state: "PageState", error: Exception) -> Exception | None:
    """Return what the browser's proxy says of a server that it did not connect to."""
    gate, request = state.tab.connection.endpoint.gate, state.activity.document
    match = NET_ERROR.search(str(error))
    if gate is None or request is None or match is None or not may_be_refused(match[0]):
        return None
    return await gate.explain(request.url)


async def _bare(state: "PageState", error: Exception, host: str) -> Exception | None:
    """Return the error about an answer of the server that is a status and nothing else."""
    if state.activity.document is None or NO_PAGE not in str(error):
        return None
    status = await interaction.status_of(state)
    what = "an error" if status is None else f"HTTP status {status}"
    return ActionError(f"{host!r} answered with {what} and without a page.", code="http_status")


def _is_download(error: Exception) -> bool:
    return "Download is starting" in str(error)


def _elsewhere(url: str) -> ActionError:
    return ActionError(
        f"Cannot open {url!r}: the page went elsewhere by itself.",
        hint="Look at it with snapshot, or try again.",
        code="navigation",
        retryable=True,
    )
