"""One owner task per open resource state.

A state that is opened in one call's task and closed in another's breaks cancel scopes, and a call
that is cancelled while it opens would tear the state down for everybody: so a task of its own
opens it, holds it and closes it.
"""

import asyncio
import logging
from typing import Any

from strap.actions import Resource
from strap.calls import Environment
from strap.errors import ActionError

log = logging.getLogger(__name__)


class Lifespan:
    """The state of one resource: opened on first use, once, and closed by its owner task."""

    def __init__(self, resource: Resource, environment: Environment) -> None:
        self.resource = resource
        self.environment = environment
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Any] | None = None
        self._closing = asyncio.Event()

    @property
    def opened(self) -> bool:
        """Whether the state is there."""
        ready = self._ready
        return (
            ready is not None and ready.done() and not ready.cancelled() and not ready.exception()
        )

    async def get(self) -> Any:
        """Return the state, opening it if nobody did; a failed opening is tried again next time."""
        if self.resource.open is None:
            return None
        if self._closing.is_set():
            raise ActionError("strap is shutting down.", code="shutting_down")
        if self._ready is None or (self._ready.done() and self._ready.exception() is not None):
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(
                self._own(self._ready), name=f"own {self.resource.name}"
            )
        return await asyncio.shield(self._ready)

    async def _own(self, ready: asyncio.Future[Any]) -> None:
        assert self.resource.open is not None
        try:
            async with self.resource.open(self.environment) as state:
                ready.set_result(state)
                await self._closing.wait()
        except Exception as error:
            if ready.done():
                log.exception("Closing resource %r failed", self.resource.name)
                return
            ready.set_exception(error)
            # Retrieved here as well: the caller that waited may be gone.
            ready.exception()
        except BaseException:
            if not ready.done():
                ready.cancel()
            raise

    async def end_session(self, key: str) -> None:
        """Tell an open state that a caller is gone."""
        if self.opened and self.resource.end_session is not None and self._ready is not None:
            await self.resource.end_session(self._ready.result(), key)

    async def aclose(self) -> None:
        """Close the state and wait until it is closed."""
        self._closing.set()
        if self._task is None:
            return
        if self._ready is not None and not self._ready.done():
            self._task.cancel()
        await asyncio.wait({self._task})
