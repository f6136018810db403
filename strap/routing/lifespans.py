"""One owner task per open resource state.

A state that is opened in one call's task and closed in another's breaks cancel scopes, and a call
that is cancelled while it opens would tear the state down for everybody: so a task of its own
opens it, holds it and closes it.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from strap.api.actions import Resource
from strap.api.calls import Environment
from strap.errors import ActionError, UsageError
from strap.faults import is_fault

log = logging.getLogger(__name__)
Ready = asyncio.Future[tuple[Any, BaseException | None]]
"""A state, or why there is none: as a result, as no future can raise everything."""
PATIENCE = 5.0
"""Seconds for a state that is of use, but not needed: with a disk that hangs none comes."""


class Lifespan:
    """The state of one resource: opened on first use, once, and closed by its owner task."""

    def __init__(self, resource: Resource, environment: Environment) -> None:
        self.resource = resource
        self.environment = environment
        self._task: asyncio.Task[None] | None = None
        self._ready: Ready | None = None
        self._closing = asyncio.Event()

    @property
    def opened(self) -> bool:
        """Whether the state is there."""
        return self._ready is not None and self._ready.done() and self._ready.result()[1] is None

    async def get(self) -> Any:
        """Return the state, opening it if nobody did; a failed opening is tried again next time."""
        if self.resource.open is None:
            return None
        if self._closing.is_set():
            raise _closing()
        if self._ready and self._ready.get_loop() is not asyncio.get_running_loop():
            raise UsageError(
                "This router was opened in another event loop.",
                hint="Open one in each: `async with strap.open_router() as web`.",
            )
        if self._ready is None or (self._ready.done() and not self.opened):
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(
                self._own(self._ready), name=f"own {self.resource.name}"
            )
        state, error = await asyncio.shield(self._ready)
        if error is not None:
            raise error
        return state

    async def find(self) -> Any:
        """Return the state, None where it cannot be opened, or does not come in `PATIENCE`."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self.get()
        except BaseException as error:
            if not is_fault(error):
                raise
            log.warning("Resource %r has no state: %s", self.resource.name, error)
            return None

    async def _own(self, ready: Ready) -> None:
        assert self.resource.open is not None
        try:
            async with self.resource.open(self.environment) as state:
                ready.set_result((state, None))
                await self._closing.wait()
        except BaseException as error:
            fault = is_fault(error)
            if not ready.done():
                ready.set_result((None, error if fault else _closing()))
            elif fault:
                log.exception("Closing resource %r failed", self.resource.name)
            if not fault:
                raise

    def gauges(self) -> Mapping[str, float]:
        """Return what an open state tells of itself; what fails there is logged."""
        if not self.opened or self.resource.gauges is None or self._ready is None:
            return {}
        try:
            return self.resource.gauges(self._ready.result()[0])
        except Exception:
            log.exception("The gauges of resource %r failed", self.resource.name)
            return {}

    def archive(self, session_id: str) -> bytes | None:
        """Return what an open state has stored beside an answer; what fails there is logged."""
        if not self.opened or self.resource.archive is None or self._ready is None:
            return None
        try:
            return self.resource.archive(self._ready.result()[0], session_id)
        except Exception:
            log.exception("An archive of resource %r failed", self.resource.name)
            return None

    async def end_session(self, key: str) -> None:
        """Tell an open state that a caller is gone; what fails there is logged."""
        if not self.opened or self.resource.end_session is None or self._ready is None:
            return
        try:
            await self.resource.end_session(self._ready.result()[0], key)
        except BaseException as error:
            if not is_fault(error):
                raise
            log.exception("Ending a session of resource %r failed", self.resource.name)

    async def aclose(self) -> None:
        """Close the state and wait until it is closed."""
        self._closing.set()
        if self._task is None:
            return
        if self._ready is not None and not self._ready.done():
            self._task.cancel()
        await asyncio.wait({self._task})


def _closing() -> ActionError:
    return ActionError("strap is shutting down.", code="shutting_down")


def shutting_down(what: str) -> ActionError:
    """Return the error of a call that somebody else may make again; `what` became of it."""
    return ActionError(
        f"{what}: strap is shutting down.",
        hint="Open another session and repeat it.",
        code="shutting_down",
        retryable=True,
    )
