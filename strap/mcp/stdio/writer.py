"""Writing to the client at its own pace, without blocking the event loop."""

import asyncio
import queue
import threading

from strap.mcp.stdio.wire import Wire


class Writer:
    """Writes to the wire without blocking the loop, at the client's pace.

    The thread for what may block is a daemon of its own: a client that does not read must not
    keep the process from ending, as a worker of a pool would.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._jobs: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._lock = asyncio.Lock()
        self._thread: threading.Thread | None = None

    async def write(self, data: bytes) -> None:
        """Write all of `data`; raises `OSError` if the client is gone."""
        async with self._lock:
            if not self._wire.write_now(data):
                await self._hand_over(data)

    async def _hand_over(self, data: bytes) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="mcp stdout", daemon=True)
            self._thread.start()
        done = asyncio.get_running_loop().create_future()
        self._jobs.put((data, done))
        await done

    def _run(self) -> None:
        while True:
            data, done = self._jobs.get()
            error: OSError | None = None
            try:
                self._wire.write(data)
            except OSError as problem:
                error = problem
            try:
                done.get_loop().call_soon_threadsafe(_settle, done, error)
            except RuntimeError:
                return


def _settle(done: asyncio.Future[None], error: OSError | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
