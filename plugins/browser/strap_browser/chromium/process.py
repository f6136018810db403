"""A Chromium process of ours: it ends when we end, whatever ends us.

Chromium holds one end of a debugging pipe whose other end only this process has. When it closes,
because we close it or because we are gone, Chromium quits in good order (cookies written, lock
removed). Its whole tree shares the pipe of its error output, so the end of
that output means that the last of its processes is gone.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping
from contextlib import suppress

from strap import ActionError
from strap_browser.cdp.connection import CdpConnection
from strap_browser.cdp.pipe import Pipe
from strap_browser.chromium.spawn import PrestartedChromium, spawn

START_LIMIT = 20.0
QUIT_LIMIT = 5.0
KILL_LIMIT = 2.0
GIVE_UP_LIMIT = 1.0
LISTENING = b"DevTools listening on"
PORT_IN_USE = b"Cannot start http server for devtools"


class StartFailure(ActionError):
    """Chromium did not start; `output` is the end of what it wrote."""

    code = "browser_start"

    def __init__(self, message: str, output: bytes = b"") -> None:
        super().__init__(message, hint="`strap doctor` checks the browser.")
        self.output = output


class _Output(asyncio.Protocol):
    """Reads the error output: finds the debugging address, keeps the end, notes the last byte."""

    def __init__(self) -> None:
        self.address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.ended = asyncio.Event()
        self._lines: deque[bytes] = deque(maxlen=40)
        self._partial = b""

    @classmethod
    async def read(cls, descriptor: int) -> "_Output":
        """Begin to read; the descriptor is closed in the end."""
        file = os.fdopen(descriptor, "rb", buffering=0)
        _, output = await asyncio.get_running_loop().connect_read_pipe(cls, file)
        return output

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        *lines, rest = (self._partial + data).split(b"\n")
        self._partial = rest[-65_536:]
        self._lines.extend(lines)
        for line in lines:
            if self.address.done():
                break
            if found := line.partition(LISTENING)[2].split():
                self.address.set_result(found[0].decode())
            elif PORT_IN_USE in line:
                self._fail("The debugging port is in use.")

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.address.done():
            self._fail("The browser ended while it was starting.")
        self.ended.set()

    @property
    def text(self) -> bytes:
        return b"\n".join((*self._lines, self._partial))

    def _fail(self, message: str) -> None:
        self.address.set_exception(StartFailure(message, self.text))
        self.address.exception()  # retrieved: nobody may be waiting any more


class Chromium:
    """A Chromium that was launched with `Chromium.launch` and is to be ended with `stop`."""

    def __init__(self, pid: int, cdp: CdpConnection, output: _Output) -> None:
        self.pid = pid
        self.cdp = cdp
        """The connection over its pipe; it quits when that is closed."""
        self.address = ""
        """The WebSocket address of the debugging port."""
        self._output = output
        self._reaped = False

    @classmethod
    async def launch(
        cls, command: list[str], variables: Mapping[str, str] | None = None
    ) -> "Chromium":
        """Start `command` and return when its debugging port listens; raises `StartFailure`.

        `variables` are added to its environment.
        """
        reading, writing = os.pipe()
        try:
            output = await _Output.read(reading)
            pid, ends = spawn(command, os.environ | dict(variables or {}), writing)
        except OSError as error:
            raise StartFailure(f"{command[0]!r} cannot be run: {error.strerror}.") from None
        finally:
            os.close(writing)
        return await cls._ready(pid, ends, output)

    @classmethod
    async def adopt(cls, early: PrestartedChromium) -> "Chromium":
        """Take over a browser on its way, and go on like `launch`."""
        try:
            output = await _Output.read(early.give_errors())
        except BaseException:
            early.abandon()
            raise
        pid, ends = early.give_process()
        return await cls._ready(pid, ends, output)

    @classmethod
    async def _ready(cls, pid: int, ends: tuple[int, int], output: _Output) -> "Chromium":
        """Return when the debugging port listens; raises `StartFailure`."""
        chromium = cls(pid, CdpConnection(Pipe(*ends)), output)
        try:
            async with asyncio.timeout(START_LIMIT):
                await chromium.cdp.open()
                chromium.address = await asyncio.shield(output.address)
        except TimeoutError:
            await chromium.stop(GIVE_UP_LIMIT)
            raise StartFailure(f"The browser did not start within {START_LIMIT:g} s.") from None
        except BaseException:
            await chromium.stop(GIVE_UP_LIMIT)
            raise
        return chromium

    @property
    def ended(self) -> asyncio.Event:
        """Set when the whole process tree is gone."""
        return self._output.ended

    async def stop(self, patience: float = QUIT_LIMIT) -> None:
        """End the browser: ask it, wait `patience` seconds, kill what is left of its group."""
        self.cdp.close()
        try:
            await self._wait(patience)
        finally:
            if not self._output.ended.is_set():
                self._kill()
                await self._wait(KILL_LIMIT)
            await self._reap()
            self._output.transport.close()

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
