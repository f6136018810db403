"""The requests of pages, written to a HAR as they end."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from strap.evidence.har import MOST_BODY, HarFile, Masking
from strap_browser.cdp.errors import CdpError
from strap_browser.common.tasks import Tasks
from strap_browser.engine.traffic.requests import Request
from strap_browser.engine.traffic.web_sockets import Message
from strap_browser.recorders.har_entry import Exchange, entry_of

PAUSE = 0.1
"""Seconds in which entries are gathered: header fields may be told after the end of a request."""
BODY_LIMIT = 2.0
"""Seconds for a body; the browser tells one in milliseconds."""
HELD = 64_000_000
"""Bytes of bodies that wait to be written; further ones are left out."""
ASKED = 200
"""Bodies that are asked for at a time."""
MESSAGES = 10_000
"""Messages kept of a WebSocket, the first ones."""
BODILESS = (204, 205, 301, 302, 303, 304, 307, 308)
WEB = ("http:", "https:", "ws:", "wss:")


class HarRecorder:
    """Writes what it is told of; `failed` is called with the reason where the disk refuses."""

    what = "har"

    def __init__(self, path: Path, masking: Masking, failed: Callable[[str], None]) -> None:
        """Blocks; raises `OSError`."""
        self.path = path
        self._har, self._masking, self._failed = HarFile(path), masking, failed
        self._running: dict[Request, tuple[str, list[Message]]] = {}
        self._ready: list[Exchange] = []
        self._held = 0
        self._bodies, self._writing = Tasks(), asyncio.Lock()
        self._flush: asyncio.TimerHandle | None = None
        self._flushes = Tasks()

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._har.file.size

    @property
    def summary(self) -> str:
        """Number of requests in the file, in words."""
        return f"{self._har.file.count:,} requests"

    def take(self, event: str, payload: Request | Message, page: str) -> None:
        """Take an event of a page."""
        if isinstance(payload, Message):
            known = self._running.get(payload.request)
            if known and len(known[1]) < MESSAGES and payload.size <= MOST_BODY:
                known[1].append(payload)
        elif event == "request" and payload.url.startswith(WEB):
            self._running[payload] = page, []
        elif event in ("requestfinished", "requestfailed") and payload in self._running:
            page, messages = self._running.pop(payload)
            self._bodies(self._end(payload, page, messages))

    async def stop(self) -> None:
        """Write what is left; requests that go on are written as they are."""
        await self._bodies.settle()
        for request, (page, messages) in self._running.items():
            why = "not answered when the recording ended"
            self._add(Exchange(request=request, page=page, why=why, messages=messages))
        self._running.clear()
        if self._flush is not None:
            self._flush.cancel()
        await self._write()
        await asyncio.to_thread(self._har.file.close)

    async def _end(self, request: Request, page: str, messages: list[Message]) -> None:
        response, received, why = request.response, None, ""
        is_socket = request.resource_type == "WebSocket"
        has_body = request.method != "HEAD" and request.status not in BODILESS
        if response is None or is_socket or request.failure:
            why = request.failure or "no body"
        elif not has_body:
            received = b""
        elif request.transferred > MOST_BODY:
            why = f"left out: {request.transferred:,} bytes on the wire"
        elif len(self._bodies) > ASKED or self._held > HELD:
            why = "left out: too many at a time"
        else:
            received, why = await _body(response.body)
        sent, _ = (b"", "") if is_socket else await _body(request.body)
        self._held += len(received or b"")
        self._add(
            Exchange(
                request=request,
                page=page,
                sent=sent,
                received=received,
                why=why,
                messages=messages,
            )
        )

    def _add(self, exchange: Exchange) -> None:
        self._ready.append(exchange)
        if self._flush is None:
            loop = asyncio.get_running_loop()
            self._flush = loop.call_later(PAUSE, lambda: self._flushes(self._write()))

    async def _write(self) -> None:
        async with self._writing:
            self._flush, ready, self._ready = None, self._ready, []
            self._held = 0
            try:
                await asyncio.to_thread(self._append, ready)
            except OSError as error:
                self._failed(error.strerror or "it cannot be written")

    def _append(self, ready: list[Exchange]) -> None:
        titles = {
            request.page: self._masking.text(request.request.url)
            for request in reversed(ready)
            if request.request.is_navigation
        }
        entries = [entry_of(exchange, self._masking) for exchange in ready]
        if entries:
            pages = {exchange.page: titles.get(exchange.page, exchange.page) for exchange in ready}
            self._har.append(entries, pages)


async def _body(get: Callable[[], Awaitable[bytes]]) -> tuple[bytes | None, str]:
    try:
        async with asyncio.timeout(BODY_LIMIT):
            return await get(), ""
    except (CdpError, TimeoutError):
        return None, "not kept by the browser"
