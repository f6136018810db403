"""From an item to its row: attempts, pauses between them, workers that were lost."""

import asyncio
import random
import time
from pathlib import Path
from typing import Any

from strap.batch.artifacts import with_artifact
from strap.batch.engine import Engine, Outcome, WorkerLost
from strap.batch.hosts import Hosts
from strap.batch.items import Item
from strap.batch.options import BatchOptions
from strap.batch.rows import Row

PAUSE = 1.0
"""Seconds before the second attempt, doubled for each further one."""


class Suspect(Exception):
    """The item lost so many workers that it is run again only when nothing else runs."""

    def __init__(self, item: Item, losses: int) -> None:
        super().__init__(item.key)
        self.item = item
        self.losses = losses


class Attempts:
    """Runs single items."""

    def __init__(self, engine: Engine, hosts: Hosts, options: BatchOptions, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._hosts = hosts
        self._options = options

    async def run(self, item: Item, *, losses: int = 0, alone: bool = False) -> Row:
        """Run an item until it succeeds or may not be tried again; raises `Suspect`."""
        waited, attempts = 0.0, losses
        while True:
            attempts += 1
            since = time.monotonic()
            try:
                async with self._hosts.turn(item.host):
                    waited += time.monotonic() - since
                    outcome = await self._engine.run(item.key, item.calls)
            except WorkerLost as lost:
                losses += 1
                most = self._options.worker_losses
                if losses >= most or self._options.once:
                    return _row(item, _lost(lost), attempts, losses, waited)
                if losses == most - 1 and not alone:
                    raise Suspect(item, losses) from None
                continue
            tried = attempts - losses
            if not outcome.get("retryable") or tried > self._options.retries or self._options.once:
                outcome = await with_artifact(self._folder, item.key, outcome)
                return _row(item, outcome, attempts, losses, waited)
            pause = PAUSE * 2 ** (tried - 1) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
            await asyncio.sleep(pause)
            waited += pause


def _lost(lost: WorkerLost) -> Outcome:
    return {"status": "failed", "code": lost.code, "message": lost.message, "text": str(lost)}


def _row(item: Item, outcome: Outcome, attempts: int, losses: int, waited: float) -> Row:
    return Row(**about(item), **outcome, attempts=attempts, losses=losses, waited=waited)


def about(item: Item) -> dict[str, Any]:
    """Return the columns that an item itself tells."""
    first = item.calls[0]
    fields = {name: str(first.get(name) or "") for name in ("resource", "action", "url")}
    return {"key": item.key, "index": item.number, **fields}
