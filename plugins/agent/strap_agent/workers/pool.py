"""Worker processes: each carries out one run, forked from one that has everything loaded."""

import asyncio
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from strap import ActionError, OwnEnvironment
from strap_agent.workers.variables import variables
from strap_agent.workers.workspace import WorkFolder
from strap_browser.api import beside, write_fairly

log = logging.getLogger(__name__)
Message = dict[str, Any]
START_LIMIT = 60.0
"""Seconds to import browser-use and the model's library: many from a cold disk under load."""
IDLE_LIFE = 300.0
"""Seconds that a spare worker is kept for the next run; then its memory is free again."""
END_LIMIT = 5.0
"""Seconds that a worker gets to be gone after its processes were killed."""
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a message of the worker; pictures come as base64."""


class WorkerGone(ActionError):
    """The worker process ended by itself."""

    code = "worker"


class Worker:
    """One worker process, with a folder of its own."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, folder: WorkFolder
    ) -> None:
        self.folder = folder
        self.pid: int | None = None
        """Known when it is ready."""
        self._reader = reader
        self._writer = writer

    async def ready(self) -> None:
        """Return when everything is loaded; raises `WorkerGone`."""
        try:
            async with asyncio.timeout(START_LIMIT):
                message = await self._receive()
        except TimeoutError:
            message = None
        if message is None:
            raise WorkerGone("The agent's process did not start.")
        self.pid = message["pid"]

    async def send(self, op: str, **fields: Any) -> None:
        """Send a message, which a worker that loads gets later.

        That the worker ended is found out by who reads.
        """
        message = {"op": op, **fields}
        is_long = fields.get("storage_state") is not None
        line = await beside(lambda: write_fairly(message), large=is_long)
        self._writer.write(line + b"\n")

    def post(self, op: str, **fields: Any) -> None:
        """Send a short message without waiting."""
        self._writer.write(json.dumps({"op": op, **fields}).encode() + b"\n")

    def note(self, text: str) -> None:
        """Let the agent's model be told of something, beside what it sees."""
        self.post("note", text=text)

    async def messages(self) -> AsyncIterator[Message]:
        """Yield what the worker says until it ends."""
        while (message := await self._receive()) is not None:
            yield message

    async def _receive(self) -> Message | None:
        try:
            line = await self._reader.readline()
        except ConnectionError:
            return None
        if not line.endswith(b"\n"):
            return None
        message: Message = json.loads(line)
        return message

    async def end(self) -> list[Message]:
        """Kill the process and all that it started, and remove its folder.

        Returns what it had said last, once.
        """
        last = b""
        if self.pid is not None and not self._reader.at_eof():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        with suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(END_LIMIT):
                if self.pid is not None:
                    last = await self._reader.read()  # the end comes when the process is gone
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()
        self.folder.remove()
        return [json.loads(line) for line in last.splitlines(keepends=True) if line[-1:] == b"\n"]


class ForkServer:
    """The process that forks workers; it has `modules` loaded."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        control: socket.socket,
        modules: frozenset[str],
        holding: ExitStack,
    ) -> None:
        """`holding` is closed when it has ended."""
        self.modules = modules
        self._process = process
        self._control = control
        self._holding = holding

    @classmethod
    async def start(
        cls, folder: WorkFolder, modules: frozenset[str], own: OwnEnvironment | None = None
    ) -> "ForkServer":
        """Start it; it takes orders at once and carries them out when everything is loaded.

        It runs in the agent's `own` environment if there is one, which stays meanwhile.
        """
        holding = ExitStack()
        if own is not None:
            holding.enter_context(own.held())
        try:
            process, control = await cls._spawn(folder, modules, own)
        except BaseException:
            holding.close()
            raise
        return cls(process, control, modules, holding)

    @staticmethod
    async def _spawn(
        folder: WorkFolder, modules: frozenset[str], own: OwnEnvironment | None
    ) -> tuple[asyncio.subprocess.Process, socket.socket]:
        ours, theirs = socket.socketpair()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable if own is None else own.python,
                *("-P", "-m", "strap_agent.worker", str(theirs.fileno()), *sorted(modules)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=None if log.isEnabledFor(logging.DEBUG) else asyncio.subprocess.DEVNULL,
                cwd=folder.path,
                env=variables(folder.path, apart=own is not None),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return process, ours

    @property
    def alive(self) -> bool:
        """Whether the process runs, as far as is known."""
        return self._process.returncode is None

    async def fork(self, folder: WorkFolder) -> Worker:
        """Return a worker in `folder`; call its `ready`."""
        ours, theirs = socket.socketpair()
        try:
            request = json.dumps({"folder": str(folder.path)}).encode()
            with suppress(OSError):  # a fork server that died leaves a worker that never gets ready
                socket.send_fds(self._control, [request], [theirs.fileno()])
        finally:
            theirs.close()
        reader, writer = await asyncio.open_connection(sock=ours, limit=LONGEST_LINE)
        return Worker(reader, writer, folder)

    async def end(self) -> None:
        """End the process."""
        self._control.close()
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        self._holding.close()


class Workers:
    """Gives out workers; what they are forked from stays for five idle minutes after a run.

    With `stays` it stays to the end. `own` returns the agent's own environment, if it has one.
    """

    def __init__(
        self,
        root: Path,
        *,
        stays: bool = False,
        own: Callable[[], OwnEnvironment | None] = lambda: None,
    ) -> None:
        self._root = root
        self._own = own
        self._stays = stays
        self._folder: WorkFolder | None = None
        self._fork_server: ForkServer | None = None
        self._lock = asyncio.Lock()
        self._expiry: asyncio.Task[None] | None = None

    async def take(self, modules: Sequence[str]) -> Worker:
        """Return a worker that has `modules` loaded once it is ready.

        Raises `ActionError` (code "environment") where the agent's own environment is unfit.
        """
        self._stop_clock()
        async with self._lock:
            fork_server = self._fork_server
            if (
                fork_server is None
                or not fork_server.alive
                or not fork_server.modules >= set(modules)
            ):
                own = self._own()
                await self._end()
                self._folder = WorkFolder(self._root)
                fork_server = await ForkServer.start(self._folder, frozenset(modules), own)
                self._fork_server = fork_server
            folder = WorkFolder(self._root)
            try:
                return await fork_server.fork(folder)
            except BaseException:
                folder.remove()
                raise

    def rest(self) -> None:
        """Nobody needs a worker for now: begin to count the idle minutes."""
        self._stop_clock()
        if self._stays:
            return
        self._expiry = asyncio.create_task(self._expire(), name="end idle workers")

    async def aclose(self) -> None:
        """End the process that workers are forked from."""
        self._stop_clock()
        async with self._lock:
            await self._end()

    async def _end(self) -> None:
        fork_server, self._fork_server = self._fork_server, None
        folder, self._folder = self._folder, None
        if fork_server is not None:
            await fork_server.end()
        if folder is not None:
            folder.remove()

    async def _expire(self) -> None:
        await asyncio.sleep(IDLE_LIFE)
        self._expiry = None
        await self.aclose()

    def _stop_clock(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
