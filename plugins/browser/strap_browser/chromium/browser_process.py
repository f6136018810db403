"""A browser's process that strap started, with its whole tree.

All of the tree shares the pipe of its error output, so the end of that output means that the last
of its processes is gone.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping
from contextlib import suppress

from strap import ActionError
from strap_browser.chromium.spawn import spawn

QUIT_LIMIT = 5.0
EXIT_LIMIT = 1.0
"""Seconds that a browser gets to quit when the whole process ends, which has less than two."""
KILL_LIMIT = 2.0
GIVE_UP_LIMIT = 1.0
PORT_IN_USE = b"Cannot start http server for devtools"


class StartFailure(ActionError):
    """The browser did not start; `output` is the end of what it wrote."""

    code = "browser_start"

    def __init__(self, message: str, output: bytes = b"") -> None:
        super().__init__(message, hint="`strap doctor` checks the browser.")
        self.output = output


class ErrorOutput(asyncio.Protocol):
    """Reads the error output: finds the debugging address, keeps the end, notes the last byte."""

    def __init__(self, listening: bytes) -> None:
        """`listening` is what the browser says before its debugging address."""
        self._listening = listening
        self.address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.ended = asyncio.Event()
        self._lines: deque[bytes] = deque(maxlen=40)
        self._partial = b""

    @classmethod
    async def read(cls, descriptor: int, listening: bytes) -> "ErrorOutput":
        """Begin to read; the descriptor is closed in the end."""
        file = os.fdopen(descriptor, "rb", buffering=0)
        _, output = await asyncio.get_running_loop().connect_read_pipe(lambda: cls(listening), file)
        return output

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the pipe."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        *lines, rest = (self._partial + data).split(b"\n")
        self._partial = rest[-65_536:]
        self._lines.extend(lines)
        for line in lines:
            if self.address.done():
                break
            if words := line.partition(self._listening)[2].split():
                self.address.set_result(words[0].decode())
            elif PORT_IN_USE in line:
                self._fail("The debugging port is in use.")

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note that the last process is gone."""
        if not self.address.done():
            self._fail("The browser ended while it was starting.")
        self.ended.set()

    @property
    def text(self) -> bytes:
        """The end of what was written."""
        return b"\n".join((*self._lines, self._partial))

    def _fail(self, message: str) -> None:
        self.address.set_exception(StartFailure(message, self.text))
        self.address.exception()  # retrieved: nobody may be waiting any more


class BrowserProcess:
    """A browser, which is the leader of a session of its own; it is to be ended with `stop`."""

    def __init__(self, pid: int, output: ErrorOutput) -> None:
        self.pid = pid
        self._output = output
        self._reaped = False

    @staticmethod
    async def spawned(
        command: list[str], variables: Mapping[str, str], listening: bytes
    ) -> tuple[int, tuple[int, int], ErrorOutput]:
        """Start `command`; return its id, our ends of its pipe and its error output.

        `variables` are added to its environment. Raises `StartFailure`.
        """
        reading, writing = os.pipe()
        try:
            output = await ErrorOutput.read(reading, listening)
            pid, ends = spawn(command, os.environ | dict(variables), writing)
        except OSError as error:
            raise StartFailure(f"{command[0]!r} cannot be run: {error.strerror}.") from None
        finally:
            os.close(writing)
        return pid, ends, output

    async def listens(self, limit: float) -> str:
        """Return the debugging address within so many seconds; raises `StartFailure`."""
        try:
            async with asyncio.timeout(limit):
                await self.begin()
                return await asyncio.shield(self._output.address)
        except TimeoutError:
            await self.stop(GIVE_UP_LIMIT)
            raise StartFailure(f"The browser did not start within {limit:g} s.") from None
        except BaseException:
            await self.stop(GIVE_UP_LIMIT)
            raise

    async def begin(self) -> None:
        """Do what is to be done before it listens."""

    @property
    def ended(self) -> asyncio.Event:
        """Set when the whole process tree is gone."""
        return self._output.ended

    async def stop(self, patience: float = QUIT_LIMIT) -> None:
        """End the browser: ask it, wait `patience` seconds, kill what is left of its group."""
        self.ask_to_quit()
        try:
            await self._wait(patience)
        finally:
            if not self._output.ended.is_set():
                self._kill()
                await self._wait(KILL_LIMIT)
            await self._reap()
            self._output.transport.close()

    def ask_to_quit(self) -> None:
        """Ask the browser to end; each kind has a way of its own."""
        raise NotImplementedError

    async def _wait(self, limit: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(limit):
                await self._output.ended.wait()

    def _kill(self) -> None:
        if not self._reaped:  # else the id may already belong to somebody else
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)

    async def _reap(self) -> None:
        """Collect the exit status; a process that only closed its output is killed."""
        for attempt in range(200):
            if self._reaped:
                return
            try:
                self._reaped = os.waitpid(self.pid, os.WNOHANG)[0] == self.pid  # noqa: ASYNC222
            except ChildProcessError:
                self._reaped = True
            if attempt == 50:
                self._kill()
            await asyncio.sleep(0.01)
