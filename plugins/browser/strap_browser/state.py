"""The state of the `browser` resource: the callers' pages, and the runs of the agent."""

from typing import TYPE_CHECKING

from strap import Environment
from strap_browser.pages.registry import BrowserRegistry

if TYPE_CHECKING:
    from strap_browser.agent.manager import RunManager


class BrowserState(BrowserRegistry):
    """The pages of all callers, with the runs of the agent beside them."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._runs: RunManager | None = None

    @property
    def runs(self) -> "RunManager":
        """The runs of the agent; their store is opened when it is first asked for."""
        if self._runs is None:
            from strap_browser.agent.manager import RunManager

            self._runs = RunManager(self._environment)
        return self._runs

    async def end_session(self, key: str) -> None:
        """End the runs and close the pages of a caller that is gone."""
        if self._runs is not None:
            self._runs.end_session(key)
        await super().end_session(key)

    async def aclose(self) -> None:
        """End every run, browser and connection of this process."""
        if self._runs is not None:
            await self._runs.aclose()
        await super().aclose()
