"""HTTP/1.1 between the browser and a server: what passes, a message after the other."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

CHUNK = 1 << 16
"""Bytes passed on at a time, which a slow reader has to take before there are more."""
MAX_HEAD = 1 << 18
"""Bytes of the head of a message; Chromium itself takes no more."""
_END = b"\r\n\r\n"

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

    def every(self, name: str) -> Sequence[str]:
        """The values of all fields of that name."""
        fields = (line.decode("latin-1").partition(":") for line in self._lines[1:])
        return [value.strip() for field, _, value in fields if field.strip().lower() == name]

    @property
    def method(self) -> bytes:
        """The method of a request."""
        return self._lines[0].partition(b" ")[0]

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

    @property
    def persists(self) -> bool:
        """Whether the connection may serve another request after it (RFC 9112, 9.3)."""
        is_last = "close" in self.headers.get("connection", "").lower()
        return self._lines[0].startswith(b"HTTP/1.1") and not is_last

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


async def relay_http(
    browser: Stream,
    server: Stream,
    request: HttpHead,
    *,
    vet: Callable[[HttpHead], Awaitable[HttpHead]],
    answered: Callable[[HttpHead, HttpHead], None],
) -> None:
    """Pass on `request` and those that follow it, with their responses, while both sides stay.

    `vet` returns a further request as the server is to have it, or raises; `answered` is called
    with a request and the head of its response.
    """
    while not request.upgrades:
        server[1].write(bytes(request))
        following = asyncio.ensure_future(_following(browser[0], server[1], request))
        answer = asyncio.ensure_future(_answer(server[0], browser[1], request, answered))
        running: list[asyncio.Future[Any]] = [following, answer]
        try:
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                following.result()  # raises where the browser has gone
            if not await answer:
                return
            unasked = asyncio.ensure_future(server[0].read(1))
            running.append(unasked)
            await asyncio.wait((following, unasked), return_when=asyncio.FIRST_COMPLETED)
            if unasked.done():
                return
            request = following.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        request = await vet(request)
    server[1].write(bytes(request))
    await relay(browser, server)


async def _following(reader: StreamReader, writer: StreamWriter, request: HttpHead) -> HttpHead:
    """Pass on the body of a request, and return the head of the next one."""
    await _pass_body(reader, writer, request)
    return await read_head(reader)


async def _answer(
    reader: StreamReader,
    writer: StreamWriter,
    request: HttpHead,
    answered: Callable[[HttpHead, HttpHead], None],
) -> bool:
    """Pass on a response; return whether the connection may serve another request."""
    try:
        while (head := await read_head(reader)).interim:
            writer.write(bytes(head))
            await writer.drain()
        answered(request, head)
        writer.write(bytes(head))
        if request.method == b"HEAD" or head.status in (204, 304):
            return head.persists
        return await _pass_body(reader, writer, head, is_response=True) and head.persists
    except asyncio.IncompleteReadError as cut:
        writer.write(cut.partial)
    except asyncio.LimitOverrunError:
        pass
    except ValueError:
        await _pump(reader, writer)  # no HTTP: the browser judges
    return False


async def _pass_body(
    reader: StreamReader, writer: StreamWriter, head: HttpHead, *, is_response: bool = False
) -> bool:
    """Pass on the body of a message; return whether it had an end of its own (RFC 9112, 6.3).

    Raises `ValueError` for what is not in chunks as it says, and `asyncio.IncompleteReadError`.
    """
    lengths = set(head.every("content-length"))
    if codings := head.every("transfer-encoding"):
        if codings[-1].lower().endswith("chunked"):
            await _pass_chunks(reader, writer)
            return True
    elif len(lengths) == 1:
        await _pass(reader, writer, int(lengths.pop()))
        return True
    elif not is_response:
        return True
    await _pump(reader, writer)
    return False


async def _pass_chunks(reader: StreamReader, writer: StreamWriter) -> None:
    """Pass on chunks and the trailers after them (RFC 9112, 7.1)."""
    size = 1
    while size:
        line = await reader.readuntil(b"\n")
        writer.write(line)
        size = int(line.partition(b";")[0], 16)
        await _pass(reader, writer, size)
        if size:
            writer.write(await reader.readuntil(b"\n"))
    while line.strip():
        line = await reader.readuntil(b"\n")
        writer.write(line)


async def _pass(reader: StreamReader, writer: StreamWriter, size: int) -> None:
    """Pass on so many bytes; raises `asyncio.IncompleteReadError`."""
    while size > 0:
        data = await reader.read(min(size, CHUNK))
        if not data:
            raise asyncio.IncompleteReadError(b"", size)
        writer.write(data)
        await writer.drain()
        size -= len(data)


async def _pump(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
