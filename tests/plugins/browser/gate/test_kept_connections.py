"""Connections to private servers that serve one request after another, over real sockets."""

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest

from strap import Guard
from strap_browser.proxy.guard_proxy import GuardProxy

from .test_proxy import LIMIT, connection, granted

pytestmark = pytest.mark.anyio
OK = b"HTTP/1.1 200 OK\r\n"
SIX = OK + b"Content-Length: 6\r\n\r\nsecret"


class Server:
    """Answers the requests of a connection with the same bytes; notes what it was sent."""

    def __init__(self, answer, *, closes=False):
        self.answer, self.closes = answer, closes
        self.received, self.connections, self.ended = b"", 0, asyncio.Event()

    async def serve(self, reader, writer):
        self.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.received += head
                if b"Content-Length" in head:
                    self.received += await reader.readexactly(5)
                for part in self.answer if isinstance(self.answer, list) else [self.answer]:
                    writer.write(part)
                    await writer.drain()
                    await asyncio.sleep(0.02)
                if self.closes:
                    break
        writer.close()
        self.ended.set()


@asynccontextmanager
async def serving(answer, **how):
    """A server, and a connection of the browser to it."""
    server = Server(answer, **how)
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    proxy = GuardProxy(Guard("local"))
    await proxy.start()
    try:
        await proxy.gate.address(await Guard("local").check(f"http://127.0.0.1:{port}/"))
        async with connection(proxy) as browser:
            assert await granted(*browser, "127.0.0.1", port)
            yield server, *browser
    finally:
        await proxy.aclose()
        listener.close()
        await asyncio.wait_for(server.ended.wait(), LIMIT)


def asked(method="GET", body=b"", *more):
    lines = [f"{method} / HTTP/1.1", "Host: x", "Sec-Fetch-Site: none", *more]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


FRAMED = [
    SIX,
    [SIX[:3], SIX[3:-2], SIX[-2:]],
    OK + b"Transfer-Encoding: chunked\r\n\r\n6;a=b\r\nsecret\r\n0\r\n\r\n",
    OK + b"transfer-encoding: gzip, chunked\r\n\r\n2\r\nse\r\n4\nrets\n0\r\nTrailer: 1\r\n\r\n",
    OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n.\r\n0\r\n\r\n",
    OK + b"Content-Length: 2\r\ncontent-length: 2\r\n\r\nok",
    b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
    b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + SIX,
]


@pytest.mark.parametrize("answer", FRAMED)
async def test_what_has_an_end_is_passed_on_as_it_is_and_another_request_follows(answer):
    whole = b"".join(answer) if isinstance(answer, list) else answer
    async with serving(answer) as (server, reader, writer):
        for _ in range(3):
            writer.write(asked())
            assert await reader.readexactly(len(whole)) == whole
    assert server.received == asked() * 3
    assert server.connections == 1


async def test_an_answer_to_head_has_no_body():
    async with serving(OK + b"Content-Length: 6\r\n\r\n") as (server, reader, writer):
        for _ in range(2):
            writer.write(asked("HEAD"))
            await reader.readuntil(b"\r\n\r\n")
    assert server.connections == 1


async def test_bodies_of_requests_are_passed_on():
    async with serving(SIX) as (server, reader, writer):
        for _ in range(3):
            writer.write(asked("POST", b"a b=c"))
            assert await reader.readexactly(len(SIX)) == SIX
    assert server.received == asked("POST", b"a b=c") * 3


UNFRAMED = [
    OK + b"\r\nsecret",
    OK + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nsecret",
    OK + b"Transfer-Encoding: gzip\r\n\r\nsecret",
    OK + b"Transfer-Encoding: chunked\r\n\r\nx\r\nsecret",
    OK + b"Transfer-Encoding: chunked\r\n\r\n6\r\nsec",
    OK + b"Content-Length: 100\r\n\r\nsecret",
    OK + b"Content-Length: many\r\n\r\nsecret",
    b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nsecret",
    OK + b"Content-Length: 6\r\nConnection: close\r\n\r\nsecret",
    b"ICY 200 OK\r\n\r\nsecret",
    b"<p>secret",
    b"",
]


@pytest.mark.parametrize("answer", UNFRAMED)
async def test_what_has_no_end_of_its_own_ends_with_the_connection(answer):
    async with serving(answer, closes=True) as (server, reader, writer):
        writer.write(asked())
        assert await asyncio.wait_for(reader.read(), LIMIT) == answer
    assert server.connections == 1


async def test_more_than_was_asked_for_ends_the_connection():
    async with serving(SIX + b"more") as (_, reader, writer):
        writer.write(asked())
        assert await asyncio.wait_for(reader.read(), LIMIT) == SIX


async def test_a_server_that_hangs_up_after_an_answer_is_told_to_the_browser():
    async with serving(SIX, closes=True) as (_, reader, writer):
        writer.write(asked())
        assert await asyncio.wait_for(reader.read(), LIMIT) == SIX


async def test_a_browser_that_hangs_up_ends_an_answer_without_end():
    endless = OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\n.\r\n"
    async with serving(endless) as (server, reader, writer):
        writer.write(asked())
        await reader.readuntil(b".\r\n")
        assert not server.ended.is_set()
        writer.close()
        await asyncio.wait_for(server.ended.wait(), LIMIT)


async def test_an_idle_connection_ends_with_the_proxy():
    async with serving(SIX) as (server, reader, writer):
        writer.write(asked())
        await reader.readexactly(len(SIX))
        assert not server.ended.is_set()
    assert server.ended.is_set()


async def test_another_protocol_may_follow_a_request():
    answer = [b"HTTP/1.1 101 Switching Protocols\r\n\r\n", b"\x81\x02hi"]
    async with serving(answer) as (server, reader, writer):
        writer.write(asked("GET", b"", "Connection: Upgrade", "Upgrade: websocket"))
        assert await reader.readexactly(len(b"".join(answer))) == b"".join(answer)
        writer.write(b"frame\r\n\r\n")
        assert await reader.readexactly(len(b"".join(answer)))
    assert server.received.endswith(b"frame\r\n\r\n")
