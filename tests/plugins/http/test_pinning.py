"""Connections go to vetted addresses alone, under the right name."""

import asyncio
import threading
from contextlib import suppress

import httpcore2
import httpx2
import pytest

from strap import Guard, VettedURL
from strap.network import racing
from strap_http.transport.pinned_backend import PinnedBackend, pinned
from tests.site.certificates import Authority
from tests.site.server import Reply, serve
from tests.unit.names import cases

pytestmark = pytest.mark.anyio


class Stream(httpcore2.AsyncNetworkStream):
    def __init__(self):
        self.closed = False

    async def aclose(self):
        self.closed = True


def target(host="public.test", addresses=("1.1.1.1",)):
    return VettedURL(url=f"http://{host}/", scheme="http", host=host, port=80, addresses=addresses)


async def never(address, port):
    await asyncio.sleep(60)


async def test_a_name_that_was_not_vetted_is_not_connected_to():
    backend = PinnedBackend(never)
    with pinned(target()), pytest.raises(httpcore2.ConnectError):
        await backend.connect_tcp("other.test", 80)
    with pinned(target()), pytest.raises(httpcore2.ConnectError):
        await backend.connect_tcp("public.test", 81)
    with pytest.raises(LookupError):
        await backend.connect_tcp("public.test", 80)


async def test_the_next_address_is_tried_when_one_fails_or_hangs(monkeypatch):
    monkeypatch.setattr(racing, "STAGGER", 0.01)
    tried = []

    async def connect(address, port):
        tried.append(address)
        if address == "1.1.1.1":
            raise httpcore2.ConnectError("refused")
        if address == "1.1.1.2":
            await asyncio.sleep(60)
        return Stream()

    backend = PinnedBackend(connect)
    with pinned(target(addresses=("1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"))):
        stream = await backend.connect_tcp("public.test", 80, timeout=5)
    assert not stream.closed
    assert tried == ["1.1.1.1", "1.1.1.2", "1.1.1.3"]


async def test_connections_that_come_too_late_are_closed(monkeypatch):
    monkeypatch.setattr(racing, "STAGGER", 0.01)
    streams = []

    async def connect(address, port):
        with suppress(asyncio.CancelledError):  # connected at the moment of the cancellation
            await asyncio.sleep(0.02 if address == "1.1.1.2" else 60)
        streams.append(Stream())
        return streams[-1]

    with pinned(target(addresses=("1.1.1.1", "1.1.1.2"))):
        won = await PinnedBackend(connect).connect_tcp("public.test", 80, timeout=5)
    assert [stream.closed for stream in streams] == [stream is not won for stream in streams]
    assert len(streams) == 2


async def test_no_answer_at_all():
    with pinned(target()), pytest.raises(httpcore2.ConnectTimeout):
        await PinnedBackend(never).connect_tcp("public.test", 80, timeout=0.02)

    async def refuse(address, port):
        raise httpcore2.ConnectError(address)

    both = target(addresses=("1.1.1.1", "1.1.1.2"))
    with pinned(both), pytest.raises(httpcore2.ConnectError, match=r"1\.1\.1\.2"):
        await PinnedBackend(refuse).connect_tcp("public.test", 80, timeout=5)


async def test_localhost_is_both_loopback_addresses(web):
    with serve({"/": "six"}, host="::1") as site:
        result = await web(resource="http", action="fetch", url=f"http://localhost:{site.port}/")
        assert result.text.endswith("six")
        await web(resource="http", action="fetch", url=f"{site}/")
    hosts = [request.headers["host"] for request in site.requests]
    assert hosts == [f"localhost:{site.port}", f"[::1]:{site.port}"]


async def test_https_checks_the_name_and_sends_it(tmp_path, named_web):
    authority = Authority(tmp_path)
    asked = []
    context = authority.context("good.test")
    context.sni_callback = lambda connection, name, _: asked.append(name)
    web = await named_web("good", "other", ca_file=str(authority.file))
    with serve({"/": "ok"}, tls=context) as site:
        call = {"resource": "http", "action": "fetch"}
        result = await web(**call, url=f"https://good.test:{site.port}/")
        error = await web.fails(**call, url=f"https://other.test:{site.port}/")
    assert result.text.startswith(f"200 text/html https://good.test:{site.port}/")
    assert asked == ["good.test", "other.test"]
    assert str(error).startswith("The TLS certificate of 'other.test' is for another host.")
    assert [request.headers["host"] for request in site.requests] == [f"good.test:{site.port}"]


async def test_a_connection_to_one_network_is_not_used_for_another(named_web):
    web = await named_web(answers={"turn.test": [["127.0.0.1"], ["93.184.215.14"]]})
    with serve({"/": "private"}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"http://turn.test:{site.port}/"}
        assert (await web(**call)).text.endswith("private")
        web.router._lifespans["http"]._ready.result()[
            0
        ].client.transport._backend._connect = refused
        error = await web.fails(**call)
        assert len(site.requests) == 1
    assert error.code == "connection_refused"


async def refused(address, port):
    assert address == "93.184.215.14"
    try:
        raise ConnectionRefusedError
    except OSError as error:
        raise httpcore2.ConnectError from error


ALLOWED = [case for case in cases("literal", "dns") if case["expect"] in ("allow", "pin")]


@pytest.mark.parametrize("case", ALLOWED, ids=lambda case: case["id"])
def test_the_http_library_reads_vetted_urls_alike(case):
    vetted = Guard("public").check_url(case["url"])
    read = httpx2.URL(vetted.url)
    port = read.port or {"http": 80, "https": 443}[read.scheme]
    assert (read.raw_host.decode(), port) == (vetted.host, vetted.port)


async def test_a_cancelled_call_hangs_up_and_leaves_the_rest_usable(web):
    asked, left = threading.Event(), threading.Event()

    def endless():
        asked.set()
        try:
            while True:
                yield b"x" * 1_000
                left.wait(0.01)
        finally:
            left.set()

    with serve({"/": lambda _: Reply(body=endless()), "/ok": "ok"}) as site:
        call = asyncio.create_task(web(resource="http", action="fetch", url=f"{site}/"))
        await asyncio.to_thread(asked.wait, 5)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        result = await web(resource="http", action="fetch", url=f"{site}/ok")
        assert result.text.endswith("ok")
        assert await asyncio.to_thread(left.wait, 5)
