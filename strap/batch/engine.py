"""Engine of a batch: the interface to the workers that run its items."""

from typing import Any, Protocol

from strap.batch.items import Calls
from strap.errors import ActionError, StartupError, StrapError

Outcome = dict[str, Any]
"""Columns of a row that its worker knows."""


class WorkerLost(ActionError):
    """The worker ended while it ran an item, perhaps because of it."""

    code = "worker_lost"


class NoWorkers(StartupError):
    """No worker is left, and none came back."""


class Engine(Protocol):
    """Workers that are ready."""

    @property
    def slots(self) -> int:
        """How many items it ever takes at a time."""

    @property
    def capacity(self) -> int:
        """How many it takes now: as long as items are quick some may wait in their worker."""

    def refusal(self, calls: Calls) -> StrapError | None:
        """Return why the calls of an item cannot be made, None where that is not known before."""

    async def run(self, key: str, calls: Calls) -> Outcome:
        """Run an item, for as long as the options let it.

        Raises `WorkerLost`, `NoWorkers`, and nothing else of the item's.
        """

    async def aclose(self) -> None:
        """End the workers and everything that they opened."""
