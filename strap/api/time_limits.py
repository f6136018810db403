"""Limits of time that stand still while a person is asked."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar

ANSWERING = "strap: answer what you have"
"""Message of a cancellation whose caller still waits for an answer."""


class _Limit:
    """One limit; several questions may be open inside it."""

    def __init__(self, scope: asyncio.Timeout) -> None:
        self._scope = scope
        self._questions = 0
        self._left: float | None = None

    @property
    def expired(self) -> bool:
        """Whether its time is over."""
        return self._scope.expired()

    def stop(self) -> None:
        """Let it stand still."""
        self._questions += 1
        when = self._scope.when()
        if self._questions == 1 and when is not None:
            self._left = when - asyncio.get_running_loop().time()
            self._set(None)

    def go_on(self) -> None:
        """Let it go on with what was left, once for each `stop`."""
        self._questions -= 1
        if not self._questions and self._left is not None:
            self._set(asyncio.get_running_loop().time() + self._left)
            self._left = None

    def _set(self, when: float | None) -> None:
        with suppress(RuntimeError):  # it is over, or about to end what runs in it
            self._scope.reschedule(when)


_limits: ContextVar[tuple[_Limit, ...]] = ContextVar("limits", default=())


@asynccontextmanager
async def limited(seconds: float | None) -> AsyncIterator[asyncio.Timeout]:
    """Like `asyncio.timeout`, but for the time in which a person is asked, which does not count."""
    async with asyncio.timeout(seconds) as scope:
        token = _limits.set((*_limits.get(), _Limit(scope)))
        try:
            yield scope
        finally:
            _limits.reset(token)


def time_is_over() -> bool:
    """Whether the running task is being cancelled as the time of one of its limits is over."""
    return any(limit.expired for limit in _limits.get())


def waited_for(error: TimeoutError) -> str:
    """Return the hint for a call whose time is over, "" unless it waited for another one.

    Whatever waits for others notes that at its `CancelledError`, as `"its turn on the page"`.
    """
    notes: list[str] = getattr(error.__cause__, "__notes__", [])
    wait = "make it again when that has ended, or give it more with timeout (seconds)."
    return f"It waited for {notes[0]}: {wait}" if notes else ""


def is_answered(error: asyncio.CancelledError) -> bool:
    """Whether the caller of the action that is cancelled still waits for an answer."""
    return error.args == (ANSWERING,)


@contextmanager
def standing_still() -> Iterator[None]:
    """Let the limits stand still that the running task is within."""
    limits = _limits.get()
    for limit in limits:
        limit.stop()
    try:
        yield
    finally:
        for limit in limits:
            limit.go_on()
