"""Turns of calls on a page."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turn:
    """A call's turn on a page, or its place in the queue.

    `name` is that of its action. With `reads` it changes nothing there.
    """

    def __init__(self, name: str, *, reads: bool) -> None:
        self.name = name
        self.reads = reads
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()


class Turns:
    """The calls on a page, one after another in the order in which they came.

    While the one whose turn it is only waits, those that read go beside it, one at a time; but
    none overtakes a call that came before it and changes the page.
    """

    def __init__(self) -> None:
        self._queue: deque[Turn] = deque()
        self._current: Turn | None = None
        self._beside: Turn | None = None
        self._lent = False

    @property
    def taken(self) -> bool:
        """Whether it is anybody's turn."""
        return self._current is not None or self._beside is not None

    async def take(self, name: str = "", *, reads: bool = False) -> Turn:
        """Wait for a turn and return it; it lasts until it is given to `end`.

        Whoever is cancelled meanwhile, as its time is over, is told of whose turn it is by a note.
        """
        turn = Turn(name, reads=reads)
        self._queue.append(turn)
        self._go_on()
        try:
            await turn.begun.wait()
        except asyncio.CancelledError as error:
            if self._current and self._current.name and self._current is not turn:
                error.add_note(f"its turn on the page, which {self._current.name} has")
            self.end(turn)
            raise
        return turn

    def end(self, turn: Turn) -> None:
        """End a turn, or leave the queue."""
        if turn is self._current:
            self._current = None
        elif turn is self._beside:
            self._beside = None
        else:
            self._queue.remove(turn)
        turn.ended.set()
        self._go_on()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Take a turn for as long as this lasts."""
        turn = await self.take()
        try:
            yield
        finally:
            self.end(turn)

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[None]:
        """Let calls that read go beside the one whose turn it is; at the end they are over."""
        self._lent = True
        self._go_on()
        try:
            yield
        finally:
            self._lent = False
        if self._beside is not None:
            await self._beside.ended.wait()

    def _go_on(self) -> None:
        if not self._queue or self._beside is not None:
            return
        if self._current is None:
            self._current = turn = self._queue.popleft()
        elif self._lent and self._queue[0].reads:
            self._beside = turn = self._queue.popleft()
        else:
            return
        turn.begun.set()
