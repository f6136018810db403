"""Limits of time that stand still while a person is asked."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import TracebackType


class _Limit:
    """One limit; several questions may be open inside it."""

    def __init__(self, scope: asyncio.Timeout) -> None:
        self._scope = scope
        self._questions = 0
        self._left: float | None = None

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


class limited:  # noqa: N801 - it stands where `asyncio.timeout` would
    """Like `asyncio.timeout`, but for the time in which a person is asked, which does not count."""

    def __init__(self, seconds: float | None) -> None:
        self._scope = asyncio.timeout(seconds)

    async def __aenter__(self) -> asyncio.Timeout:
        """Begin."""
        await self._scope.__aenter__()
        self._before = _limits.set((*_limits.get(), _Limit(self._scope)))
        return self._scope

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise `TimeoutError` where the time was over."""
        _limits.reset(self._before)
        await self._scope.__aexit__(kind, error, trace)


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
