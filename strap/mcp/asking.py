"""Asking the client of a call something while the call runs: its model, or the person before it.

Up to protocol 2025-11-25 that is a request of the server. From 2026-07-28 on a call is answered
with what it asks for (`input_required`), and the client repeats it with the answers: meanwhile the
call waits where it was, and the repetition finds it again by a state that nobody can guess.
"""

import asyncio
import itertools
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    ElicitResult,
    InputRequiredResult,
    InputResponse,
)

from strap.api.calls import Progress
from strap.mcp.tool import CallResult

Ctx = ServerRequestContext[Any, Any]
Answer = TypeVar("Answer", CreateMessageResult, ElicitResult)
AWAY = 300.0
"""Seconds in which a client has to come back with the answers; a refusal it need not tell."""


class Ask(Protocol):
    """Asks the client; raises `MCPError` where it does not answer so."""

    async def __call__(
        self, request: CreateMessageRequest | ElicitRequest, answer: type[Answer]
    ) -> Answer:
        """Ask, and wait for the answer."""


Work = Callable[[Ask, Progress], Awaitable[CallResult]]
"""A call, given how to ask and to report."""


def by_request(ctx: Ctx) -> Ask | None:
    """Return what asks by requests of the server, None where the protocol has none."""
    if not ctx.session.can_send_request:
        return None

    async def ask(request: CreateMessageRequest | ElicitRequest, answer: type[Answer]) -> Answer:
        about = ServerMessageMetadata(related_request_id=ctx.request_id)
        return await ctx.session.send_request(request, answer, metadata=about)

    return ask


class Rounds:
    """Calls that wait for answers of their clients, from one round to the next."""

    def __init__(self) -> None:
        self._calls: dict[str, RunningCall] = {}

    async def run(
        self,
        params: CallToolRequestParams,
        owner: object,
        work: Work,
        progress: Progress | None,
        patience: float | None = None,
    ) -> "CallResult | InputRequiredResult | RunningCall":
        """Begin a call or go on with it, until it is done or asks for something.

        A call that does neither within `patience` seconds is returned; it is the caller's then.
        """
        state = params.request_state
        call = self._calls.get(state or "")
        if state is None:
            state = secrets.token_urlsafe(16)
            call = self._calls[state] = RunningCall(owner, params.arguments, work)
        if call is None or not call.belongs(owner, params.arguments):
            raise MCPError(INVALID_PARAMS, "Invalid or expired requestState.")
        call.take(params.input_responses or {})
        try:
            requests = await call.until_it_asks(progress, patience)
        except BaseException:
            await self._end(state)
            raise
        if not requests:
            del self._calls[state]
            return await call.task if call.task.done() else call
        call.leave(AWAY, lambda: asyncio.ensure_future(self._end(state)))
        return InputRequiredResult(input_requests=requests, request_state=state)

    async def aclose(self) -> None:
        """End all calls that wait."""
        await asyncio.gather(*map(self._end, tuple(self._calls)))

    async def _end(self, state: str) -> None:
        call = self._calls.pop(state, None)
        if call is not None:
            await call.end()


class RunningCall:
    """A call in a task of its own, and what it asks for."""

    def __init__(self, owner: object, arguments: Any, work: Work) -> None:
        self.task = asyncio.ensure_future(work(self._ask, self._report))
        self.message = ""
        """Text of the last progress report."""
        self.changed_at = time.time()
        """When it last reported, asked or ended, in seconds since 1970."""
        self.task.add_done_callback(self._note_change)
        self._of = owner, arguments
        self._numbers = itertools.count(1)
        self._pending: dict[str, CreateMessageRequest | ElicitRequest] = {}
        self._answers: dict[str, asyncio.Future[InputResponse]] = {}
        self._changed = asyncio.Event()
        self._progress: Progress | None = None
        self._busy = False
        self._leaving: asyncio.TimerHandle | None = None

    @property
    def pending(self) -> dict[str, CreateMessageRequest | ElicitRequest]:
        """The questions without an answer, by key; no two questions of a call share a key."""
        return dict(self._pending)

    def belongs(self, owner: object, arguments: Any) -> bool:
        """Whether a request repeats this call, and no other one does so now."""
        return self._of == (owner, arguments) and not self._busy

    def take(self, answers: dict[str, InputResponse]) -> None:
        """Pass answers on; those that nobody waits for are left out."""
        self.stay()
        for key, answer in answers.items():
            if self._pending.pop(key, None) is not None and not self._answers[key].done():
                self._answers[key].set_result(answer)
                self._note_change()

    async def until_it_asks(
        self, progress: Progress | None, patience: float | None = None
    ) -> dict[str, CreateMessageRequest | ElicitRequest]:
        """Wait for questions and return them, or nothing when the call or `patience` is over."""
        self._progress, self._busy = progress, True
        changed: asyncio.Task[Any] | None = None
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    while not self.task.done() and not self._pending:
                        self._changed.clear()
                        changed = asyncio.ensure_future(self._changed.wait())
                        ends = {self.task, changed}
                        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                        changed.cancel()
            return {} if self.task.done() else self.pending
        finally:
            self._progress, self._busy = None, False
            if changed is not None:
                changed.cancel()

    def leave(self, seconds: float, end: Callable[[], Any]) -> None:
        """Have `end` called unless its client comes back within `seconds`."""
        self.stay()
        self._leaving = asyncio.get_running_loop().call_later(seconds, end)

    def stay(self) -> None:
        """Take back `leave`."""
        if self._leaving is not None:
            self._leaving.cancel()

    def _note_change(self, _: object = None) -> None:
        self.changed_at = time.time()

    async def end(self) -> None:
        """Cancel the call and wait for its clean-up."""
        self.stay()
        self.task.cancel()
        await asyncio.wait({self.task})

    async def _ask(
        self, request: CreateMessageRequest | ElicitRequest, answer: type[Answer]
    ) -> Answer:
        key = str(next(self._numbers))
        future = asyncio.get_running_loop().create_future()
        self._pending[key], self._answers[key] = request, future
        self._note_change()
        self._changed.set()
        try:
            response: InputResponse = await future
        finally:
            self._pending.pop(key, None)
            del self._answers[key]
        if not isinstance(response, answer):
            raise MCPError(INVALID_PARAMS, "It answered with something else.")
        return response

    async def _report(self, message: str, done: float, total: float | None) -> None:
        self.message = message
        self._note_change()
        if self._progress is not None:
            await self._progress(message, done, total)
