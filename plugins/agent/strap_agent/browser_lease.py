"""Browsers for runs: one of the run's own, or a running profile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any

from strap import ActionError, Context, Guard, record
from strap.credentials.sealed_files import can_seal
from strap_agent.store.saved_login import SavedLogin, keep_passkeys, reach_of
from strap_agent.workers.workspace import WorkFolder
from strap_browser.api import (
    DEFAULT_PROFILE,
    BrowserSettings,
    BrowserTraffic,
    CdpConnection,
    CdpError,
    Greet,
    LeasePool,
    Passkeys,
    PausedRequest,
    Profile,
    ProxyControl,
    RequestSource,
    Tab,
    Tasks,
    start_chromium,
    upstream_of,
)

WATCH_LIMIT = 1.0
"""Seconds for a document to take that it is watched."""
UNUSED = "The passkeys of the login are not used: that needs a Chromium that strap launched."
UNSEALED = "New passkeys are not saved: that needs the library 'cryptography'."


@record
class BrowserLease:
    """A browser to work in; `target` is the run's page where the browser is not its own."""

    cdp: CdpConnection
    address: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """HTTP headers of the connection to `address`."""
    target: str | None = None
    gate: ProxyControl | None = None
    lent: bool = False
    """Whether `target` is a page of the caller's, who gets it back."""
    granted: bool = False
    """Whether `target` is in the user's own Chrome, beside tabs that other processes have too."""
    greeting: Callable[[Greet], AbstractContextManager[None]] = lambda _: nullcontext()
    """Has somebody told of windows that `target` opens before they begin."""
    joins: Callable[[str], Awaitable[None]] | None = None
    """Gives the page of a session the passkeys of the saved login."""
    acts: Callable[[], object] = lambda: None
    """Is told when an action of the agent begins, and when it has ended."""
    notes: Sequence[str] = ()
    """Warnings for the answer."""
    has_login: Callable[[str], bool] = lambda _: False
    """Whether a site gets credentials from before the run."""


OpenLease = Callable[[], AbstractAsyncContextManager[BrowserLease]]


def guard_of(profile: Profile | None, settings: BrowserSettings, guard: Guard) -> Guard:
    """Return the guard of a run there; where the browser has a proxy, that resolves names."""
    upstream = profile.driver.upstream if profile else upstream_of(settings)
    return guard.proxied(upstream.takes) if upstream else guard


@asynccontextmanager
async def own_browser(
    settings: BrowserSettings,
    root: Path,
    guard: Guard,
    *,
    headless: bool | None,
    login: SavedLogin | None = None,
) -> AsyncIterator[BrowserLease]:
    """A fresh browser for the run alone; nothing is left of it but passkeys."""
    if headless is not None:
        settings = settings.model_copy(update={"headless": headless})
    folder = WorkFolder(root)
    try:
        started = await start_chromium(settings, folder.path, 0, guard)
        browser = started.browser
        port = int(browser.address.split("/")[2].rpartition(":")[2])
        guard.reserve(port, "devtools")
        passkeys = Passkeys(login.passkeys) if login and login.passkeys is not None else None

        async def join(session: str) -> None:
            assert passkeys is not None
            with suppress(CdpError):  # the page may be gone
                await passkeys.join(browser.cdp.session(session))

        try:
            yield BrowserLease(
                cdp=browser.cdp,
                address=browser.address,
                gate=started.gate,
                joins=join if passkeys else None,
                notes=() if passkeys is None or can_seal() else (UNSEALED,),
                has_login=reach_of(login),
            )
        finally:
            if login and passkeys:
                await asyncio.to_thread(keep_passkeys, login, passkeys.credentials)
            guard.release(port)
            await started.stop(0)
    finally:
        await asyncio.to_thread(folder.remove)  # hundreds of files; it goes on if this is given up


@asynccontextmanager
async def lent_browser(pool: LeasePool, login: SavedLogin | None) -> AsyncIterator[BrowserLease]:
    """A browser that a service lends for the run alone."""
    lease = await pool.take()
    notes = (UNUSED,) if login and login.passkeys else ()
    try:
        cdp = await CdpConnection.connect(lease.address, lease.headers)
        try:
            yield BrowserLease(
                cdp=cdp,
                address=lease.address,
                headers=lease.headers,
                has_login=reach_of(login),
                notes=notes,
            )
        finally:
            await cdp.aclose()
    finally:
        await pool.give_back(lease)


@asynccontextmanager
async def page_of_profile(
    profile: Profile, key: str, *, isolated: bool
) -> AsyncIterator[BrowserLease]:
    """A page of its own in the profile's running browser, beside those of its users."""
    link = await profile.open()
    session = profile.known(key)
    tab = session.current if session else None
    endpoint = link.endpoint
    cdp = await CdpConnection.connect(endpoint.address, endpoint.headers)
    try:
        place = await _context(cdp, tab.page.target_id if tab else None, isolated=isolated)
        target = await _page(cdp, place)
        yield BrowserLease(
            cdp=cdp,
            address=endpoint.address,
            headers=endpoint.headers,
            target=target,
            gate=endpoint.gate,
            granted=endpoint.granted,
            greeting=partial(link.greeting, target),
            has_login=(tab.page.context if tab else link.context).has_login,
        )
    finally:
        await cdp.aclose()


@asynccontextmanager
async def page_of_caller(
    lend: Callable[[], AbstractAsyncContextManager[Tab]],
) -> AsyncIterator[BrowserLease]:
    """The caller's own page, which no other call uses meanwhile."""
    async with lend() as tab:
        endpoint = tab.connection.endpoint
        cdp = await CdpConnection.connect(endpoint.address, endpoint.headers)
        watches = Tasks()
        try:
            yield BrowserLease(
                cdp=cdp,
                address=endpoint.address,
                headers=endpoint.headers,
                target=tab.page.target_id,
                gate=endpoint.gate,
                lent=True,
                greeting=partial(tab.connection.greeting, tab.page.target_id),
                acts=lambda: watches(_watch(tab)),
                has_login=tab.page.context.has_login,
            )
        finally:
            await watches.aclose()  # one that came later would end that of the caller's next call
            await cdp.aclose()


@asynccontextmanager
async def approving(open_lease: OpenLease, ctx: Context[Any]) -> AsyncIterator[BrowserLease]:
    """Have the person asked about what pages of a run send, after its call has ended too."""
    approvals, key = ctx.state.browsers.approvals, ctx.caller_key

    async def source(_: PausedRequest) -> RequestSource:
        return RequestSource(key=key)

    with approvals.present(key, ctx.consent):
        async with open_lease() as lease:
            if lease.target is None:  # else those of its browser are decided on already
                rules = ctx.state.browsers.profiles[DEFAULT_PROFILE].rules.interceptors
                interceptors = approvals.interceptors(source)
                await BrowserTraffic(lease.cdp.root, (*rules, *interceptors)).begin()
            yield lease


async def _watch(tab: Tab) -> None:
    """Have the document watched from now on: waits for its rest count from its last change."""
    with suppress(CdpError, ActionError, TimeoutError):  # blocked, or on its way elsewhere
        async with asyncio.timeout(WATCH_LIMIT):
            await tab.state.ask("watch", token="")


async def _page(cdp: CdpConnection, place: dict[str, Any]) -> str:
    """Make a page and return its id; when cancelled, none is left.

    It gets a window of its own: a tab behind another is drawn so seldom that a run takes twice as
    long, and one in front would put those of the profile's users behind it.
    """
    where = {**place, "newWindow": True, "background": True}
    making = asyncio.ensure_future(cdp.call("Target.createTarget", **where, url="about:blank"))
    try:
        return str((await asyncio.shield(making))["targetId"])
    except CdpError as error:
        raise ActionError(f"The profile's browser made no page: {error}", code="cdp") from None
    except asyncio.CancelledError:
        with suppress(CdpError):
            await cdp.call("Target.closeTarget", targetId=(await making)["targetId"])
        raise


async def _context(cdp: CdpConnection, page: str | None, *, isolated: bool) -> dict[str, Any]:
    """Return where to make the page: with the caller's own cookies, never with another's."""
    if page:
        info = await cdp.call("Target.getTargetInfo", targetId=page)
        return {"browserContextId": info["targetInfo"]["browserContextId"]}
    if isolated:
        made = await cdp.call("Target.createBrowserContext", disposeOnDetach=True)
        return {"browserContextId": made["browserContextId"]}
    return {}
