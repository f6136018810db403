"""Browsers that others debug: who reaches their DevTools port has all that is in them."""

import asyncio
import posixpath
import re
from time import monotonic
from urllib.parse import unquote

PATHS = ("/json", "/devtools")
"""Paths of a DevTools port; a request for any other path needs no check."""
OWN_REQUEST = "strap-request"
"""The header field of strap's own requests to this machine, which no caller sets or removes."""
LIMIT = 2.0
KEPT = 60.0
"""Seconds for which an answer is remembered."""
MOST = 256
MOST_BYTES = 65_536
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *([0-9]{1,9})\r\n")


class DevTools:
    """Finds out which ports of this machine speak the DevTools protocol."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[float, bool]] = {}

    async def answers(self, addresses: tuple[str, ...], port: int, path: str) -> bool:
        """Whether `path` leads to a DevTools port; only where it may be one somebody is asked."""
        if not _may_lead_there(path):
            return False
        results = [await self._is_one(address, port) for address in addresses]
        return any(results)

    async def _is_one(self, address: str, port: int) -> bool:
        until, known = self._known.get((address, port), (0.0, False))
        if monotonic() < until:
            return known
        known = await _tells_version(address, port)
        self._known.pop((address, port), None)
        self._known[address, port] = monotonic() + KEPT, known
        while len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        return known


def _may_lead_there(path: str) -> bool:
    """Whether a server could take `path` for one of DevTools, however it is written."""
    plain = posixpath.normpath("/" + unquote(path).replace("\\", "/").lstrip("/"))
    return plain.lower().startswith(PATHS)


async def _tells_version(address: str, port: int) -> bool:
    """Ask for what a DevTools port tells of itself, of Chromium as of Node.js."""
    host = f"[{address}]" if ":" in address else address
    lines = ("GET /json/version HTTP/1.1", f"Host: {host}:{port}", f"{OWN_REQUEST}: 1")
    question = "\r\n".join((*lines, "Connection: close", "", ""))
    try:
        async with asyncio.timeout(LIMIT):
            reader, writer = await asyncio.open_connection(address, port)
            try:
                writer.write(question.encode())
                return b'"Protocol-Version"' in await _answer(reader)
            finally:
                writer.close()
    except OSError:  # a `TimeoutError` is one
        return False


async def _answer(reader: asyncio.StreamReader) -> bytes:
    data = b""
    while len(data) < MOST_BYTES and (more := await reader.read(MOST_BYTES)):
        data += more
        head, _, body = data.partition(b"\r\n\r\n")
        length = _LENGTH.search(head + b"\r\n")
        if length and body and len(body) >= int(length[1]):
            break
    return data
