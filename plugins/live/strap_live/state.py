"""The state of the live view beside that of the browser: the view, and whose hands pages are in."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
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
from strap_browser.api import BrowserSettings, CallNote, Tasks

if TYPE_CHECKING:
    from strap_agent.person.pause import Inviting
    from strap_agent.state import AgentState
    from strap_browser.api import BrowserState
    from strap_live.admission import Grant
    from strap_live.place import Place
    from strap_live.view import LiveView

LIMIT = 30.0
"""Seconds that an action has where the call does not say: the default of `@action`."""
LOOK = 0.5
"""Seconds between two looks for somebody who may be asked, while a question is open."""
SOCKET_DELAY = 1.0
"""Seconds until the local socket is there: the first page comes first."""
GoOn = Callable[[], Awaitable[Result]]


class LiveState:
    """The live view, which begins with the first link, and what waits for a person."""

    def __init__(
        self, environment: Environment, browsers: "BrowserState", agent: "AgentState | None"
    ) -> None:
        self.browsers = browsers
        self.agent = agent
        self._environment = environment
        self._view: LiveView | None = None
        self._checks: dict[str, Callable[..., Call]] = {}
        """Policy check for the calls of a caller, by its key."""
        self._tasks = Tasks()
        settings: BrowserSettings = environment.settings
        if address := settings.live.public_address:
            environment.guard.reserve_host(*address)
        if settings.live.enabled:
            self._tasks(self._answer_locally())

    @property
    def view(self) -> "LiveView":
        """The live view; nothing of it is there before it is first asked for."""
        if self._view is None:
            from strap_live.view import LiveView

            settings: BrowserSettings = self._environment.settings
            self._view = LiveView(
                settings.live,
                self._environment.guard,
                self.browsers.profiles,
                lambda: self.agent.active if self.agent is not None else (),
                self.browsers.calls,
                self._environment.config.home,
                self._rules,
            )
        return self._view

    def watched(self, profile: str, key: str) -> dict[str, Any]:
        """Return who watches a caller's pages, and in whose hands they are."""
        place = self._view.places.of_caller(profile, key) if self._view else None
        if place is None or (not place.lookers and place.hold.state == "agent"):
            return {}
        return {"live": {"viewers": len(place.lookers), "state": place.hold.state}}

    async def around(self, ctx: Context[Any], go_on: GoOn) -> Result:
        """Carry out an action when no person has its page; who watches may be asked for a yes."""
        ctx.consent.also(self._asker(ctx))
        if ctx.call.action in self.browsers.unseen:
            if self._view is not None:
                self._view.places.end_holds()
            await self._lendable(ctx)
            return await go_on()
        try:
            profile = self.browsers.profile(ctx).name
        except UsageError:
            return await go_on()  # which says so
        self._checks[ctx.caller_key] = ctx.check
        if self._view is not None:
            await self._passes(self._view, ctx, profile)
        return await go_on()

    async def _passes(self, view: "LiveView", ctx: Context[Any], profile: str) -> None:
        note = CallNote(call=ctx.call, profile=profile, key=ctx.caller_key)
        limit = ctx.call.params.timeout or LIMIT
        try:
            await view.places.passes(profile, ctx.caller_key, limit, ctx.progress)
        except BaseException as error:
            is_told = isinstance(error, ActionError | PolicyDenied)
            note.end(str(error) if is_told else type(error).__name__, failed=True)
            self.browsers.calls.add(note)
            raise

    def _rules(self, key: str) -> Guard:
        def check(url: str) -> None:
            self._checks[key](resource="browser", action="navigate", url=url)

        return self._environment.guard.also(check)

    def _asker(self, ctx: Context[Any]) -> Asker:
        def place() -> "Place | None":
            if self._view is None:
                return None
            try:
                profile = self.browsers.profile(ctx).name
                return self._view.places.of_caller(profile, ctx.caller_key)
            except UsageError:
                return None  # there is no such profile

        async def confirm(question: Question) -> bool:
            while (ready := place()) is None:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(LOOK)
            return await ready.questions.confirm(question)

        def is_there() -> bool:
            current = place()
            return current is not None and current.questions.near

        return Asker(confirm=confirm, there=is_there)

    async def _lendable(self, ctx: Context[Any]) -> None:
        """Wait until a run may begin: its page, or its browser's, may be in a person's hands."""
        if ctx.call.action != "eval" or self._view is None:
            return
        params: Any = ctx.call.params
        profile = self.browsers.profiles.get(params.profile or "")
        if params.target_id or (profile is not None and "user_tabs" in profile.driver.can):
            name = self.browsers.profile(ctx).name
            await self._view.places.passes(name, ctx.caller_key, LIMIT, ctx.progress)

    def grant(self, ctx: Context[Any]) -> "Grant":
        """Return what a link of a caller lets somebody see and do."""
        from strap_agent.actions.queries import owner
        from strap_live.admission import Grant

        settings: BrowserSettings = self._environment.settings
        return Grant(role=settings.live.allows, owner=ctx.caller_key, runs=owner(ctx))

    def invitation(self, ctx: Context[Any]) -> "Inviting | None":
        """Return what asks the person before the caller's client, with a link of their own.

        None where the client offers none, or links let nobody take control.
        """
        settings: BrowserSettings = self._environment.settings
        invite = ctx.caller.invite
        if invite is None or not settings.live.enabled or settings.live.allows != "control":
            return None

        async def invited(text: str) -> bool | str | None:
            return await invite(text, await self.view.link(self.grant(ctx)))

        return invited

    def run_began(self) -> None:
        """A run has a browser from now on."""
        if self._view is not None:
            self._view.places.run_began()

    def end_session(self, key: str) -> None:
        """Forget a caller that is gone."""
        for known in [k for k in self._checks if k == key or k.startswith(f"{key}/")]:
            del self._checks[known]

    async def aclose(self) -> None:
        """Disconnect everybody."""
        await self._tasks.aclose()
        if self._view is not None:
            await self._view.aclose()

    async def _answer_locally(self) -> None:
        await asyncio.sleep(SOCKET_DELAY)
        from strap_live.local_socket import LocalSocket

        async def answer(question: dict[str, Any]) -> dict[str, Any]:
            return await self.view.answer(question)  # which is made when somebody asks

        local = LocalSocket(self._environment.config.home, answer)
        try:
            await local.begin()
            await asyncio.Event().wait()
        finally:
            await local.aclose()


@asynccontextmanager
async def open_live(
    environment: Environment, states: Mapping[str, Any]
) -> AsyncIterator[LiveState]:
    """Open the state of the live view beside those of the browser and of the agent."""
    live = LiveState(environment, states["browser"], states.get("agent"))
    live.browsers.unseen.add("live")
    live.browsers.watchers.append(live.watched)
    live.browsers.on_lease.append(live.run_began)
    if live.agent is not None:
        live.agent.invitation = live.invitation
    try:
        yield live
    finally:
        await live.aclose()
