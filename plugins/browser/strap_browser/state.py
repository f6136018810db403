"""The state of the `browser` resource: the callers' pages, and the runs of the agent."""

import asyncio
import logging
from typing import TYPE_CHECKING

from strap import Environment
from strap_browser.pages.registry import BrowserRegistry

if TYPE_CHECKING:
    from strap_browser.agent.manager import RunManager

log = logging.getLogger(__name__)


class BrowserState(BrowserRegistry):
    """The pages of all callers, with the runs of the agent beside them."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._runs: RunManager | None = None
        self._warming: asyncio.Task[None] | None = None

    @property
    def runs(self) -> "RunManager":
        """The runs of the agent; their store is opened when it is first asked for."""
        if self._runs is None:
            from strap_browser.agent.manager import RunManager

            self._runs = RunManager(self._environment)
        return self._runs

    def warm_agent(self) -> None:
        """Begin to load what a first run of the agent would wait for."""
        self._warming = asyncio.create_task(self._warm_agent(), name="load the agent")

    async def _warm_agent(self) -> None:
        try:
            from strap_browser.agent.models.select import choose

            await self.runs.prepare(choose(self._environment.settings, sampling=True).modules)
        except Exception as error:  # noqa: BLE001 - told by the run that meets it
            log.debug("The agent could not be loaded ahead: %r", error)

    async def end_session(self, key: str) -> None:
        """End the runs and close the pages of a caller that is gone."""
        if self._runs is not None:
            self._runs.end_session(key)
        await super().end_session(key)

    async def aclose(self) -> None:
        """End every run, browser and connection of this process."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
        if self._runs is not None:
            await self._runs.aclose()
        await super().aclose()
