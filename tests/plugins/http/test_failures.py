"""Failures on the way: one clear message each, and nothing foreign in it."""

import asyncio
import gzip
import socket
import zlib
from itertools import repeat

import brotli
import pytest

from strap import ActionError, StartupError
from tests.site.certificates import Authority
from tests.site.server import Raw, Reply, drip, serve

pytestmark = pytest.mark.anyio

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
MIB = bytes(1_048_576)


async def failure(web, url, **fields):
    error = await web.fails(resource="http", action="fetch", url=url, **fields)
    assert isinstance(error, ActionError)
    assert not any(word in str(error) for word in ("httpx", "httpcore", "h11", "[SSL", "Errno"))
    return error


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def test_nothing_listens(web):
    url = f"http://localhost:{free_port()}/"
    error = await failure(web, url)
    assert error.code == "connection_refused"
    assert str(error).startswith(f"Nothing listens at '{url[7:-1]}'.")


async def test_a_name_that_does_not_resolve(named_web):
    error = await failure(await named_web("a"), "http://b.test/")
    assert str(error).startswith("The host 'b.test' does not resolve to an address.")
    assert error.code == "dns"


@pytest.mark.parametrize(
    ("certificate", "why"),
    [
        ({"expired": True}, "has expired."),
        ({"self_signed": True}, "is self-signed."),
        ({}, ""),
    ],
)
async def test_bad_certificates(tmp_path, named_web, certificate, why):
    authority = Authority(tmp_path)
    web = await named_web("a", ca_file=str(authority.file))
    with serve({"/": "ok"}, tls=authority.context("a.test", **certificate)) as site:
        url = f"https://a.test:{site.port}/"
        if not why:
            assert (await web(resource="http", action="fetch", url=url)).data["status"] == 200
            return
        error = await failure(web, url)
        assert site.requests == []
    assert str(error).startswith(f"The TLS certificate of 'a.test' {why}")
    assert error.code == "tls"


async def test_an_unknown_authority(tmp_path, web):
    with serve({"/": "ok"}, tls=Authority(tmp_path).context("127.0.0.1")) as site:
        error = await failure(web, f"{site}/")
    assert "was issued by an authority that is not trusted" in str(error)
    assert "ca_file" in error.hint


async def test_https_to_a_server_that_speaks_http(web):
    with serve({"/": "ok"}) as site:
        error = await failure(web, f"https://127.0.0.1:{site.port}/")
    assert error.code == "tls"
    assert f"http://127.0.0.1:{site.port}/" in error.hint


@pytest.mark.parametrize(
    ("raw", "code", "message"),
    [
        (Raw(), "no_answer", "closed the connection before it answered."),
        (Raw(reset=True), "no_answer", "closed the connection before it answered."),
        (Raw(chunks=[b"SSH-2.0-OpenSSH_9.6\r\n\r\n"]), "protocol", "is not valid HTTP."),
        (Raw(chunks=[b"HTTP/1.1 200 OK\r\nX: ", b"y" * 200_000]), "protocol", "not valid HTTP."),
        (
            Raw(chunks=[HEAD, b"Content-Length: 100\r\n\r\n", b"only this"]),
            "closed",
            "closed the connection after 9 bytes of the body.",
        ),
        (
            Raw(chunks=[HEAD, b"Content-Length: 100\r\n\r\nonly"], reset=True),
            "closed",
            "closed the connection",
        ),
        (Raw(chunks=[b"SSH-2.0-OpenSSH_9.6\r\n"]), "protocol", "is not valid HTTP."),
        (Raw(chunks=[b"HTTP/1.1 200 OK\r\nContent-T"]), "no_answer", "before it answered."),
        (
            Raw(chunks=[HEAD, b"Transfer-Encoding: chunked\r\n\r\n", b"zz\r\nhello"]),
            "protocol",
            "is not valid HTTP.",
        ),
        (
            Raw(chunks=[HEAD, b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"]),
            "protocol",
            "is not compressed as its Content-Encoding says.",
        ),
    ],
)
async def test_broken_answers(web, raw, code, message):
    with serve({"/": raw}) as site:
        error = await failure(web, f"{site}/")
    assert message in str(error)
    assert error.code == code


def zeros(count):
    """`count` MiB of zeros in gzip, without ever holding them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join(packer.compress(MIB) for _ in range(count))
    return packed + packer.flush()


BOMBS = {
    "gzip": ("gzip", lambda: zeros(64)),
    "brotli": ("br", lambda: brotli.compress(bytes(64 << 20), quality=1)),
    "twice": ("gzip, gzip", lambda: gzip.compress(zeros(64))),
}


@pytest.mark.parametrize("kind", BOMBS)
async def test_a_bomb_ends_at_the_limit(web, kind):
    encoding, pack = BOMBS[kind]
    with serve({"/": Reply(headers={"Content-Encoding": encoding}, body=pack())}) as site:
        error = await failure(web, f"{site}/")
    assert error.code == "too_large"
    assert "has more than the limit of 10.5 MB" in str(error)


async def test_compression_many_times_over(web):
    with serve({"/": Reply(headers={"Content-Encoding": "gzip, gzip, gzip"}, body=b"x")}) as site:
        error = await failure(web, f"{site}/")
    assert "is compressed 3 times over" in str(error)


async def test_an_announced_size_is_believed(named_web):
    web = await named_web("a", max_bytes=2_000)
    reply = Reply(headers={"Content-Length": "1000000"}, body=repeat(b"x" * 1_000, 1_000))
    with serve({"/": reply, "/part": "y" * 2_000}) as site:
        error = await failure(web, f"{site}/")
        assert "is 1 MB, more than the limit of 2 KB" in str(error)
        assert "Range" in error.hint
        result = await web(resource="http", action="fetch", url=f"{site}/part")
        assert result.data["size"] == 2_000


async def test_an_endless_body_ends_at_the_limit(named_web):
    web = await named_web("a", max_bytes=50_000)
    with serve({"/": Reply(body=repeat(b"x" * 10_000))}) as site:
        assert (await failure(web, f"{site}/")).code == "too_large"


async def test_dripping_ends_with_the_time_limit(web):
    drips = {
        "/body": Raw(chunks=drip(b"x", every=0.02, first=HEAD + b"\r\n")),
        "/head": Raw(chunks=drip(b"X-A: b\r\n", every=0.02, first=HEAD)),
        "/interim": Raw(chunks=drip(b"HTTP/1.1 100 Continue\r\n\r\n", every=0.02)),
    }
    reached = (" of the body", "before the answer came", "before the answer came")
    with serve({**drips, "/warm": "up"}) as site:
        await web(resource="http", action="fetch", url=f"{site}/warm")
        errors = await asyncio.gather(*(failure(web, site + path, timeout=2) for path in drips))
    assert [(error.code, error.retryable) for error in errors] == [("timeout", True)] * 3
    for error, point in zip(errors, reached, strict=True):
        assert point in str(error)


@pytest.mark.parametrize(("every", "limits"), [(0.02, {}), (0, {"max_bytes": 5_000})])
async def test_a_stream_of_events_is_shown_as_far_as_it_came(named_web, every, limits):
    web = await named_web("a", **limits)
    events = drip(b"data: tick\n\n", every=every)
    reply = Reply(headers={"Content-Type": "text/event-stream"}, body=events)
    with serve({"/": reply, "/warm": "up"}) as site:
        await web(resource="http", action="fetch", url=f"{site}/warm")
        result = await web(resource="http", action="fetch", url=f"{site}/", timeout=2)
    assert "Incomplete: the stream was left" in result.text
    assert "data: tick" in result.text


async def test_bad_settings_name_the_key(named_web):
    with pytest.raises(StartupError, match="'max_bytes'"):
        await named_web("a", max_bytes=1)
