"""The state of the `browser` resource: who has which page of which profile."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from strap import ActionError, Context, Environment, Guard, UsageError
from strap_browser.cdp.errors import CdpError
from strap_browser.drivers.leasing.pool import Leases
from strap_browser.engine.traffic.approvals import Approvals
from strap_browser.pages.caller_pages import CallerPages
from strap_browser.pages.file_texts import FileTexts
from strap_browser.pages.loss import fails_with_page
from strap_browser.pages.memory import MemoryLimit
from strap_browser.pages.page_errors import no_tab
from strap_browser.pages.profile import Profile
from strap_browser.pages.profiles import make_profiles
from strap_browser.pages.tab import Tab
from strap_browser.pages.turns import Turn
from strap_browser.settings.browser import DEFAULT_PROFILE, BrowserSettings
from strap_browser.snapshot.refs import RefBook

if TYPE_CHECKING:
    from strap_browser.chromium.spawn import PrestartedChromium

ATTEMPTS = 3
"""Browsers tried for a call: one that ends meanwhile is followed by a new one."""
AUTO_LAUNCH = " With auto_launch = true in [plugins.browser] pages open without that."


class BrowserRegistry:
    """Finds the profile, the session and the page that a call means."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        settings: BrowserSettings = environment.settings
        config = environment.config
        self.memory = MemoryLimit(settings.max_memory_mb, config.home, self._may_be_closed)
        self.leases = Leases(config.home)
        self.approvals = Approvals.of(environment, settings.hold_seconds)
        more = self.memory, self.leases, self.approvals
        self.profiles = make_profiles(environment, *more, self._take_early)
        self.leases.begin()
        self.files = FileTexts(environment.converters)
        self.watchers: list[Callable[[str, str], Mapping[str, Any]]] = []
        self._auto_launch = settings.auto_launch
        self._told_of_launch: dict[str, None] = {}
        self._last: dict[str, str] = {}
        self._books: dict[str, RefBook] = {}

    def profile(self, ctx: Context[Any]) -> Profile:
        """Return the profile of a call: the one it names, else the last one `used`, else nebo."""
        named = getattr(ctx.call.params, "profile", None)
        name = named or self._last.get(ctx.caller_key, DEFAULT_PROFILE)
        if name not in self.profiles:
            raise UsageError(self.unknown(name))
        return self.profiles[name].part(ctx.caller_key)

    def used(self, profile: Profile, ctx: Context[Any]) -> None:
        """Take note that a call worked in a profile, which the caller's next ones mean as well."""
        self._last[ctx.caller_key] = profile.name

    def guard(self, ctx: Context[Any]) -> Guard:
        """Return the guard of a call; where the profile has a proxy, that resolves names."""
        upstream = self.profile(ctx).driver.upstream
        return ctx.guard.proxied(upstream.takes) if upstream else ctx.guard

    def unknown(self, name: str) -> str:
        """Return the message about a profile that does not exist."""
        return f"Unknown profile: {name!r} (valid: {', '.join(sorted(self.profiles))})."

    @asynccontextmanager
    async def tab(
        self,
        ctx: Context[Any],
        *,
        blank_ok: bool = False,
        target_id: str | None = None,
        reads: bool = False,
    ) -> AsyncIterator[Tab]:
        """The page that a call means, or the one called `target_id`, for this call alone, alive.

        With `reads` another call may be waiting on it meanwhile.

        A page that was lost (crash, endless loop, end of the browser) has been replaced by a blank
        one: that is an `ActionError` (code "page_lost") once, or an event of the page with
        `blank_ok`, for actions that do not need what was on it.
        """
        target = target_id or _target(ctx)
        enter = self._enter(ctx, target, may_open=blank_ok, reads=reads)
        session, tab, turn, loss = await enter
        try:
            _tell(tab, loss, blank_ok=blank_ok)
            async with fails_with_page(tab, retryable=blank_ok):
                yield tab
            self.used(self.profiles[session.profile.name], ctx)
        except asyncio.CancelledError:
            tab.suspect = True
            session.spawn(tab.verify())
            raise
        except Exception:
            tab.suspect = True
            raise
        finally:
            session.used = time.monotonic()
            tab.turns.end(turn)

    def watched(self, profile: str, key: str) -> dict[str, Any]:
        """Return what `watchers` tell of those who watch a caller's pages in a profile."""
        return {k: v for watch in self.watchers for k, v in watch(profile, key).items()}

    @asynccontextmanager
    async def lent(self, ctx: Context[Any], *, blank_ok: bool) -> AsyncIterator[Tab]:
        """Like `tab`, for a run of the agent, which sees for itself what becomes of the page."""
        enter = self._enter(ctx, _target(ctx), may_open=False, reads=False)
        session, tab, turn, loss = await enter
        try:
            _tell(tab, loss, blank_ok=blank_ok)
            self.used(self.profiles[session.profile.name], ctx)
            yield tab
        finally:
            tab.suspect = True
            session.used = time.monotonic()
            tab.turns.end(turn)

    @asynccontextmanager
    async def apart(self, ctx: Context[Any]) -> AsyncIterator[Context[Any]]:
        """A context for calls of strap's own on pages that nobody else has, closed at the end.

        Their cookies and storage are their own and begin empty. They are in strap's own browser,
        which is started for this where it does not run, and ended then. What they would download
        is not saved.
        """
        profile, params = self.profiles[DEFAULT_PROFILE], ctx.call.params
        handle = f"{params.session or 'apart'}-{secrets.token_hex(8)}"
        call = replace(ctx.call, params=params.model_copy(update={"session": handle}))
        own = replace(ctx, call=call)
        key = own.caller_key
        async with profile.borrowed(key):
            try:
                book = self._books.setdefault(key, RefBook())
                profile.session(key, book, isolated=True).saves = False
                yield own
            finally:
                await self.end_session(key)

    async def peek(self, ctx: Context[Any]) -> Tab:
        """Return the page that a call means, without waiting for it or its browser.

        Raises `ActionError` (code "no_page") where the caller has no page open.
        """
        profile = self.profile(ctx)
        granted = "user_tabs" in profile.driver.can
        session = await self.refresh(ctx) if granted else profile.known(ctx.caller_key)
        tab = session.find(_target(ctx)) if session else None
        if tab is None:
            if granted:
                raise no_tab()
            await profile.open()
            raise ActionError(
                f"No page is open in profile {profile.name!r}.",
                hint="Open one with navigate.",
                code="no_page",
            )
        self.used(profile, ctx)
        return tab

    async def refresh(self, ctx: Context[Any]) -> CallerPages | None:
        """Return the caller's session with the pages that it has, None if it has none.

        Raises `ActionError` (code "not_running") where it has none and the browser does not run.
        """
        profile = self.profile(ctx)
        if "user_tabs" in profile.driver.can:
            session = self._session(profile, ctx)
            try:
                await session.refresh(await profile.open())
            except ActionError as error:
                if error.code != "page_lost":
                    raise
                await session.refresh(await profile.open())
            self.used(profile, ctx)
            return session
        known = profile.known(ctx.caller_key)
        if known is None or not known.tabs:
            await profile.require()
        self.used(profile, ctx)
        return known

    async def start(self, ctx: Context[Any]) -> None:
        """Launch the browser for a call that opens a page, where the operator has it so.

        Elsewhere raises `ActionError` (code "not_running") where it does not run; the first of a
        caller names the setting.
        """
        profile = self.profile(ctx)
        try:
            await profile.open(launch=self._auto_launch and "user_tabs" not in profile.driver.can)
        except ActionError as error:
            has_noted = ctx.caller_key in self._told_of_launch
            if error.code != "not_running" or has_noted or "launch" not in profile.driver.can:
                raise
            self._told_of_launch[ctx.caller_key] = None
            error.hint += AUTO_LAUNCH
            raise

    async def new_tab(self, ctx: Context[Any]) -> Tab:
        """Open a further page and make it the caller's current one."""
        profile = self.profile(ctx)
        tab = await self._session(profile, ctx).open(await profile.open())
        self.used(profile, ctx)
        return tab

    async def close_tab(self, ctx: Context[Any]) -> Tab:
        """Close the page that a call means and return it; never waits for it."""
        tab = await self.peek(ctx)
        await tab.session.close_tab(tab)
        return tab

    async def end_session(self, key: str) -> None:
        """Close the pages of a caller that is gone."""
        for mapping in (self._last, self._books, self._told_of_launch, self.approvals.calls):
            for known in [k for k in mapping if k == key or k.startswith(f"{key}/")]:
                del mapping[known]
        self.files.forget(key)
        await asyncio.gather(*(profile.end_session(key) for profile in self.profiles.values()))

    async def aclose(self) -> None:
        """End every browser and connection of this process."""
        await self.memory.aclose()
        await self.files.aclose()
        await asyncio.gather(*(profile.aclose() for profile in self.profiles.values()))
        await self.leases.aclose()

    async def _enter(
        self, ctx: Context[Any], target_id: str | None, *, may_open: bool, reads: bool
    ) -> tuple[CallerPages, Tab, Turn, str]:
        profile = self.profile(ctx)
        for _ in range(ATTEMPTS):
            connection = await profile.open()
            session = self._session(profile, ctx)
            try:
                tab = await session.page_for_call(connection, target_id, may_open=may_open)
            except (ActionError, CdpError):
                await connection.check()
                if connection.dead:  # then what was seen there means nothing
                    continue
                raise
            turn = await tab.turns.take(f"{ctx.call.resource}.{ctx.call.action}", reads=reads)
            try:
                loss = await session.revive(tab)
            except BaseException as error:
                tab.turns.end(turn)
                if isinstance(error, CdpError):
                    await connection.check()
                    if connection.dead:  # it ended with the page that is to be replaced
                        continue
                raise
            if not connection.dead:
                return session, tab, turn, loss
            tab.turns.end(turn)
        raise ActionError(
            f"The browser of profile {profile.name!r} keeps ending.",
            hint="Its messages are in strap's log; `strap doctor` checks the browser.",
            code="browser_unstable",
        )

    def _may_be_closed(self) -> Iterator[CallerPages]:
        """Yield callers' pages in browsers of strap's own that no person looks at."""
        for profile in self.profiles.values():
            keys = profile.callers if "reclaim" in profile.driver.can else ()
            for key in keys:
                pages = profile.known(key)
                if pages is not None and not self.watched(profile.name, key):
                    yield pages

    def _session(self, profile: Profile, ctx: Context[Any]) -> CallerPages:
        book = self._books.setdefault(ctx.caller_key, RefBook())
        return profile.session(ctx.caller_key, book, isolated=profile.isolates(ctx.caller))

    def _take_early(self) -> "PrestartedChromium | None":
        early: PrestartedChromium | None = self._environment.take_helper()
        return early


def _target(ctx: Context[Any]) -> str | None:
    return getattr(ctx.call.params, "target_id", None)


def _tell(tab: Tab, loss: str, *, blank_ok: bool) -> None:
    if loss and blank_ok:
        tab.events.add(loss)
    elif loss:
        raise ActionError(
            loss, hint="A blank page took its place: navigate again.", code="page_lost"
        )
