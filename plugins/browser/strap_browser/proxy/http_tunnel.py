"""Bytes between the browser and a server, and the head of a message on its way."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

CHUNK = 1 << 16
"""Bytes passed on at a time, which a slow reader has to take before there are more."""
MAX_HEAD = 1 << 18
"""Bytes of the head of a message; Chromium itself takes no more."""
_END = b"\r\n\r\n"
_HOP_BY_HOP = (b"connection", b"keep-alive", b"proxy-connection")

Stream = tuple[StreamReader, StreamWriter]


class HttpHead:
    """The head of an HTTP/1.1 message."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.removesuffix(_END).split(b"\r\n")

    @property
    def headers(self) -> Mapping[str, str]:
        """The fields, their names in lower case."""
        fields = (line.decode("latin-1").partition(":") for line in self._lines[1:])
        return {name.strip().lower(): value.strip() for name, _, value in fields}

    @property
    def path(self) -> str:
        """Path of the request, without the query; raises `ValueError`."""
        _, _, rest = self._lines[0].decode("latin-1").partition(" ")
        return urlsplit(rest.partition(" ")[0]).path

    @property
    def upgrades(self) -> bool:
        """Whether another protocol is to follow, as with a WebSocket (RFC 9110, 7.8)."""
        return "upgrade" in self.headers.get("connection", "").lower()

    @property
    def status(self) -> int:
        """The status code of a response; raises `ValueError` for what is none."""
        version, _, rest = self._lines[0].partition(b" ")
        if not version.startswith(b"HTTP/"):
            raise ValueError("no HTTP")
        return int(rest[:3])

    @property
    def interim(self) -> bool:
        """Whether this is a response that another one follows (RFC 9110, 15.2)."""
        return self._lines[0].split(b" ")[1:2] in ([b"100"], [b"102"], [b"103"])

    def addressed(self, server: str, fields: Sequence[str]) -> "HttpHead":
        """Return the request with the URL of its server in it, and further fields."""
        method, _, rest = self._lines[0].partition(b" ")
        added = [field.encode("latin-1") for field in fields]
        lines = (method + b" " + server.encode() + rest, *self._lines[1:], *added)
        return HttpHead(b"\r\n".join(lines))

    def closing(self) -> bytes:
        """The head with the word that the connection serves no further request."""
        lines = [line for line in self._lines[1:] if _name(line) not in _HOP_BY_HOP]
        return b"\r\n".join((self._lines[0], *lines, b"Connection: close")) + _END

    def __bytes__(self) -> bytes:
        return b"\r\n".join(self._lines) + _END


async def read_head(reader: StreamReader, begun: bytes = b"") -> HttpHead:
    """Read the rest of a head of which `begun` was read.

    Raises `asyncio.IncompleteReadError` and `asyncio.LimitOverrunError`.
    """
    return HttpHead(begun + await reader.readuntil(_END))


async def relay(browser: Stream, server: Stream) -> None:
    """Pass everything on in both directions until both have ended."""
    await asyncio.gather(_pump(browser[0], server[1]), _pump(server[0], browser[1]))


async def relay_one(
    browser: Stream, server: Stream, request: HttpHead, answered: Callable[[HttpHead], None]
) -> None:
    """Pass on one request, whose body may still come, and its response; nothing after that.

    `answered` is called with the head of the response.
    """
    server[1].write(request.closing())
    await asyncio.gather(_pump(browser[0], server[1]), _answer(server[0], browser[1], answered))


async def _answer(
    reader: StreamReader, writer: StreamWriter, answered: Callable[[HttpHead], None]
) -> None:
    try:
        while (head := await read_head(reader)).interim:
            writer.write(bytes(head))
        answered(head)
        writer.write(head.closing())
    except asyncio.IncompleteReadError as cut:
        writer.write(cut.partial)
    except (asyncio.LimitOverrunError, OSError):
        pass
    else:
        await _pump(reader, writer)
    writer.close()


async def _pump(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


def _name(line: bytes) -> bytes:
    return line.partition(b":")[0].strip().lower()
