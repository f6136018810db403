"""Connections that notice bytes behind the end of an answer.

A server that sends more than its Content-Length says would have the rest taken for its answer to
the next request on that connection.
"""

import re
import select
import ssl
from typing import Any

import httpcore2

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_INTERIM = b"HTTP/1.1 1"
_HTTP = b"HTTP/"
"""How the head of an answer begins: what ends before its head is one that broke off, or none."""


class CountedStream(httpcore2.AsyncNetworkStream):
    """Passes everything on; `received` are the bytes behind the head of the last answer."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._socket = stream.get_extra_info("socket")
        self._head: bytearray | None = bytearray()
        self.received = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read, and count what is behind the head."""
        data = await self._stream.read(max_bytes, timeout)
        if not data and self._head and not self._head.startswith(_HTTP):
            raise httpcore2.RemoteProtocolError("what came is not HTTP")
        if self._head is None:
            self.received += len(data)
        else:
            self._find_end(self._head + data)
        return data

    def _find_end(self, head: bytearray) -> None:
        while (end := _END_OF_HEAD.search(head)) is not None:
            if not head.startswith(_INTERIM):
                self._head, self.received = None, len(head) - end.end()
                return
            del head[: end.end()]
        self._head = head

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write; after an answer that is the beginning of the next request."""
        if self._head is None:
            self._head, self.received = bytearray(), 0
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Return the same connection inside TLS."""
        return CountedStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """Return a fact about the connection, by name.

        Whether it is readable, a pool asks all its idle connections before every request; the way
        through the layers below takes longer than the rest of a small request.
        """
        if info == "is_readable" and self._socket is not None:
            return _is_readable(self._socket.fileno())
        return self._stream.get_extra_info(info)


def _is_readable(descriptor: int) -> bool:
    """Whether there is something to read, the end included; true for a closed socket."""
    if descriptor < 0:
        return True
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
