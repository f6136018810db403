"""The pipe of a browser of ours, with no other process in between.

Messages are JSON texts that end with a zero byte (`--remote-debugging-pipe` of Chromium).
"""

import asyncio
import os
from collections.abc import Callable


class Pipe(asyncio.Protocol):
    """Both ends that this process has of the pipe; the browser quits when they are closed."""

    def __init__(self, commands: int, replies: int) -> None:
        """Take over the two file descriptors."""
        self._commands = os.fdopen(commands, "wb", buffering=0)
        self._replies = os.fdopen(replies, "rb", buffering=0)
        self._parts: list[bytes] = []
        self._take: Callable[[bytes | str], None] | None = None
        self._end: Callable[[], None] | None = None
        self._reading: asyncio.BaseTransport | None = None
        self._writing: asyncio.WriteTransport | None = None

    async def open(self, take: Callable[[bytes | str], None], end: Callable[[], None]) -> None:
        """Begin to hand each message to `take`; `end` is called when no more will come."""
        self._take, self._end = take, end
        loop = asyncio.get_running_loop()
        self._reading, _ = await loop.connect_read_pipe(lambda: self, self._replies)
        self._writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._commands)

    def write(self, message: str) -> None:
        """Send a message; nothing where the browser is gone, which `end` tells."""
        if self._writing is not None and not self._writing.is_closing():
            self._writing.write(message.encode() + b"\0")

    def close(self) -> None:
        """Close both ends in the next turn of the loop, without waiting until everything is sent.

        Not by themselves: libuv aborts the process where what it is about to watch is closed.
        """
        if self._writing is None:
            self._commands.close()
        elif not self._writing.is_closing():
            self._writing.abort()
        (self._reading or self._replies).close()

    async def aclose(self) -> None:
        """Close both ends."""
        self.close()

    def data_received(self, data: bytes) -> None:
        """Take what has come; the end of the last message may follow."""
        assert self._take is not None
        *ends, rest = data.split(b"\0")
        for end in ends:
            message = b"".join((*self._parts, end))
            self._parts.clear()
            self._take(message)
        if rest:
            self._parts.append(rest)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell that nothing will come."""
        if self._end is not None:
            self._end()
