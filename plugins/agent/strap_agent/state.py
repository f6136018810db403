"""The state of the agent beside that of the browser: its runs, and who invites a person."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from strap import Call, Context, Detached, Environment, Result

if TYPE_CHECKING:
    from strap_agent.manager import RunManager
    from strap_agent.person.pause import Inviting
    from strap_agent.run import Run
    from strap_browser.api import BrowserState

log = logging.getLogger(__name__)
ACTIONS = ("eval", "get_run", "get_run_events", "get_screenshots", "list_runs", "cancel_run")
"""The actions on runs: none touches a page of the caller by itself."""


def _invites_nobody(ctx: Context[Any]) -> "Inviting | None":
    del ctx
    return None


class AgentState:
    """The runs of this process, and the browsers in which they may work."""

    def __init__(self, environment: Environment, browsers: "BrowserState") -> None:
        self.browsers = browsers
        self.invitation: Callable[[Context[Any]], Inviting | None] = _invites_nobody
        """Returns what asks the person before the caller's client, None where nothing does."""
        self._environment = environment
        self._runs: RunManager | None = None
        self._warming: asyncio.Task[None] | None = None

    @property
    def runs(self) -> "RunManager":
        """The runs of the agent; their store is opened when it is first asked for."""
        if self._runs is None:
            from strap_agent.manager import RunManager

            self._runs = RunManager(self._environment)
            self._runs.leased = self.browsers.leased_to_run
        return self._runs

    @property
    def active(self) -> "list[Run]":
        """The runs that go on."""
        return list(self._runs.active.values()) if self._runs is not None else []

    def gauges(self) -> dict[str, float]:
        """Return the number of runs that go on."""
        return {"runs": len(self.active)}

    def archive(self, session_id: str) -> bytes | None:
        """Return everything that is stored of a run; to be called in a thread."""
        from strap_agent.store.archive import archive_of

        return archive_of(self._environment.config.home / "runs", session_id)

    def detach(self, call: Call, order: Detached) -> Result:
        """Let a call of another action go on as a run; raises `ActionError`."""
        from strap_agent.lifecycle.progress import begun
        from strap_agent.request import principal_of

        runs, hide = self.runs, self._environment.config.secrets.hide
        session_id = runs.detach_call(order, principal_of(call.caller), hide)
        return begun(session_id, runs.going_on(session_id))

    def warm(self) -> None:
        """Begin to load what a first run would wait for."""
        self._warming = asyncio.create_task(self._warm(), name="load the agent")

    async def _warm(self) -> None:
        try:
            from strap_agent.models.select import choose

            runs, settings = self.runs, self._environment.settings
            choice = choose(settings, sampling=True, environments=runs.environments)
            await runs.prepare(choice.modules)
        except Exception as error:  # noqa: BLE001 - told by the run that meets it
            log.debug("The agent could not be loaded ahead: %r", error)

    def end_session(self, key: str) -> None:
        """End the runs of a caller that is gone."""
        if self._runs is not None:
            self._runs.end_session(key)

    async def aclose(self) -> None:
        """End every run."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
        if self._runs is not None:
            await self._runs.aclose()


@asynccontextmanager
async def open_agent(
    environment: Environment, states: Mapping[str, Any]
) -> AsyncIterator[AgentState]:
    """Open the state of the agent beside that of the browser."""
    agent = AgentState(environment, states["browser"])
    agent.browsers.unseen.update(ACTIONS)
    if environment.settings.agent_warm:
        agent.warm()
    try:
        yield agent
    finally:
        await agent.aclose()
