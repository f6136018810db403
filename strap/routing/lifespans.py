"""One owner task per open resource state.

A state that is opened in one call's task and closed in another's breaks cancel scopes, and a call
that is cancelled while it opens would tear the state down for everybody: so a task of its own
opens it, holds it and closes it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from strap.api.calls import Call, Context, Environment
from strap.api.resources import AroundState, Resource, ResourceState
from strap.api.results import Detached, Result
from strap.errors import ActionError, UsageError
from strap.faults import is_fault

log = logging.getLogger(__name__)
Ready = asyncio.Future[tuple[Any, BaseException | None]]
"""A state, or why there is none: as a result, as no future can raise everything."""
PATIENCE = 5.0
"""Seconds for a state that is of use, but not needed: with a disk that hangs none comes."""


class Lifespan:
    """The state of one resource, with those that plugins add to it.

    They are opened on first use, once, and closed by their owner task.
    """

    def __init__(
        self,
        resource: Resource,
        environment: Environment,
        added: Mapping[str, ResourceState] | None = None,
    ) -> None:
        """`added` are the states of plugins, by plugin, in the order in which they are opened."""
        self.resource = resource
        self.environment = environment
        self._added = added or {}
        self._states: dict[str, Any] = {}
        self._failures: dict[str, BaseException] = {}
        self._task: asyncio.Task[None] | None = None
        self._ready: Ready | None = None
        self._closing = asyncio.Event()

    @property
    def opened(self) -> bool:
        """Whether the state is there."""
        return self._ready is not None and self._ready.done() and self._ready.result()[1] is None

    async def get(self, plugin: str = "") -> Any:
        """Return the state for a plugin's actions (see `of`), opening it if nobody did.

        A failed opening of the resource's own is tried again next time.
        """
        if self.resource.open is None and not self._added:
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
        _, error = await asyncio.shield(self._ready)
        if error is not None:
            raise error
        return self.of(plugin)

    async def find(self, plugin: str) -> Any:
        """Return the state for a plugin's actions.

        It is None where it cannot be opened, or does not come in `PATIENCE`.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                return await self.get(plugin)
        except BaseException as error:
            if not is_fault(error):
                raise
            log.warning("Resource %r has no state: %s", self.resource.name, error)
            return None

    def of(self, plugin: str) -> Any:
        """Return the open state for a plugin's actions: its own where it adds one.

        Raises `ActionError` where that could not be opened.
        """
        if (error := self._failures.get(plugin)) is not None:
            raise ActionError(
                f"The state of plugin {plugin!r} could not be opened ({type(error).__name__}); "
                "the details are in strap's log.",
                hint="Actions of other plugins work. `strap doctor` may say why.",
                code="internal",
            ) from error
        return self._states.get(plugin, self._states.get(self.resource.name))

    def around(self) -> Iterator[tuple[str, AroundState, Any]]:
        """Yield what the added states run around an action: plugin, function and state."""
        for plugin, added in self._added.items():
            if added.around is not None and plugin in self._states:
                yield plugin, added.around, self._states[plugin]

    async def _own(self, ready: Ready) -> None:
        try:
            async with AsyncExitStack() as stack:
                await self._open(stack)
                ready.set_result((self._states[self.resource.name], None))
                await self._closing.wait()
        except BaseException as error:
            fault = is_fault(error)
            if not ready.done():
                ready.set_result((None, error if fault else _closing()))
            elif fault:
                log.exception("Closing resource %r failed", self.resource.name)
            if not fault:
                raise

    async def _open(self, stack: AsyncExitStack) -> None:
        own = self.resource.open
        state = None if own is None else await stack.enter_async_context(own(self.environment))
        self._states, self._failures = {self.resource.name: state}, {}
        for plugin, added in self._added.items():
            opening = added.open(self.environment, MappingProxyType(self._states))
            try:
                async with asyncio.timeout(PATIENCE):
                    self._states[plugin] = await stack.enter_async_context(opening)
            except BaseException as error:
                if not is_fault(error):
                    raise
                log.exception("Plugin %r: the state of %r failed", plugin, self.resource.name)
                self._failures[plugin] = error

    def _parts(self) -> Iterator[tuple[Resource | ResourceState, Any]]:
        if self.opened:
            yield self.resource, self._states[self.resource.name]
            yield from (
                (added, self._states[plugin])
                for plugin, added in self._added.items()
                if plugin in self._states
            )

    async def detach(self, call: Call, order: Detached) -> Result | None:
        """Let a call go on as a run, and return the answer for now; None: no state keeps runs."""
        for plugin, added in self._added.items():
            if added.detach is not None:
                return await added.detach(await self.get(plugin), call, order)
        return None

    def gauges(self) -> Mapping[str, float]:
        """Return what open states tell of themselves; what fails there is logged."""
        gauges: dict[str, float] = {}
        for part, state in self._parts():
            try:
                gauges |= {} if part.gauges is None else part.gauges(state)
            except Exception:
                log.exception("The gauges of resource %r failed", self.resource.name)
        return gauges

    def archive(self, session_id: str) -> bytes | None:
        """Return what an open state has stored beside an answer; what fails there is logged."""
        for part, state in self._parts():
            try:
                stored = part.archive(state, session_id) if part.archive else None
            except Exception:
                log.exception("An archive of resource %r failed", self.resource.name)
                continue
            if isinstance(stored, bytes):
                return stored
        return None

    async def end_session(self, key: str) -> None:
        """Tell open states that a caller is gone; what fails there is logged."""
        for part, state in reversed([*self._parts()]):
            if part.end_session is None:
                continue
            try:
                await part.end_session(state, key)
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


async def detach(
    spans: Iterable[Lifespan],
    nested: Callable[..., Awaitable[Result]],
    context: Context[Any],
    order: Detached,
) -> Result:
    """Let a call go on as a run where one of the states keeps runs; raises `ActionError`.

    Its client has the answer: neither it nor the person before it is asked or told anything more.
    """
    caller = replace(context.caller, sample=None, confirm=None, invite=None)
    context.consent.leave_client()
    context.call = replace(context.call, caller=caller)
    context.web = partial(nested, caller, None, context.files)
    for span in spans:
        if (answer := await span.detach(context.call, order)) is not None:
            return answer
    raise ActionError(
        "Nothing here keeps calls that go on after their answer.",
        hint="Leave detach out.",
        code="unavailable",
    )


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
