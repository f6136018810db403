"""The sessions of streamable HTTP: how many there are, which are idle, and their end."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio

log = logging.getLogger(__name__)
End = Callable[[str], Awaitable[None]]
UNUSED = 60.0
"""Seconds that a session is kept whose client says nothing, not even that it is initialized."""


@dataclass(slots=True)
class _Session:
    end: End
    owner: str
    busy: int = 0
    used: bool = False
    idle_since: float = field(default_factory=anyio.current_time)


class Sessions:
    """Keeps account of open sessions; one with a request or call in flight is never idle.

    A call may outlive its request: over the protocols with sessions it runs on when the client
    disconnects, and its result is lost or fetched again.
    """

    def __init__(self, *, limit: int, idle_seconds: float) -> None:
        self._open: dict[str, _Session] = {}
        self._opening = Counter[str]()
        self.limit = limit
        self.idle_seconds = idle_seconds

    def __len__(self) -> int:
        return len(self._open)

    @property
    def full(self) -> bool:
        """Whether no other session may be opened."""
        return len(self._open) + self._opening.total() >= self.limit

    def has_room(self, owner: str, most: int) -> bool:
        """Whether this principal may open another session, with at most so many; 0: no limit."""
        if self.full or not most:
            return not self.full
        own = sum(session.owner == owner for session in self._open.values())
        return own + self._opening[owner] < most

    def any_of(self, owner: str) -> bool:
        """Whether this principal has a session, or is about to."""
        return bool(self._opening[owner]) or any(
            session.owner == owner for session in self._open.values()
        )

    @contextmanager
    def opening(self, owner: str) -> Iterator[None]:
        """Hold a place while a session is being opened."""
        self._opening[owner] += 1
        try:
            yield
        finally:
            self._opening[owner] -= 1

    def add(self, name: str, end: End, *, owner: str) -> None:
        """Note a session that was opened; `end` is awaited with its name when its time is over."""
        self._open.setdefault(name, _Session(end, owner))

    @contextmanager
    def busy(self, name: str | None) -> Iterator[None]:
        """Keep a session from being idle; a name that is not open is nobody's."""
        session = self._open.get(name or "")
        if session is None:
            yield
            return
        session.busy += 1
        session.used = True
        try:
            yield
        finally:
            session.busy -= 1
            session.idle_since = anyio.current_time()

    async def end(self, name: str) -> None:
        """End a session, once."""
        session = self._open.pop(name, None)
        if session is not None:
            try:
                await session.end(name)
            except Exception:
                log.exception("Ending a session failed")

    async def end_all(self) -> None:
        """End every session at the same time."""
        async with anyio.create_task_group() as tasks:
            for name in tuple(self._open):
                tasks.start_soon(self.end, name)

    async def watch(self) -> None:
        """End sessions that were idle for too long; runs until it is cancelled."""
        while True:
            await anyio.sleep(min(self.idle_seconds / 4, 30))
            now = anyio.current_time()
            for name, session in tuple(self._open.items()):
                limit = self.idle_seconds if session.used else min(UNUSED, self.idle_seconds)
                if not session.busy and now - session.idle_since > limit:
                    await self.end(name)
