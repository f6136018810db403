"""Faults of calls and servers: one clear error, what to do, nothing left behind."""

import gzip
import re
import socket
import threading
import time
import zlib
from itertools import repeat

import brotli
import pytest

from strap import StrapError
from tests.site.certificates import Authority
from tests.site.server import Raw, Reply, serve

pytestmark = pytest.mark.anyio

FOREIGN = re.compile(
    r"httpx|httpcore|h11|anyio|asyncio|brotli\.|zlib|ssl\.|\[SSL|Errno|Traceback|0x[0-9a-f]{6}|"
    r"[A-Z]\w+(?:Error|Exception)\b|\.py\b"
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
TEXT = b"words " * 50_000
PACKED = gzip.compress(TEXT)


def coded(coding, body):
    return Reply(headers={"Content-Type": "text/plain", "Content-Encoding": coding}, body=body)


def packed_raw():
    """A raw deflate stream, as some servers send for `deflate`."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(TEXT) + packer.flush()


def framed(length, body, **options):
    head = HEAD + b"Content-Length: %d\r\n\r\n" % length
    return Raw(chunks=[head, body], **options)


async def failure(web, tmp_path, url, **fields):
    """The error of a call that would save its answer; nothing of it may be there afterwards."""
    fields = {"output": "out/file"} | fields
    error = await web.fails(resource="http", action="fetch", url=url, **fields)
    assert isinstance(error, StrapError)
    assert error.code != "internal"
    assert not FOREIGN.search(str(error)), str(error)
    assert error.hint, f"no next step: {error}"
    assert len(str(error)) < 500
    assert files(tmp_path) == []
    return error


def files(folder):
    return [file for file in folder.rglob("*") if file.is_file()]


ARGUMENTS = [
    ({"url": "page.html"}, "'page.html' is not an absolute URL."),
    ({"url": "/page"}, "'/page' is not an absolute URL."),
    ({"url": "//127.0.0.1/"}, "is not an absolute URL."),
    ({"url": "127.0.0.1:80/x"}, "is not an absolute URL. Write 'http"),
    ({"url": ""}, "'' is not an absolute URL."),
    ({"url": "http://"}, "'http://' has no host."),
    ({"url": "http:/127.0.0.1/"}, "lacks the '//' after 'http:'."),
    ({"url": "http://a b/"}, "has no valid host name."),
    ({"url": "http://127.0.0.1:99999/"}, "has a port outside 1-65535."),
    ({"url": "http://127.0.0.1/\r\nX: y"}, "contains a backslash or a character"),
    ({"url": "ftp://127.0.0.1/"}, "The scheme 'ftp' of 'ftp://127.0.0.1/' is not allowed."),
    ({"url": "javascript:alert(1)"}, "The scheme 'javascript' of"),
    ({"url": "data:text/html,x"}, "The scheme 'data' of"),
    ({"url": "http://user:word@127.0.0.1/"}, "carries a user name or a password"),
    ({"url": f"http://127.0.0.1/{'x' * 70_000}"}, "is longer than 65,536 characters."),
    ({"method": "GET", "body": "x"}, "A GET request has no body. Use method=POST"),
    ({"method": "HEAD", "body": "{}", "output": None}, "A HEAD request has no body."),
    ({"method": "CONNECT"}, "The method 'CONNECT' is not supported. Valid: GET"),
    ({"method": "GET / HTTP/1.1\r\nX:"}, "is not supported. Valid: GET"),
    ({"headers": {"X-A": "1\r\nX-B: 2"}}, "The header 'X-A' has a line break or"),
    ({"headers": {"X-A": "1\nX-B: 2"}}, "The header 'X-A' has a line break or"),
    ({"headers": {"X-A\r\nX-B": "2"}}, "is not the name of a header."),
    ({"headers": {"": "2"}}, "'' is not the name of a header."),
    ({"headers": {"Content-Length": "2"}}, "The header 'Content-Length' cannot be set."),
    ({"headers": {"X-A": "x" * 40_000}}, "The headers have 40,003 characters; 32,768 are the"),
]


@pytest.mark.parametrize(("fields", "message"), ARGUMENTS)
async def test_arguments(web, tmp_path, fields, message):
    fields = {"url": "http://127.0.0.1:1/"} | fields
    error = await failure(web, tmp_path, fields.pop("url"), **fields)
    assert message in str(error)


ANSWERS = {
    "truncated gzip": (coded("gzip", PACKED[:-20]), "protocol", "breaks off before its end."),
    "gzip without its end": (coded("gzip", PACKED[:-8]), "protocol", "breaks off before its end."),
    "truncated deflate": (
        coded("deflate", zlib.compress(TEXT)[:-9]),
        "protocol",
        "breaks off before its end.",
    ),
    "truncated brotli": (coded("br", brotli.compress(TEXT)[:-3]), "protocol", "breaks off before"),
    "not gzip": (coded("gzip", b"plain"), "protocol", "is not compressed as its Content-Encoding"),
    "not brotli": (coded("br", b"plain" * 9), "protocol", "is not compressed as its Content-En"),
    "not deflate": (coded("deflate", b"plain"), "protocol", "is not compressed as its Content-En"),
    "coded three times": (coded("gzip, gzip, gzip", b"x"), "protocol", "is compressed 3 times"),
    "too short": (framed(100, b"only this"), "closed", "closed the connection after 9 bytes"),
    "too long": (framed(4, b"more than that"), "protocol", "is not valid HTTP."),
    "reset": (framed(100, b"only this", reset=True), "closed", "closed the connection"),
    "two lengths": (
        Raw(chunks=[HEAD, b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"]),
        "protocol",
        "is not valid HTTP.",
    ),
    "huge header": (Raw(chunks=[HEAD, b"X: ", b"y" * 1_000_000]), "protocol", "not valid HTTP."),
    "many headers": (Raw(chunks=[HEAD, b"X: y\r\n" * 100_000]), "protocol", "not valid HTTP."),
    "no answer": (Raw(), "no_answer", "before it answered. It was tried 3 times. Try again later."),
    "endless": (Reply(body=repeat(bytes(1 << 20))), "too_large", "has more than the limit of"),
    "50 MB": (Reply(body=bytes(50_000_000)), "too_large", "is 50 MB, more than the limit of"),
    "bomb": (coded("gzip", gzip.compress(bytes(100_000_000))), "too_large", "has more than the"),
}


@pytest.mark.parametrize("kind", ANSWERS)
async def test_answers(web, tmp_path, kind):
    answer, code, message = ANSWERS[kind]
    with serve({"/": answer}) as site:
        error = await failure(web, tmp_path, f"{site}/")
    assert message in str(error)
    assert error.code == code


async def test_what_follows_the_announced_end_is_not_the_next_answer(web):
    smuggled = b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled"
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
    with serve({"/": "right", "/head": Raw(chunks=[head + smuggled])}) as site:
        call = {"resource": "http", "action": "fetch"}
        await web(**call, url=f"{site}/head", method="HEAD")
        assert (await web(**call, url=f"{site}/")).text.endswith("right")


@pytest.mark.parametrize(
    "answer",
    [
        coded("gzip", PACKED + gzip.compress(b"and more")),
        coded("gzip", gzip.compress(b"") + PACKED + b"and more"),
        coded("x-gzip", PACKED + bytes(512)),
        coded("deflate", zlib.compress(TEXT + b"and more")),
        coded("deflate", packed_raw()),
        coded("identity", TEXT + b"and more"),
        coded("gzip, br", brotli.compress(PACKED)),
        coded("gzip", b""),
    ],
)
async def test_what_is_unusual_but_right(web, tmp_path, answer):
    with serve({"/": answer}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"{site}/"}
        await web(**call, output="text")
    (file,) = files(tmp_path)
    assert file.read_bytes() in (TEXT, TEXT + b"and more", b"")


@pytest.mark.parametrize("certificate", [{"expired": True}, {"self_signed": True}, {"host": "b"}])
async def test_certificates(tmp_path, named_web, certificate):
    authority = Authority(tmp_path)
    web = await named_web("a", ca_file=str(authority.file))
    context = authority.context(**{"host": "a.test"} | certificate)
    before = files(tmp_path)
    with serve({"/": "ok"}, tls=context) as site:
        call = {"url": f"https://a.test:{site.port}/", "output": "file"}
        error = await web.fails(resource="http", action="fetch", **call)
    assert error.code == "tls"
    assert error.hint
    assert not FOREIGN.search(str(error))
    assert files(tmp_path) == before


async def test_a_server_that_never_answers(web, tmp_path):
    release = threading.Event()
    with serve({"/": lambda _: release.wait(30) and "", "/warm": "up"}) as site:
        await web(resource="http", action="fetch", url=f"{site}/warm")
        started = time.monotonic()
        error = await failure(web, tmp_path, f"{site}/", timeout=2)
        release.set()
    assert "took longer than 1.8 s; stopped before the answer came. Give it more" in str(error)
    assert error.code == "timeout"
    assert time.monotonic() - started < 10


async def test_a_server_that_never_answers_the_handshake(tmp_path, named_web):
    web = await named_web("a", connect_timeout=1)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # connects, and is never accepted
        error = await failure(web, tmp_path, f"https://127.0.0.1:{silent.getsockname()[1]}/")
    assert "does not answer." in str(error)
    assert error.code == "timeout"


async def test_a_redirect_loop(web, tmp_path):
    with serve({"/": Reply(status=302, headers={"Location": "/"})}) as site:
        error = await failure(web, tmp_path, f"{site}/")
        assert len(site.requests) == 1
    assert "redirects in a loop." in str(error)


@pytest.mark.parametrize(
    "charset", ["x-nonsense", "utf-7", "base64", "\xff", "utf-8\x00", "a" * 999]
)
async def test_a_charset_that_is_none_is_passed_over(web, charset):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset={charset}\r\n"
    body = "Stra\u00dfe".encode()
    answer = head.encode("latin-1").replace(b"\0", b"") + b"Content-Length: 7\r\n\r\n" + body
    with serve({"/": Raw(chunks=[answer])}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/")
    assert result.text.endswith("Stra\u00dfe")


async def test_a_body_that_is_no_json(web):
    for body in ({"a": b"1"}, [{1, 2}], {"a": float("nan")}):
        error = await web.fails(resource="http", action="fetch", url="http://a.test", body=body)
        assert (error.code, "cannot be written as JSON" in str(error)) == (
            "invalid_arguments",
            True,
        )
