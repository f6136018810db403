"""Going to a URL, back and forward, and loading a page again."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from strap import ActionError, Context, Result, UsageError, VettedURL, action, with_scheme
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.engine.errors import ABORTED, DownloadStarted, NavigationFailed, WouldResend
from strap_browser.engine.history import next_entry
from strap_browser.interaction.navigation_errors import explained
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
WORDS = {"back": "earlier", "forward": "later"}
BLANK = "about:blank"
RESEND = "resend"
NOT_SENT = "net::ERR_CACHE_MISS"
"""Chromium's error where going back would send a form again."""


class Navigate(BrowserParams):
    """Fields of `navigate`."""

    url: str = Field(max_length=100_000)
    """URL to open; `localhost:3000` and `example.com` will do."""


@action("browser", effect="write")
async def navigate(params: Navigate, ctx: "Context[BrowserRegistry]") -> Result:
    """Go to a URL.

    Returns when the document is there and what its scripts ask for at once; never waits for
    images. Answers with title, final URL, an HTTP status of 400 or more, and the page itself if
    it is small. A page that is still drawn says what it waits for.
    """
    return await open_url(params.url, ctx)


@action("browser", effect="write", asks_person=True)
async def back(params: BrowserParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Go to the earlier page of this tab's history; answers like `navigate`."""
    return await _travel("back", ctx)


@action("browser", effect="write", asks_person=True)
async def forward(params: BrowserParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Go to the later page of this tab's history; answers like `navigate`."""
    return await _travel("forward", ctx)


class Reload(BrowserParams):
    """How to load a page again."""

    value: str | None = Field(default=None, max_length=20)
    """`resend` to send a form again, where the page is the answer to one."""


@action("browser", effect="write", asks_person=True)
async def reload(params: Reload, ctx: "Context[BrowserRegistry]") -> Result:
    """Load the page again; answers like `navigate`.

    The answer to a form is not asked for again, as that would send it twice.
    """
    if params.value not in (None, RESEND):
        raise UsageError(
            f"reload value={params.value!r} is not a valid way to load.", hint="Valid: resend."
        )
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
        is_missed = failed is not None and failed.failure == NOT_SENT
        resend = params.value == RESEND
        work = page.goto(url) if failed and not is_missed else page.reload(resend=resend)
        if target is not None:
            work = state.tab.connection.lead(target, work, again=True)
        await load(state, work, url, urlsplit(url).hostname or url, answer)
        return answer.result(state.tab)


async def open_url(
    url: str, ctx: "Context[BrowserRegistry]", *, target_id: str | None = None, note: str = ""
) -> Result:
    """Go to `url`, on the page `target_id` or the one that the call means; tell what is there."""
    target = await ctx.state.guard(ctx).check(with_scheme(url))
    await ctx.state.start(ctx)
    async with interaction.using_page(ctx, leaving=True, target_id=target_id) as state:
        answer = interaction.response_for(ctx)
        answer.add(note)
        await interaction.check_going(ctx, state.tab, target.url)
        await close_dialog(state, answer)
        if state.activity.held:
            await state.activity.blank()  # let go, it would be on its way before we are
        await load(state, goto(state, target), target.url, target.host, answer)
        return answer.result(state.tab)


async def _travel(way: Way, ctx: "Context[BrowserRegistry]") -> Result:
    async with interaction.using_page(ctx, leaving=True) as state:
        answer = interaction.response_for(ctx)
        dialog = state.tab.dialog
        if dialog is None or not dialog.holds_navigation:
            await _entry(state, way)  # where there is none, a question stays open
        if await close_dialog(state, answer):  # an earlier call was held up by it
            await interaction.add_page(answer, state)
            return answer.result(state.tab)
        entry, url = await _entry(state, way)
        target = await ctx.state.guard(ctx).check(url)
        effects, arrivals = interaction.Effects(state), state.tab.page.arrivals
        go = state.tab.page.go_to_entry(entry)
        work = state.tab.connection.lead(target, go, again=True)
        answer.add(await _go(state, work, url, target.host))
        if state.tab.page.arrivals == arrivals:  # only a frame made that step
            await effects.follow()
            await effects.tell(answer)
        elif state.tab.dialog is None and state.tab.alive:
            await interaction.add_page(answer, state)
        return answer.result(state.tab)


async def _entry(state: "PageState", way: Way) -> tuple[int, str]:
    entry = await next_entry(state, way)
    if entry is None or entry["url"] == BLANK:
        raise ActionError(
            f"There is no {WORDS[way]} page.", hint="Go on with navigate.", code="no_history"
        )
    return entry["id"], entry["url"]


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
        await interaction.add_page(answer, state)


async def _close_dialog(state: "PageState") -> None:
    """Dismiss the dialog; to the one that asks whether to leave the page, say yes."""
    tab, mark = state.tab, state.activity.mark()
    leaving = tab.dialog is not None and tab.dialog.holds_navigation
    await tab.answer(accept=leaving)
    if leaving:  # else the navigation that it held up would get in the way of the next one
        await state.activity.barrier()
        await interaction.Settler(tab, state.activity, mark).navigation()


async def _go(state: "PageState", work: Coroutine[Any, Any, Any], url: str, host: str) -> str:
    """Load the document; returns what is unfinished when patience ends."""
    tab, activity = state.tab, state.activity
    await activity.release()
    mark, asked_before = activity.mark(), activity.requested
    try:
        await activity.race(work, tab.dialog_opened.is_set)
    except DownloadStarted:
        return ""
    except WouldResend as failed:
        raise ActionError(
            f"{url!r} was not loaded again. {failed}",
            hint="`reload value=resend` sends it again.",
            code="not_resent",
        ) from None
    except NavigationFailed as failed:
        if failed.reason == ABORTED:
            await _let_loss_be_told(activity)
        if not tab.alive:
            return ""
        if _interfered(state, asked_before, failed):
            raise _elsewhere(url) from None
        raise (
            await _refusal(state, failed)
            or _bare(state, failed, host)
            or explained(failed.reason, url, host)
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


async def goto(state: "PageState", target: VettedURL) -> None:
    """Go there, also from a page that goes elsewhere all the time."""
    page, activity, lead = state.tab.page, state.activity, state.tab.connection.lead
    asked_before = activity.requested
    try:
        await lead(target, page.goto(target.url))
    except NavigationFailed as failed:
        if not _interfered(state, asked_before, failed):
            raise
        await activity.blank()
        await lead(target, page.goto(target.url))


def _interfered(state: "PageState", before: int, failed: NavigationFailed) -> bool:
    """Whether the page ended a navigation by one more than `before` requests to leave."""
    return failed.reason == ABORTED and state.activity.requested > before


async def _stop(tab: "Tab") -> None:
    with suppress(Exception):
        async with asyncio.timeout(STOP_LIMIT):
            await tab.page.session.send("Page.stopLoading")


async def _refusal(state: "PageState", failed: NavigationFailed) -> Exception | None:
    gate, request = state.tab.connection.endpoint.gate, state.activity.document
    if gate is None or request is None or not may_be_refused(failed.reason):
        return None
    return await gate.explain(request.url)


def _bare(state: "PageState", failed: NavigationFailed, host: str) -> Exception | None:
    if state.activity.document is None or NO_PAGE not in failed.reason:
        return None
    status = interaction.status_of(state)
    what = "an error" if status is None else f"HTTP status {status}"
    return ActionError(f"{host!r} answered with {what} and without a page.", code="http_status")


def _elsewhere(url: str) -> ActionError:
    return ActionError(
        f"Cannot open {url!r}: the page went elsewhere by itself.",
        hint="Look at it with snapshot, or try again.",
        code="navigation",
        retryable=True,
    )
