"""Workers: processes that do jobs, kept warm, killed when they take too long."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from strap.records import record
from strap.workers import frames

MOST = 2
"""Workers at the same time."""
IDLE = 300.0
"""Seconds after which a worker without work is ended."""
STREAMS_LIMIT = 2.0
"""Seconds in which the streams of a killed worker close, unless another process holds them."""
MOST_READ = 1 << 20
"""Bytes of a result that nobody wants which are read at a time."""
SLOWEST = 8.0
"""How many times longer than its computing a job may take on a busy machine: of one that waits in
place of computing, a call of 30 seconds has room to say so."""


@record
class Job:
    """Job of a worker: call `function` with `payload`, and `arguments` by name.

    `function` is the `package.module:name` of a function that returns a dataclass with a `text`;
    its other fields, like the arguments, are values of JSON. `seconds` is how much computing it
    may take.
    """

    function: str
    payload: bytes
    arguments: dict[str, Any] = field(default_factory=dict)
    seconds: float


@record
class JobResult:
    """Result of a job: `text`, and more about it in `facts`."""

    text: str
    facts: dict[str, Any]


class JobFault(Exception):
    """The function of a job raised an error of its own; the text is its traceback."""


class Worker:
    """One process; it takes one job at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._reading = asyncio.Lock()
        self._ending: asyncio.TimerHandle | None = None

    @classmethod
    async def start(cls, libraries: Sequence[str] = ()) -> "Worker":
        """Start a process; it imports `libraries` on its own time."""
        return cls(
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "strap.workers.process", str(os.getpid())),
                *libraries,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # what a job starts ends with it
            )
        )

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def lives(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.returncode is None

    async def do(self, job: Job) -> JobResult | None:
        """Do a job; None if the process ended over it or would not end."""
        head = {"function": job.function, "arguments": job.arguments, "seconds": job.seconds}
        try:
            async with asyncio.timeout(job.seconds * SLOWEST):
                return await self._exchange(frames.pack(head, job.payload))
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            return None

    async def _exchange(self, pieces: tuple[bytes, bytes]) -> JobResult:
        jobs, results = self._process.stdin, self._process.stdout
        assert jobs is not None
        assert results is not None
        async with self._reading:
            jobs.writelines(pieces)
            await jobs.drain()
            first, second = frames.LENGTHS.unpack(await results.readexactly(frames.LENGTHS.size))
            facts = json.loads(await results.readexactly(first))
            return JobResult(text=(await results.readexactly(second)).decode(), facts=facts)

    def rest(self, ending: asyncio.TimerHandle | None) -> None:
        """Take note of what will end it if it stays idle; None when it gets to work."""
        if self._ending is not None:
            self._ending.cancel()
        self._ending = ending

    def kill(self) -> None:
        """End the process at once, and those that it started."""
        self.rest(None)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if not hasattr(os, "killpg"):
                self._process.kill()
            elif self.lives or not _exists(self.pid):
                os.killpg(self.pid, signal.SIGKILL)

    async def ended(self) -> None:
        """Wait until the process is gone, and its streams are closed.

        Not for one that it started, which has its streams. What is full is not closed until it is
        read: so the rest of a result is, which nobody wants any more.
        """
        jobs, results = self._process.stdin, self._process.stdout
        assert jobs is not None
        assert results is not None
        jobs.close()
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(STREAMS_LIMIT), self._reading:
                while await results.read(MOST_READ):
                    pass
                await self._process.wait()
                await jobs.wait_closed()


def _exists(pid: int) -> bool:
    """Whether a process has this id: after the end of a worker that is a stranger.

    No process is given an id that a group still has: where none has it, the group is the worker's.
    """
    try:
        os.getpgid(pid)
    except ProcessLookupError:
        return False
    return True


class Workers:
    """At most `most` workers; each is kept for the next job until it has been idle for a while.

    They import `libraries` before there is work.
    """

    def __init__(self, most: int = MOST, *, libraries: Sequence[str] = ()) -> None:
        self._libraries = libraries
        self._slots = asyncio.Semaphore(most)
        self._free: list[Worker] = []
        self._busy: set[Worker] = set()
        self._endings: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()
        self._closed = False

    async def warm(self) -> None:
        """Make sure that there is a worker, without waiting for it to be ready."""
        async with self._starting:
            if not self._free and not self._busy and not self._closed:
                self._keep(await Worker.start(self._libraries))

    async def do(self, job: Job) -> JobResult | None:
        """Have a job done; None if it took too much time or memory, or broke the worker.

        The worker of a cancelled call is killed. Raises `JobFault`.
        """
        async with self._slots:
            if self._closed:
                return None
            worker = await self._take()
            answer = None
            try:
                answer = await worker.do(job)
            finally:
                self._busy.remove(worker)
                if answer is None or answer.facts["grown"] or self._closed:
                    worker.kill()
                    await asyncio.shield(worker.ended())
                else:
                    self._keep(worker)
        if answer is not None and answer.facts["fault"]:
            raise JobFault(answer.facts["fault"])
        return answer

    async def aclose(self) -> None:
        """End all workers, those at work as well."""
        self._closed = True
        workers = [*self._free, *self._busy]
        self._free.clear()
        for worker in workers:
            self._end(worker)
        await asyncio.gather(*self._endings)

    async def _take(self) -> Worker:
        """The worker that was used last, so that the others may retire; else a new one."""
        async with self._starting:
            worker = self._free.pop() if self._free else await Worker.start(self._libraries)
            worker.rest(None)
            if not worker.lives:
                self._end(worker)  # what it started may live
                worker = await Worker.start(self._libraries)
            self._busy.add(worker)
            return worker

    def _keep(self, worker: Worker) -> None:
        self._free.append(worker)
        loop = asyncio.get_running_loop()
        worker.rest(loop.call_later(IDLE, self._retire, worker))

    def _retire(self, worker: Worker) -> None:
        self._free.remove(worker)
        self._end(worker)

    def _end(self, worker: Worker) -> None:
        worker.kill()
        ending = asyncio.get_running_loop().create_task(worker.ended())
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)
