"""What runs in a worker of Ray: a router with a home of its own, which runs items."""

import asyncio
import os
import shutil
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from strap import config as configuration
from strap.batch.artifacts import Wanted
from strap.batch.engine import Outcome
from strap.batch.homes import make_home, sweep
from strap.batch.items import Calls
from strap.batch.worker import run_calls
from strap.config import Config
from strap.config.log_setup import configure_logging
from strap.config.secrets import Secrets
from strap.routing.assembly import make_router
from strap.routing.router import Router


@dataclass(frozen=True, slots=True)
class Spec:
    """What a worker is told: the configuration without secrets, which it reads for itself."""

    config: Config
    wanted: Wanted

    @classmethod
    def of(cls, config: Config, wanted: Wanted) -> "Spec":
        """Return what may leave this process."""
        return cls(replace(config, secrets=Secrets(), environ={}, serve={}), wanted)

    def configuration(self, home: Path) -> Config:
        """Return the configuration of a worker: its own secrets and environment, and this home."""
        source = self.config.source
        own = configuration.load(file=source if source and source.is_file() else None)
        return replace(self.config, home=home, secrets=own.secrets, environ=own.environ)


class Worker:
    """An actor; a restart makes a new one, so everything is opened by `start`."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._opening = asyncio.Lock()
        self._router: Router | None = None
        self._home: Path | None = None

    async def start(self) -> dict[str, Any]:
        """Open the router, unless it is open; returns where this is."""
        async with self._opening:
            if self._router is None:
                sweep()
                self._home = make_home()
                config = self._spec.configuration(self._home)
                configure_logging(config)
                self._router = make_router(config)
        return {"worker": str(os.getpid()), "node": socket.gethostname()}

    async def run(self, key: str, calls: Calls) -> Outcome:
        """Run an item."""
        where = await self.start()
        assert self._router is not None
        return {**await run_calls(self._router, key, calls, self._spec.wanted), **where}

    async def stop(self) -> None:
        """Close what items opened."""
        if self._router is not None:
            await self._router.aclose()
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)
