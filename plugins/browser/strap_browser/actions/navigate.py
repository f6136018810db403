"""Going to a URL."""

import asyncio
import re
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from strap import ActionError, Context, PolicyDenied, Result, with_scheme
from strap_browser.engine.early_page import EarlyPage
from strap_browser.engine.page_activity import PageActivity
from strap_browser.engine.playwright.errors import Error
from strap_browser.interaction.page_state import PageState, page_state_of
from strap_browser.interaction.response import ResponseBuilder, add_page, response_for, status_of
from strap_browser.interaction.settle import Settler
from strap_browser.interaction.succession import take_over, take_over_soon
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.page_errors import first_line
from strap_browser.pages.registry import BrowserRegistry
from strap_browser.proxy.control import may_be_refused
from strap_browser.snapshot.media_types import NO_PAGE

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

STOP_LIMIT = 0.1
LOSS_LIMIT = 1.0
ERRORS = {
    "NAME_NOT_RESOLVED": ("There is no host {host!r}.", "Check the spelling."),
    "CONNECTION_REFUSED": ("{host!r} refused the connection.", "Is a server running there?"),
    "CONNECTION_RESET": ("{host!r} broke off the connection.", "Try again."),
    "CONNECTION_CLOSED": ("{host!r} closed the connection.", "Try again."),
    "EMPTY_RESPONSE": ("{host!r} closed the connection without an answer.", "Try again."),
    "CONNECTION_TIMED_OUT": ("{host!r} did not answer.", "Try again later."),
    "TIMED_OUT": ("{host!r} did not answer in time.", "Try again later."),
    "ADDRESS_UNREACHABLE": ("{host!r} cannot be reached.", "Check the address."),
    "INTERNET_DISCONNECTED": ("There is no network connection.", "Try again later."),
    "INVALID_HTTP_RESPONSE": (
        "{host!r} did not answer with HTTP.",
        "Check scheme and port: https:// may be what it speaks.",
    ),
    "TOO_MANY_REDIRECTS": (
        "{host!r} redirects for ever.",
        "It may want a cookie or a login: begin at its first page.",
    ),
    "TUNNEL_CONNECTION_FAILED": (
        "{host!r} cannot be reached, or strap does not allow it.",
        "Check the address.",
    ),
    "PROXY_CONNECTION_FAILED": (
        "The proxy cannot be reached.",
        "Correct `proxy` in the settings of the profile.",
    ),
    "INVALID_URL": ("{url!r} is not a valid URL.", "Give one like https://example.com/."),
    "UNSAFE_PORT": (
        "The port of {url!r} is not for the web.",
        "Browsers refuse it: give another one.",
    ),
    "INVALID_AUTH_CREDENTIALS": (
        "{host!r} asks for a user name and a password (HTTP status 401).",
        "An Authorization in extra_headers of the profile would give them.",
    ),
    "BLOCKED_BY_CLIENT": ("The browser blocked {url!r}.", "`http fetch` may get it."),
    "ABORTED": ("{host!r} answered without a page.", "It may be an empty answer (HTTP 204)."),
}
TRANSIENT = frozenset(
    (
        "CONNECTION_CLOSED",
        "CONNECTION_REFUSED",
        "CONNECTION_RESET",
        "CONNECTION_TIMED_OUT",
        "EMPTY_RESPONSE",
        "INTERNET_DISCONNECTED",
        "TIMED_OUT",
    )
)
"""Of these, what may be over when the call is repeated."""
INTERRUPTED = "interrupted by another navigation"
ABORTED = "net::ERR_ABORTED"
NET_ERROR = re.compile(r"net::ERR_([A-Z0-9_]+)")


async def navigate(
    url: str, ctx: Context[BrowserRegistry], *, target_id: str | None = None, said: str = ""
) -> Result:
    """Go to `url`, on the page `target_id` or the one that the call means; tell what is there."""
    target = await ctx.state.guard(ctx).check(with_scheme(url))
    async with using_page(ctx, leaving=True, target_id=target_id, early=True) as state:
        answer = response_for(ctx)
        answer.add(said)
        await close_dialog(state, answer)
        if state.activity.held:
            await state.activity.blank()  # let go, it would be on its way before we are
        work = state.tab.connection.lead(target, _goto(state, target.url))
        await load(state, work, target.url, target.host, answer)
        if isinstance(state.tab.page, EarlyPage):
            state.tab.session.spawn(take_over_soon(state.tab))
        return answer.result(state.tab)


async def close_dialog(state: PageState, answer: ResponseBuilder) -> bool:
    """Close the open dialog of a page that is to be left, if there is one, and say so.

    Returns whether that let a navigation go on that the dialog held up.
    """
    before = state.activity.commits
    if state.tab.dialog is not None:
        answer.add(f"The open {state.tab.dialog.type} dialog was closed.")
        await _close_dialog(state)
    return state.activity.commits > before


async def load(
    state: PageState, work: Coroutine[Any, Any, Any], url: str, host: str, answer: ResponseBuilder
) -> None:
    """Wait for the document that `work` makes the page go to, and add what is there."""
    answer.add(await _go(state, work, url, host))
    if state.tab.dialog is None and state.tab.alive:
        await _show(answer, state)


async def _show(answer: ResponseBuilder, state: PageState) -> None:
    """Add what is there; what cannot be seen before Playwright is there, is seen with it."""
    tab, said = state.tab, len(answer.lines)
    if not isinstance(tab.page, EarlyPage) or tab.page.whole:
        try:
            await add_page(answer, state)
        except Error:
            if not isinstance(tab.page, EarlyPage):
                raise
        else:
            return
    del answer.lines[said:]
    await take_over(tab)
    await add_page(answer, await page_state_of(tab))


async def _close_dialog(state: PageState) -> None:
    """Dismiss the dialog; to the one that asks whether to leave the page, say yes."""
    tab, mark = state.tab, state.activity.mark()
    leaving = tab.dialog is not None and tab.dialog.type == "beforeunload"
    await tab.answer(accept=leaving)
    if leaving:  # else the navigation that it held up would get in the way of the next one
        await state.activity.barrier()
        await Settler(tab, state.activity, mark).navigation()


async def _go(state: PageState, work: Coroutine[Any, Any, Any], url: str, host: str) -> str:
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
            or _explained(error, url, host)
        ) from None
    except asyncio.CancelledError:
        await _stop(tab)
        raise
    return (await Settler(tab, activity, mark).navigation()).unfinished


async def _let_loss_be_told(activity: PageActivity) -> None:
    """Wait for the news that the page is lost, which ends the call; one that is not answers.

    All that is told of a navigation before is that it was given up.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(LOSS_LIMIT):
            await activity.barrier()


async def _goto(state: PageState, url: str) -> None:
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


def _interfered(state: PageState, asked: int, error: Exception) -> bool:
    """Whether the page, which had `asked` so often to leave, has ended a navigation by one more."""
    text = str(error)
    return INTERRUPTED in text or (ABORTED in text and state.activity.asked > asked)


async def _stop(tab: "Tab") -> None:
    """Stop loading: a call that was cancelled leaves nothing that goes on."""
    with suppress(Exception):
        async with asyncio.timeout(STOP_LIMIT):
            await (await tab.cdp()).send("Page.stopLoading")


async def _refusal(state: PageState, error: Exception) -> Exception | None:
    """Return what the browser's proxy says of a server that it did not connect to."""
    gate, request = state.tab.connection.endpoint.gate, state.activity.document
    match = NET_ERROR.search(str(error))
    if gate is None or request is None or match is None or not may_be_refused(match[0]):
        return None
    return await gate.explain(request.url)


async def _bare(state: PageState, error: Exception, host: str) -> Exception | None:
    """Return the error about an answer of the server that is a status and nothing else."""
    if state.activity.document is None or NO_PAGE not in str(error):
        return None
    status = await status_of(state)
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


def _explained(error: Exception, url: str, host: str) -> Exception:
    """Say what a navigation failed of; Chromium's error codes end in net_error_list.h."""
    match = NET_ERROR.search(str(error))
    if match is None:
        return ActionError(f"Cannot open {url!r}: {first_line(error)}", code="navigation")
    name = match[1]
    if name.startswith(("CERT_", "SSL_", "BAD_SSL")):
        reason = name.removeprefix("CERT_").replace("_", " ").lower()
        return ActionError(
            f"The connection to {host!r} is not secure: the certificate or the protocol is "
            f"refused ({reason}).",
            hint="Check the address, or use http:// if the server speaks no TLS.",
            code="tls",
        )
    if name == "BLOCKED_BY_RESPONSE":
        return PolicyDenied(f"The server of {url!r} does not allow the page to be shown.")
    unknown = (f"Cannot open {{url!r}} ({name}).", "Check the address, or try again later.")
    message, hint = ERRORS.get(name, unknown)
    return ActionError(
        message.format(host=host, url=url),
        hint=hint,
        code=name.lower(),
        retryable=name in TRANSIENT,
    )
