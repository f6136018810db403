"""Calls answered before the SDK is loaded, exactly as it would answer them.

The types of the SDK take longer to import than everything else together, and 20 MB. A first call
should not wait for them; what is no plain call makes the SDK load and take over for good. With a
client that thinks for half a second first, so that the SDK were there in time, the SDK would still
answer the first call 1.4 times as late and the next ones 1.2 times, and hold 1.4 times the memory.
"""

import asyncio
import json
import logging
from contextlib import suppress
from typing import Any

from strap.api.calls import Caller, Progress
from strap.mcp.messages import plain_calls, requests
from strap.mcp.messages.plain_calls import correlated
from strap.mcp.shutdown import leave_in_time
from strap.mcp.stdio.handshake import Handshake, Sink
from strap.mcp.stdio.writer import Writer
from strap.mcp.tool import NAME, CallResult, WebTool
from strap.version import __version__

log = logging.getLogger(__name__)
MAX_EARLY = 256
"""Calls that run or wait for the client to read; beyond it the SDK takes over."""

_OPENER = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": "strap/opener",
        "method": "server/discover",
        "params": {
            "_meta": {
                requests.PROTOCOL: requests.MODERN,
                requests.CAPABILITIES: {},
            }
        },
    }
).encode()
"""Tells the SDK that the connection does without a handshake, if it has not seen its opening."""
_SERVED_BY = {"io.modelcontextprotocol/serverInfo": {"name": NAME, "version": __version__}}


class FastCalls:
    """Takes the lines that a `Front` does not answer, and runs plain calls.

    Everything else is kept for the SDK, to be handed over by `take_over`. Close it in the end.
    """

    def __init__(self, front: Handshake, tool: WebTool, writer: Writer) -> None:
        self.ended = False
        """Whether the client is gone."""
        self._front = front
        self._tool = tool
        self._writer = writer
        self._running: dict[int | str, asyncio.Task[None]] = {}
        self._buffered: list[tuple[bytes, bool]] = []
        self._needed = False
        self._changed = asyncio.Event()
        self._successor: Sink | None = None
        front.attach(self._sink(asyncio.get_running_loop()))

    async def until_needed(self) -> None:
        """Wait until the SDK is needed or the client is gone."""
        await self._changed.wait()

    def take_over(self, successor: Sink) -> None:
        """Hand what was kept, and everything that comes, to the SDK; running calls go on here."""
        self._front.retire()
        self._successor = successor
        if self._front.era == "modern":
            self._front.answered.add("strap/opener")
            self._front.room.enter(_OPENER, wait=False)
            successor(_OPENER, False)
        for line, apart in self._buffered:
            successor(line, apart)
        self._buffered.clear()
        if self.ended:
            successor(None, False)

    async def finish(self) -> None:
        """Wait for the calls that still run."""
        if self._running:
            await asyncio.wait(self._running.values())

    async def aclose(self) -> None:
        """End the calls that still run."""
        for call in self._running.values():
            call.cancel()
        await self.finish()

    def _sink(self, loop: asyncio.AbstractEventLoop) -> Sink:
        def sink(line: bytes | None, apart: bool) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens any more
                loop.call_soon_threadsafe(self._take, line, apart)

        return sink

    def end(self) -> None:
        """The client is gone: leave soon, whatever still runs."""
        if self.ended:
            return
        self.ended = True
        leave_in_time()
        self._changed.set()
        if self._successor is not None:
            self._successor(None, False)

    def _take(self, line: bytes | None, apart: bool) -> None:
        if line is None:
            self.end()
            return
        try:
            served = not apart and self._serve(line)
        except Exception:  # one line must not end the connection
            log.exception("Unexpected error in a line of the client")
            served = False
        if not served:
            self._pass_on(line, apart)

    def _serve(self, line: bytes) -> bool:
        if self._successor is not None and not self._running:
            return False
        cancelled = plain_calls.parse_cancelled(line)
        running = None if cancelled is None else self._running.get(correlated(cancelled))
        if running is not None:
            running.cancel()
        elif self._needed or not self._begin(line):
            return False
        self._front.room.leave(line)
        return True

    def _begin(self, line: bytes) -> bool:
        call = plain_calls.parse_call(line, self._front.era, self._front.version)
        if call is None or call.name != self._tool.name:
            return False
        if self._tool.asks_caller(call.arguments):
            return False
        number = correlated(call.id)
        if number in self._running or len(self._running) >= MAX_EARLY:
            return False
        self._running[number] = asyncio.create_task(self._answer(call), name="early call")
        self._running[number].add_done_callback(lambda _: self._running.pop(number, None))
        return True

    def _pass_on(self, line: bytes, apart: bool) -> None:
        if self._successor is not None:
            self._successor(line, apart)
            return
        self._buffered.append((line, apart))
        if apart or not plain_calls.is_deferrable(line, self._front.answered):
            self._needed = True
            self._changed.set()

    async def _answer(self, call: plain_calls.ToolCall) -> None:
        try:
            caller = Caller(transport="stdio")
            result = await self._tool.call(call.arguments, caller, self._progress(call))
            await self._send({"id": call.id, "result": _in_era(result, self._front.era)})
        except Exception:  # one call must not end the connection
            log.exception("Unexpected error in a call of the client")

    def _progress(self, call: plain_calls.ToolCall) -> Progress | None:
        if call.progress_token is None:
            return None

        async def report(message: str, done: float, total: float | None) -> None:
            params = {"progressToken": call.progress_token, "progress": done, "message": message}
            params |= {} if total is None else {"total": total}
            await self._send({"method": "notifications/progress", "params": params})

        return report

    async def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"
        try:
            await self._writer.write(line)
        except OSError:
            self.end()


def _in_era(result: CallResult, era: str | None) -> CallResult:
    """Add what the protocol of 2026-07-28 wants in every result."""
    if era != "modern":
        return result
    meta = {**result.get("_meta", {}), **_SERVED_BY}
    return {**result, "_meta": meta, "resultType": "complete"}
