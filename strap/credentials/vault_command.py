"""Commands of vaults: run when a secret is used, without a shell and without a terminal."""

import asyncio
import os
import re
import signal
import time
from asyncio.subprocess import DEVNULL
from collections.abc import Sequence
from contextlib import suppress

from strap.errors import ActionError

LIMIT = 10.0
"""Seconds for a command: nobody unlocks a vault meanwhile."""
MOST_BYTES = 65_536
"""Bytes of output: a longer one is no secret."""
KEPT = 60.0
"""Seconds for which a value is used again: filling a form takes less."""
LOCKED = re.compile(
    rb"locked|not (?:currently )?(?:signed|logged) in|session (?:has )?expired|master password"
    rb"|missing client token|permission denied|no secret key|pinentry|inappropriate ioctl"
    rb"|unable to locate credentials|expired ?token",
    re.IGNORECASE,
)
"""Errors of op, bw, gpg (pass, gopass), vault and aws on stderr until somebody signs in."""
UNLOCK = "The vault is locked: unlock it for the user who runs strap, then call again."


class VaultCommand:
    """One command whose output is a secret."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._name = name
        self._command = tuple(command)
        self._value = ""
        self._until = 0.0
        self._running: asyncio.Task[str] | None = None

    async def read(self) -> str:
        """Return the first line of the output; raises `ActionError` without any of it."""
        if self._value and time.monotonic() < self._until:
            return self._value
        loop = asyncio.get_running_loop()
        running = self._running
        if running is None or running.done() or running.get_loop() is not loop:
            running = self._running = loop.create_task(self._run(), name="read a vault")
        return await asyncio.shield(running)

    async def _run(self) -> str:
        loop = asyncio.get_running_loop()
        output = _Output(loop)
        try:
            transport, _ = await loop.subprocess_exec(
                lambda: output, *self._command, stdin=DEVNULL, start_new_session=True
            )
        except (OSError, ValueError):
            raise self._failed(
                "cannot be started", f"Install {self._command[0]!r}, or name it by its whole path."
            ) from None
        try:
            async with asyncio.timeout(LIMIT):
                is_whole = await output.ended
        except TimeoutError:
            raise self._failed(f"did not end within {LIMIT:.0f} s", UNLOCK) from None
        finally:
            _end(transport)
            await output.exited.wait()
        if not is_whole:
            raise self._failed(f"wrote more than {MOST_BYTES // 1024} KB", self._look())
        status = transport.get_returncode()
        if status:
            hint = UNLOCK if LOCKED.search(output.written[2]) else self._look()
            raise self._failed(f"ended with status {status}", hint)
        self._value = self._line(bytes(output.written[1]))
        self._until = time.monotonic() + KEPT
        return self._value

    def _line(self, output: bytes) -> str:
        try:
            line = output.decode().strip("\r\n").partition("\n")[0].rstrip("\r")
        except UnicodeDecodeError:
            line = ""
        if not line:
            raise self._failed("gave no text", self._look())
        return line

    def _look(self) -> str:
        return f"Run {self._command[0]!r} as the user who runs strap to see why."

    def _failed(self, what: str, hint: str) -> ActionError:
        text = f"The command of the secret {self._name!r} {what}."
        return ActionError(text, hint=hint, code="secret_unavailable", retryable=hint == UNLOCK)


class _Output(asyncio.SubprocessProtocol):
    """Output of a command, up to the limit."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.written = {1: bytearray(), 2: bytearray()}
        """The bytes by descriptors: output and errors."""
        self.ended: asyncio.Future[bool] = loop.create_future()
        """Whether all was read, once the command has ended or wrote too much."""
        self.exited = asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep what is within the limit."""
        self.written[fd] += data[: MOST_BYTES - len(self.written[fd]) + 1]
        if len(self.written[fd]) > MOST_BYTES:
            self._end(is_whole=False)

    def process_exited(self) -> None:
        """Take note that the command has ended; others may still write for it."""
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note that the command has ended, and that all is read."""
        self._end(is_whole=True)

    def _end(self, *, is_whole: bool) -> None:
        if not self.ended.done():
            self.ended.set_result(is_whole)


def _end(transport: asyncio.SubprocessTransport) -> None:
    """End a command and what it started."""
    with suppress(OSError):
        if os.name != "nt":
            os.killpg(transport.get_pid(), signal.SIGKILL)
    transport.close()
