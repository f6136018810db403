"""Every case of tests/data/ssrf-cases.json through the real `http.fetch`, in mode `public`.

Names and public addresses are played: look-ups are scripted, and every connection is led to one
site on loopback and noted with the address that it was meant for.
"""

import gzip
import importlib
import json
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import brotli
import httpcore2
import pytest

from strap import PolicyDenied, StrapError, testing
from tests.site.server import Raw, Reply, drip, serve
from tests.unit.names import SSRF, Names, cases
from tests.unit.test_network_cases import CLASSES

pytestmark = pytest.mark.anyio

CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
HUGE = 64 << 20
PLAIN = {"Content-Type": "text/plain"}


@dataclass
class Internet:
    """A router as on the public internet, and the connections that it opened."""

    web: testing.Web
    site: object
    connected: list[tuple[str, int]] = field(default_factory=list)

    async def fetch(self, url, **fields):
        return await self.web(resource="http", action="fetch", url=url, **fields)

    async def error(self, url):
        try:
            await self.fetch(url)
        except StrapError as error:
            return error
        return None


@pytest.fixture
async def internet(tmp_path, monkeypatch):
    async with played(tmp_path, monkeypatch, "public") as opened:
        yield opened


@pytest.fixture
async def local_internet(tmp_path, monkeypatch):
    async with played(tmp_path, monkeypatch, "local") as opened:
        yield opened


@asynccontextmanager
async def played(tmp_path, monkeypatch, network, **config):
    routes, names = {}, Names(SSRF["dns"])
    async with testing.router(home=tmp_path, resolver=names, network=network, **config) as web:
        with serve(routes) as site:
            opened = Internet(web, site)
            opened.routes = routes
            connect = httpcore2.AnyIOBackend.connect_tcp

            async def led(self, host, port, *args, **kwargs):
                opened.connected.append((host, port))
                return await connect(self, "127.0.0.1", site.port, *args, **kwargs)

            monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", led)
            yield opened


def of(*expect, kinds=("literal", "dns")):
    return [case for case in cases(*kinds) if case["expect"] in expect]


def listing(*urls):
    results = [{"title": "Mill", "url": url, "content": ""} for url in urls]
    return Reply(
        headers={"Content-Type": "application/json"}, body=json.dumps({"results": results})
    )


def expecting(*expect, kinds=("literal", "dns")):
    found = of(*expect, kinds=kinds)
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


LISTED = "http://127.0.0.1:8080/here.xml"
LEADS = {
    "a sitemap of robots.txt": {"/robots.txt": f"Sitemap: {LISTED}"},
    "a sitemap of an index": {
        "/sitemap.xml": f"<sitemapindex><sitemap><loc>{LISTED}</loc></sitemap></sitemapindex>"
    },
    "a sitemap by another name": {"/robots.txt": "Sitemap: http://localhost/here.xml"},
    "a redirect": {"/sitemap.xml": Reply(status=302, headers={"Location": LISTED})},
    "a feed": {"/": f'<link rel=alternate type="application/rss+xml" href="{LISTED}">Home'},
}


@pytest.mark.parametrize("action", ["map", "crawl"])
@pytest.mark.parametrize("name", LEADS)
async def test_a_public_site_does_not_have_this_machine_asked(local_internet, name, action):
    internet = local_internet
    page = Reply(body="<a href=/more>More</a> of it")
    internet.routes |= {"/": page, "/more": "<p>More</p>", **LEADS[name]}
    answer = await internet.web(resource="http", action=action, url="http://public.test/")
    assert {address for address, _ in internet.connected} == set(SSRF["dns"]["public.test"][0])
    if action == "map" and name != "a feed":  # what is not read of those is told
        assert "more private network" in answer.text


async def test_a_site_of_this_machine_may_have_it_asked(local_internet):
    internet = local_internet
    internet.routes |= {"/": "Home", "/robots.txt": f"Sitemap: {LISTED}"}
    await internet.web(resource="http", action="map", url="http://localhost/")
    assert ("127.0.0.1", 8080) in internet.connected


RESULTS = {
    "this machine": LISTED,
    "this machine by name": "http://localhost/mill",
    "a private network": "http://10.0.0.5/mill",
    "a private network by name": "http://private.test/mill",
    "a redirect": "http://public.test/moved",
}


@pytest.mark.parametrize("network", ["local", "all"])
@pytest.mark.parametrize("url", RESULTS.values(), ids=RESULTS)
async def test_an_engine_of_the_internet_does_not_have_this_machine_asked(
    tmp_path, monkeypatch, url, network
):
    moved = Reply(status=302, headers={"Location": LISTED})
    plugins = {"search": {"searxng_url": "http://public.test"}}
    async with played(tmp_path, monkeypatch, network, plugins=plugins) as internet:
        internet.routes |= {"/search": listing(url), "/moved": moved, "/mill": "<p>rye"}
        found = await internet.web(
            resource="search", action="query", engine="searxng", query="rye", read=1
        )
    assert {address for address, _ in internet.connected} == set(SSRF["dns"]["public.test"][0])
    (result,) = found.data["results"]
    assert "not read: " in result["note"]
    assert network == "local" or "more private network" in result["note"]


@pytest.mark.parametrize("engine", ["http://localhost", "http://127.0.0.1:8080"])
async def test_an_engine_of_this_machine_may_have_it_asked(tmp_path, monkeypatch, engine):
    plugins = {"search": {"searxng_url": engine}}
    async with played(tmp_path, monkeypatch, "local", plugins=plugins) as internet:
        internet.routes |= {"/search": listing(LISTED), "/here.xml": "<p>The mill grinds rye"}
        found = await internet.web(
            resource="search", action="query", engine="searxng", query="rye", read=1
        )
    assert "grinds rye" in found.data["results"][0]["passages"][0]["text"]


async def test_blocked_before_anything_is_sent(internet):
    for case in of("block"):
        error = await internet.web.fails(resource="http", action="fetch", url=case["url"])
        assert isinstance(error, CLASSES[case["code"]]), case
        if case["code"] == "blocked_metadata":
            assert error.code == "blocked_metadata", case
        assert internet.connected == [], case


@expecting("allow")
async def test_allowed(internet, case):
    internet.routes |= dict.fromkeys(("/", "/path"), "reached")
    error = await internet.error(case["url"])
    # The site does not speak TLS; the connection is what counts.
    assert error is None or error.code == "tls"
    assert internet.connected


@expecting("pin")
async def test_connections_go_to_the_first_answers_only(internet, case):
    answers = iter([Raw(), Raw(), "reached"])
    internet.routes["/"] = lambda _: next(answers)
    await internet.fetch(case["url"])
    host = case["url"].split("/")[2]
    assert len(internet.connected) == 3, "tried again, without a second look-up"
    assert {address for address, _ in internet.connected} <= set(SSRF["dns"][host][0])


async def test_debatable_cases_get_a_verdict(internet):
    internet.routes["/"] = "reached"
    for case in of("either"):
        internet.connected.clear()
        error = await internet.error(case["url"])
        if error is not None and error.code != "tls":
            assert isinstance(error, CLASSES[case["code"]]), case
            assert internet.connected == [], case


@expecting("block", "allow", kinds=("redirect",))
async def test_redirects(internet, case):
    head = f"HTTP/1.1 {case.get('status', 302)} Found\r\nLocation: {case['location']}\r\n"
    internet.routes |= {
        "/start": Raw(chunks=[head.encode() + b"Content-Length: 0\r\n\r\n"]),
        **dict.fromkeys(("/next", "/done", "/"), "reached"),
    }
    call = {"url": case["url"], "method": case.get("method", "GET")}
    if case["expect"] == "allow":
        assert (await internet.fetch(**call)).text.endswith("reached")
        return
    if case["location"].isprintable():
        error = await internet.web.fails(resource="http", action="fetch", **call)
        assert "redirects to" in str(error)
        assert isinstance(error, PolicyDenied) or case["code"] != "blocked_address"
    else:  # a line break ends the field: what is left of it leads nowhere
        assert (await internet.fetch(**call)).data["status"] == 302
    assert len(internet.site.requests) == len(internet.connected) == 1


@expecting("block", "allow", kinds=("request",))
async def test_requests(internet, case):
    internet.routes["/"] = "reached"
    call = {key: case[key] for key in ("url", "method", "headers") if key in case}
    if case["expect"] == "allow":
        assert (await internet.fetch(**call)).data["status"] == 200
    else:
        await internet.web.fails(resource="http", action="fetch", **call)
        assert internet.connected == []


def zstandard(data):
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return importlib.import_module(name).compress(data)


BEHAVIOURS = {
    "br_bomb_1g": lambda: Reply(
        headers={"Content-Encoding": "br"}, body=brotli.compress(bytes(HUGE), quality=1)
    ),
    "zstd_bomb_1g": lambda: Reply(
        headers={"Content-Encoding": "zstd"}, body=zstandard(bytes(HUGE))
    ),
    "gzip_x3_bomb": lambda: Reply(
        headers={"Content-Encoding": "gzip, gzip, gzip"},
        body=gzip.compress(gzip.compress(gzip.compress(bytes(HUGE)))),
    ),
    "drip_headers": lambda: Raw(chunks=drip(b"X-A: b\r\n", every=0.05, first=CHUNKED)),
    "content_length_lie_small": lambda: Raw(
        chunks=[CHUNKED + b"Content-Length: 5\r\n\r\n", b"longer than that"]
    ),
    "content_length_lie_big": lambda: Raw(chunks=[CHUNKED + b"Content-Length: 99\r\n\r\nshort"]),
    "huge_header_line": lambda: Raw(chunks=[CHUNKED, b"X: ", b"y" * 1_000_000, b"\r\n\r\n"]),
    "charset_utf16_lie": lambda: Reply(
        headers={"Content-Type": "text/plain; charset=utf-8"}, body="Straße".encode("utf-16")
    ),
    "charset_unknown": lambda: Reply(
        headers={"Content-Type": "text/plain; charset=x-nonsense"}, body="Straße"
    ),
    "charset_utf7": lambda: Reply(
        headers={"Content-Type": "text/plain; charset=utf-7"}, body=b"+ADw-script+AD4-"
    ),
    "text_as_binary": lambda: Reply(
        headers={"Content-Type": "application/octet-stream"}, body="Straße"
    ),
    "nul_bytes": lambda: Reply(body=b"<p>Stra\x00\xc3\x9f\x00e</p>"),
    "bidi_controls": lambda: Reply(
        headers=PLAIN, body="Stra\u202e\u2066ß\u200be\U000e0041\U000e0042"
    ),
    "sse_stream": lambda: Reply(
        headers={"Content-Type": "text/event-stream"}, body=drip(b"data: Stra\n\n", every=0.05)
    ),
    "status_204": lambda: Reply(status=204),
    "head_with_length": lambda: Reply(headers={"Content-Length": str(10**12)}),
}
SHOWN = {
    "charset_utf16_lie": "Straße",
    "charset_unknown": "Straße",
    "charset_utf7": "+ADw-script+AD4-",
    "text_as_binary": "Straße",
    "nul_bytes": "Straße",
    "bidi_controls": "Straße",
    "sse_stream": "Incomplete: the stream was left",
    "status_204": "204 (no type)",
    "head_with_length": "content-length: 1000000000000",
}
LIMITED = ("drip_headers", "sse_stream")
PART, LIMIT = 0.05, 40
"""The part of a call's seconds that is for the network here: much is left for the answer."""


@expecting("allow", "error", kinds=("response",))
async def test_responses(internet, case, monkeypatch):
    monkeypatch.setattr("strap_http.fetch.SHARE", PART)
    behaviour = case["behaviour"]
    internet.routes[f"/{behaviour}"] = BEHAVIOURS[behaviour]()
    call = {"url": case["url"]}
    if behaviour == "head_with_length":
        call["method"] = "HEAD"
    if behaviour in LIMITED:
        call["timeout"] = LIMIT
    if behaviour in SHOWN:
        assert SHOWN[behaviour] in (await internet.fetch(**call)).text
        return
    assert case["expect"] == "error"
    error = await internet.web.fails(resource="http", action="fetch", **call)
    assert error.code in ("too_large", "timeout", "protocol", "closed")


def test_no_case_is_left_out():
    kinds = {"literal", "dns", "redirect", "request", "response"}
    assert {case["kind"] for case in SSRF["cases"]} == kinds
    assert {case["behaviour"] for case in cases("response")} == set(BEHAVIOURS)
