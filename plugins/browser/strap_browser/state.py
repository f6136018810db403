"""The state of the `browser` resource: the callers' pages, and the runs of the agent."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

from strap import (
    ActionError,
    Asker,
    Call,
    Context,
    Environment,
    Guard,
    PolicyDenied,
    Question,
    Result,
    UsageError,
)
from strap_browser.common.tasks import Tasks
from strap_browser.pages.call_log import CallLog, CallNote
from strap_browser.pages.caller_pages import CallerPages
from strap_browser.pages.profile import Profile
from strap_browser.pages.registry import BrowserRegistry
from strap_browser.settings.browser import BrowserSettings

if TYPE_CHECKING:
    from strap_browser.agent.manager import RunManager
    from strap_browser.agent.run import Run
    from strap_browser.live.place import Place
    from strap_browser.live.view import LiveView

log = logging.getLogger(__name__)
UNSEEN = frozenset(
    (
        *("status", "launch", "close", "list_pages", "live", "batch", "help", "render"),
        *("console", "network", "downloads"),
        *("eval", "get_run_events", "get_screenshots", "list_runs", "cancel_run"),
    )
)
"""Actions that touch no page of the caller, or only by others."""
LIMIT = 30.0
"""Seconds that an action has where the call does not say: the default of `@action`."""
LOOK = 0.5
"""Seconds between two looks for somebody who may be asked, while a question is open."""
SOCKET_DELAY = 1.0
"""Seconds until the local socket is there: the first page comes first."""


class BrowserState(BrowserRegistry):
    """The pages of all callers, with the runs of the agent and the live view beside them."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.calls = CallLog()
        self._runs: RunManager | None = None
        self._warming: asyncio.Task[None] | None = None
        self._live: LiveView | None = None
        self._checks: dict[str, Callable[..., Call]] = {}
        """What checks a call of a caller, by its key."""
        self._tasks = Tasks()
        settings: BrowserSettings = environment.settings
        if address := settings.live.public_address:
            environment.guard.reserve_host(*address)
        if settings.live.enabled:
            self._tasks(self._answer_locally())

    @property
    def runs(self) -> "RunManager":
        """The runs of the agent; their store is opened when it is first asked for."""
        if self._runs is None:
            from strap_browser.agent.manager import RunManager

            self._runs = RunManager(self._environment)
            self._runs.leased = self._leased
        return self._runs

    @property
    def live(self) -> "LiveView":
        """The live view; nothing of it is there before it is first asked for."""
        if self._live is None:
            from strap_browser.live.view import LiveView

            settings: BrowserSettings = self._environment.settings
            self._live = LiveView(
                settings.live,
                self._environment.guard,
                self.profiles,
                self._active,
                self.calls,
                self._environment.config.home,
                self._rules,
            )
        return self._live

    def _session(self, profile: Profile, ctx: Context[Any]) -> CallerPages:
        self._checks[ctx.caller_key] = ctx.check
        return super()._session(profile, ctx)

    def _rules(self, key: str) -> Guard:
        """Return the guard that says where a caller may `navigate`."""

        def check(url: str) -> None:
            self._checks[key](resource="browser", action="navigate", url=url)

        return self._environment.guard.also(check)

    def watched(self, profile: str, key: str) -> dict[str, Any]:
        """Return who watches a caller's pages, and in whose hands they are."""
        place = self._live.places.of_caller(profile, key) if self._live else None
        if place is None or (not place.lookers and place.hold.state == "agent"):
            return {}
        return {"live": {"viewers": len(place.lookers), "state": place.hold.state}}

    async def around(self, ctx: Context[Any], go_on: Callable[[], Awaitable[Result]]) -> Result:
        """Carry out an action, noted for whoever watches, who may be asked for a yes to it."""
        ctx.consent.also(self._asker(ctx))
        if ctx.call.action in UNSEEN:
            if self._live is not None:
                self._live.places.end_holds()
            await self._lendable(ctx)
            return await go_on()
        try:
            profile = self.profile(ctx).name
        except UsageError:
            return await go_on()  # which says so
        note = CallNote(call=ctx.call, profile=profile, key=ctx.caller_key)
        try:
            if self._live is not None:
                limit = ctx.call.params.timeout or LIMIT
                await self._live.places.passes(profile, ctx.caller_key, limit, ctx.progress)
            async with self.calls.acting(note):
                result = await go_on()
            note.end(result.text, failed=result.is_error)
            self._take_arrived(ctx, profile)
            return result
        except BaseException as error:
            told = isinstance(error, ActionError | PolicyDenied)
            text = str(error) if told else type(error).__name__
            note.end(text, failed=True)
            raise
        finally:
            self.calls.add(note)

    def _take_arrived(self, ctx: Context[Any], profile: str) -> None:
        """Add the downloads that were completed since the last answer to this one's files."""
        known = self.profiles.get(profile)
        pages = known.known(ctx.caller_key) if known else None
        while pages and pages.arrived:
            ctx.files.append(pages.arrived.popleft())

    def _asker(self, ctx: Context[Any]) -> Asker:
        """Return what asks whoever watches the pages that a call is about."""

        def place() -> "Place | None":
            if self._live is None:
                return None
            try:
                return self._live.places.of_caller(self.profile(ctx).name, ctx.caller_key)
            except UsageError:
                return None  # there is no such profile

        async def confirm(question: Question) -> bool:
            while (found := place()) is None:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(LOOK)
            return await found.questions.confirm(question)

        def there() -> bool:
            found = place()
            return found is not None and found.questions.near

        return Asker(confirm=confirm, there=there)

    async def _lendable(self, ctx: Context[Any]) -> None:
        """Wait until a run may begin: its page, or its browser's, may be in a person's hands."""
        if ctx.call.action != "eval" or self._live is None:
            return
        params: Any = ctx.call.params
        profile = self.profiles.get(params.profile or "")
        if params.target_id or (profile is not None and profile.driver.granted):
            name = self.profile(ctx).name
            await self._live.places.passes(name, ctx.caller_key, LIMIT, ctx.progress)

    def gauges(self) -> dict[str, float]:
        """Return what a server tells of itself; to be called in a thread."""
        weight = self.memory.weigh()
        callers = [p.known(key) for p in self.profiles.values() for key in p.callers]
        return {
            "pages": sum(len(pages.tabs) for pages in callers if pages),
            "browsers": weight.browsers,
            "browser_memory_bytes": weight.size,
            "leases": len(self.leases),
            "runs": len(self._runs.active) if self._runs is not None else 0,
        }

    def archive(self, session_id: str) -> bytes | None:
        """Return everything that is stored of a run; to be called in a thread."""
        from strap_browser.agent.store.archive import archive_of

        return archive_of(self._environment.config.home / "runs", session_id)

    def warm_agent(self) -> None:
        """Begin to load what a first run of the agent would wait for."""
        self._warming = asyncio.create_task(self._warm_agent(), name="load the agent")

    async def _warm_agent(self) -> None:
        try:
            from strap_browser.agent.models.select import choose

            runs, settings = self.runs, self._environment.settings
            choice = choose(settings, sampling=True, environments=runs.environments)
            await runs.prepare(choice.modules)
        except Exception as error:  # noqa: BLE001 - told by the run that meets it
            log.debug("The agent could not be loaded ahead: %r", error)

    async def end_session(self, key: str) -> None:
        """End the runs and close the pages of a caller that is gone."""
        if self._runs is not None:
            self._runs.end_session(key)
        self.calls.forget(key)
        for known in [k for k in self._checks if k == key or k.startswith(f"{key}/")]:
            del self._checks[known]
        await super().end_session(key)

    async def aclose(self) -> None:
        """End every run, browser and connection of this process."""
        await self._tasks.aclose()
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
        if self._live is not None:
            await self._live.aclose()
        if self._runs is not None:
            await self._runs.aclose()
        await super().aclose()

    def _leased(self) -> None:
        if self._live is not None:
            self._live.places.run_began()

    def _active(self) -> "Iterable[Run]":
        return list(self._runs.active.values()) if self._runs is not None else ()

    async def _answer_locally(self) -> None:
        """Answer this user's own programs, for as long as the process lasts."""
        await asyncio.sleep(SOCKET_DELAY)
        from strap_browser.live.local_socket import LocalSocket

        local = LocalSocket(self._environment.config.home, self._answered)
        try:
            await local.begin()
            await asyncio.Event().wait()
        finally:
            await local.aclose()

    async def _answered(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer a question of `strap live`."""
        from strap_browser.live.local_answers import answer

        return await answer(self.live, asked)
