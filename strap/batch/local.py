"""The engine `local`: everything in this process, whose one router all items share."""

import os
import socket
from typing import Self

from strap.batch.artifacts import ArtifactSelection
from strap.batch.engine import Outcome
from strap.batch.items import Calls
from strap.batch.options import BatchOptions
from strap.batch.worker import run_calls
from strap.config import Config
from strap.errors import StrapError
from strap.routing.assembly import make_router
from strap.routing.requests import refusal
from strap.routing.router import Router


class LocalEngine:
    """Runs items beside each other in this event loop."""

    def __init__(self, router: Router, options: BatchOptions) -> None:
        self.slots = self.capacity = options.concurrency
        self._selection = ArtifactSelection.of(options)
        self._limit = options.item_timeout
        self._router = router
        self._where = {"worker": str(os.getpid()), "node": socket.gethostname()}

    @classmethod
    def open(cls, config: Config, options: BatchOptions) -> Self:
        """Load the plugins; raises `StartupError`."""
        router = make_router(config)
        router.plugins.report()
        return cls(router, options)

    def refusal(self, calls: Calls) -> StrapError | None:
        """Return why the first call that cannot be made is not, None where all may be."""
        router = self._router
        for call in calls:
            if (error := refusal(router.catalog, call, router.caller)) is not None:
                return router.config.secrets.told(error)
        return None

    async def run(self, key: str, calls: Calls) -> Outcome:
        """Run an item."""
        outcome = await run_calls(self._router, key, calls, self._selection, self._limit)
        return {**outcome, **self._where}

    async def aclose(self) -> None:
        """Close what items opened."""
        await self._router.aclose()
