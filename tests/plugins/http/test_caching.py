"""The cache on disk: what is kept and for whom, what is asked again, and what a file may hold."""

import asyncio
import os
import stat
import subprocess
import sys
import time
from email.utils import formatdate

import httpx2
import pytest

from strap import testing
from strap_http.message.request import build
from strap_http.message.response import Response
from strap_http.pipeline.cache_store import MAX_ENTRIES, CacheStore
from strap_http.pipeline.freshness import storable
from tests.site.server import Raw, Reply, serve

pytestmark = pytest.mark.anyio

ASK = {"Cache-Control": "no-cache"}


async def fetch(web, site, path="/", **fields):
    return await web(resource="http", action="fetch", url=f"{site}{path}", **fields)


def entries(folder):
    return sorted((folder / "cache" / "http").glob("*"))


def counted(**headers):
    """A route that says how often it was asked."""
    times = []

    def answer(request):
        times.append(request)
        return Reply(headers={"Content-Type": "text/plain"} | headers, body=f"answer {len(times)}")

    return answer


def validated(etag='"1"', **headers):
    """A route that answers 304 where the request has its ETag."""

    def answer(request):
        if request.headers.get("if-none-match") == etag:
            return Reply(status=304, headers={"ETag": etag, "X-Asked": "again"} | headers)
        return Reply(headers={"ETag": etag, "Content-Type": "text/plain"} | headers, body="same")

    return answer


async def test_what_is_fresh_is_not_asked_for_again(web):
    with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
        assert "cache" not in (await fetch(web, site)).text
        result = await fetch(web, site)
        assert len(site.requests) == 1
        lines = result.text.splitlines()
        assert lines[1].startswith("From the cache, ")
        assert lines[1].endswith("headers={'Cache-Control': 'no-cache'} asks the server.")
        assert lines[-1] == "answer 1"
        assert (await fetch(web, site, headers=ASK)).text.endswith("answer 2")
        assert (await fetch(web, site)).text.endswith("answer 2")


async def test_expires_counts_where_there_is_no_max_age(web):
    now = time.time()
    dates = {"Date": formatdate(now, usegmt=True), "Expires": formatdate(now + 600, usegmt=True)}
    head = "".join(f"{name}: {value}\r\n" for name, value in dates.items())
    raw = f"HTTP/1.1 200 OK\r\n{head}Content-Length: 4\r\n\r\nkept".encode()
    with serve({"/": Raw(chunks=[raw])}) as site:
        await fetch(web, site)
        assert (await fetch(web, site)).text.endswith("kept")
        assert len(site.requests) == 1


async def test_an_etag_is_confirmed(web):
    with serve({"/": validated()}) as site:
        await fetch(web, site)
        result = await fetch(web, site)
        assert [request.headers.get("if-none-match") for request in site.requests] == [None, '"1"']
    assert result.text == f"200 text/plain {site}/ (4 B)\nNot modified: from the cache.\n\nsame"


async def test_a_date_is_confirmed_too(web):
    date = "Wed, 21 Oct 2015 07:28:00 GMT"

    def answer(request):
        if request.headers.get("if-modified-since") == date:
            return Reply(status=304)
        return Reply(headers={"Last-Modified": date}, body="same")

    with serve({"/": answer}) as site:
        for _ in range(3):
            assert (await fetch(web, site)).text.endswith("same")
        assert len(site.requests) == 3


async def test_what_has_changed_replaces_what_was_kept(web, tmp_path):
    etags = iter(['"1"', '"2"', '"2"'])

    def answer(request):
        etag = next(etags)
        if request.headers.get("if-none-match") == etag:
            return Reply(status=304)
        return Reply(headers={"ETag": etag}, body=etag)

    with serve({"/": answer}) as site:
        shown = [(await fetch(web, site)).text.splitlines()[-1] for _ in range(3)]
    assert shown == ['"1"', '"2"', '"2"']
    assert len(entries(tmp_path)) == 1


async def test_a_304_about_something_else_is_not_believed(web):
    answers = iter([Reply(headers={"ETag": '"1"'}, body="one")])
    other = Reply(status=304, headers={"ETag": '"2"'})

    def answer(request):
        if "if-none-match" in request.headers:
            return other
        return next(answers, Reply(headers={"ETag": '"2"'}, body="two"))

    with serve({"/": answer}) as site:
        await fetch(web, site)
        assert (await fetch(web, site)).text.endswith("two")


@pytest.mark.parametrize(
    "headers",
    [
        {"Cache-Control": "no-store, max-age=600", "ETag": '"1"'},
        {"Vary": "*", "Cache-Control": "max-age=600"},
        {},
        {"Cache-Control": "max-age=0"},
        {"Cache-Control": "max-age=soon"},
    ],
)
async def test_what_is_not_kept(web, tmp_path, headers):
    with serve({"/": counted(**headers)}) as site:
        for number in (1, 2):
            assert (await fetch(web, site)).text.endswith(f"answer {number}")
    assert entries(tmp_path) == []


@pytest.mark.parametrize("headers", [{"Cache-Control": "no-store"}, {"Range": "bytes=0-1"}])
async def test_requests_that_pass_the_cache_by(web, tmp_path, headers):
    with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
        for number in (1, 2):
            assert (await fetch(web, site, headers=headers)).text.endswith(f"answer {number}")
    assert entries(tmp_path) == []


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=404, headers={"Cache-Control": "max-age=600"}, body="lost"),
        Reply(status=206, headers={"Cache-Control": "max-age=600"}, body="part"),
        Raw(
            chunks=[b"HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\nContent-Length: 9\r\n\r\nhalf"]
        ),
    ],
)
async def test_half_and_failed_answers_are_not_kept(web, tmp_path, reply):
    with serve({"/": reply}) as site:
        await web.router.answer({"resource": "http", "action": "fetch", "url": f"{site}/"})
    assert entries(tmp_path) == []


async def test_vary(web):
    route = counted(**{"Cache-Control": "max-age=600", "Vary": "Accept-Language"})
    with serve({"/": route}) as site:
        german = {"headers": {"Accept-Language": "de"}}
        assert (await fetch(web, site, **german)).text.endswith("answer 1")
        assert (await fetch(web, site, **german)).text.endswith("answer 1")
        assert (await fetch(web, site, headers={"Accept-Language": "fr"})).text.endswith("answer 2")


@pytest.mark.parametrize("name", ["Authorization", "Cookie", "X-Api-Key", "Private-Token"])
async def test_nobody_gets_what_was_kept_for_others(web, tmp_path, name):
    with serve({"/": counted(**{"Cache-Control": "max-age=600, private"})}) as site:
        assert (await fetch(web, site, headers={name: "secret-a"})).text.endswith("answer 1")
        assert (await fetch(web, site, headers={name: "secret-b"})).text.endswith("answer 2")
        assert (await fetch(web, site)).text.endswith("answer 3")
        assert (await fetch(web, site, headers={name: "secret-a"})).text.endswith("answer 1")
    for entry in entries(tmp_path):
        assert b"secret-" not in entry.read_bytes()


async def test_principals_do_not_share(web):
    with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"{site}/"}
        await web(**call)
        other = web.as_caller("x")
        other.caller = type(other.caller)(transport="http", principal="other", session="x")
        assert (await other(**call)).text.endswith("answer 2")


async def test_a_change_makes_the_cache_ask(web):
    with serve({"/": counted(**{"Cache-Control": "max-age=600"}), "/b": "ok"}) as site:
        await fetch(web, site)
        await fetch(web, site, "/b", method="POST")
        assert (await fetch(web, site)).text.endswith("answer 1")
        await fetch(web, site, method="PUT", body="new")
        assert (await fetch(web, site)).text.endswith("answer 3")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
async def test_fields_that_are_not_ascii(web, encoding):
    name = 'attachment; filename="Straße.txt"'.encode(encoding)
    head = b'HTTP/1.1 200 OK\r\nContent-Disposition: %s\r\nETag: "\xfc"\r\n' % name
    raw = Raw(chunks=[head + b"Cache-Control: max-age=60\r\nContent-Length: 4\r\n\r\nkept"])
    with serve({"/": raw}) as site:
        for headers in ({}, {}, ASK, {"X-Name": "Straße"}):
            assert (await fetch(web, site, headers=headers)).text.endswith("kept")


async def test_cookies_are_not_kept(web, tmp_path):
    headers = {"Cache-Control": "max-age=600", "Set-Cookie": "sid=secret"}
    with serve({"/": Reply(headers=headers, body="ok")}) as site:
        await fetch(web, site)
    (entry,) = entries(tmp_path)
    assert b"secret" not in entry.read_bytes()


async def test_compressed_answers_are_kept_as_they_are_shown(web):
    import gzip

    headers = {"Cache-Control": "max-age=600", "Content-Encoding": "gzip"}
    with serve({"/": Reply(headers=headers, body=gzip.compress(b"<p>packed</p>"))}) as site:
        for _ in range(2):
            assert (await fetch(web, site)).text.endswith("packed")
        assert len(site.requests) == 1


async def test_the_guard_has_its_say_before_the_cache(tmp_path):
    with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
        async with testing.router(home=tmp_path, network="local") as web:
            await fetch(web, site)
        async with testing.router(home=tmp_path, network="public") as web:
            error = await web.fails(resource="http", action="fetch", url=f"{site}/")
    assert error.code == "blocked_address"


async def test_files_are_private_and_serve_the_next_process(tmp_path):
    with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
        for _ in range(2):
            async with testing.router(home=tmp_path, network="local") as web:
                assert (await fetch(web, site)).text.endswith("answer 1")
    (entry,) = entries(tmp_path)
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    assert stat.S_IMODE(entry.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[:50],
        lambda content: content.replace(b"answer 1", b"answer 9"),
        lambda content: b"\x00" * len(content),
    ],
)
async def test_damaged_files_are_passed_over_and_replaced(web, tmp_path, damage):
    with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
        await fetch(web, site)
        (entry,) = entries(tmp_path)
        entry.write_bytes(damage(entry.read_bytes()))
        for _ in range(2):
            assert (await fetch(web, site)).text.endswith("answer 2")


async def test_an_entry_of_another_version_is_passed_over(web, tmp_path):
    with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
        await fetch(web, site)
        (entry,) = entries(tmp_path)
        CacheStore(entry.parent, 1_000_000).write(entry.stem, b'{"status": "x"}\nbody')
        assert (await fetch(web, site)).text.endswith("answer 2")


async def test_the_operator_can_turn_it_off(tmp_path):
    flags = {"network": "local", "plugins": {"http": {"cache_bytes": 0}}}
    async with testing.router(home=tmp_path, **flags) as web:
        with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
            for number in (1, 2):
                assert (await fetch(web, site)).text.endswith(f"answer {number}")
    assert not (tmp_path / "cache").exists()


async def test_a_folder_that_cannot_be_written_is_no_error(web, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    with serve({"/": counted(**{"Cache-Control": "max-age=600"})}) as site:
        for number in (1, 2):
            assert (await fetch(web, site)).text.endswith(f"answer {number}")


def test_the_store_is_bounded_and_keeps_what_was_used_last(tmp_path):
    store = CacheStore(tmp_path, 10_000)
    for number in range(20):
        store.write(f"key{number}", bytes(1_000))
        os.utime(tmp_path / f"key{number}.entry", (number, number))
        store.read("key0")
    kept = {file.stem for file in tmp_path.iterdir()}
    assert "key0" in kept
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 10_000
    store.write("large", bytes(5_000))
    assert store.read("large") is None
    assert MAX_ENTRIES < 10_000


def test_what_a_killed_process_was_writing_is_removed(tmp_path):
    old, young = tmp_path / "old.part", tmp_path / "young.part"
    for file in (old, young):
        file.write_text("half")
    os.utime(old, (time.time() - 600,) * 2)
    CacheStore(tmp_path, 10_000).write("key", b"entry")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["key.entry", "young.part"]


WRITER = """
import sys
from pathlib import Path
from strap_http.pipeline.cache_store import CacheStore
store = CacheStore(Path(sys.argv[1]), 50_000)
for number in range(150):
    key = f"key{number % 10}"
    store.write(key, (f"{key}:" + "x" * 2_000).encode())
    entry = store.read(key)
    assert entry is None or entry.startswith(f"{key}:".encode()), entry[:20]
    if number % 40 == 0:
        store.drop("key")
"""


def test_processes_share_it(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors.decode()
    assert not list(tmp_path.glob("*.part"))


async def test_a_cancelled_call_leaves_nothing_half_written(web, tmp_path):
    route = Reply(headers={"Cache-Control": "max-age=600"}, body=bytes(3_000_000))
    with serve({"/": route}) as site:
        for pause in (0.005, 0.02, 0.05):
            call = asyncio.create_task(fetch(web, site))
            await asyncio.sleep(pause)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
        assert (await fetch(web, site)).data["size"] == 3_000_000
    assert all(file.suffix == ".entry" for file in entries(tmp_path))


def test_ages_and_unusual_fields():
    request = build("GET", "http://a.test/", {}, None, user_agent="test")
    headers = httpx2.Headers({"Cache-Control": 'Max-Age="60"', "Age": "50", "Vary": " , Accept"})
    response = Response(status=200, url=request.url, headers=headers)
    stored = storable(request, response, 1_000.0, 1_001.0)
    assert stored.age(1_005.0) == 55.0
    assert stored.fresh(request, 1_005.0)
    assert not stored.fresh(request, 1_011.0)
    assert stored.answers(request)


NOW = 1_000_000.0


def kept(**fields):
    """Return what is stored of an answer of `NOW` with such header fields, and its request."""
    request = build("GET", "http://a.test/", {}, None, user_agent="test")
    headers = httpx2.Headers({"Date": formatdate(NOW, usegmt=True)} | fields)
    response = Response(status=200, url=request.url, headers=headers)
    return storable(request, response, NOW, NOW), request


@pytest.mark.parametrize(
    ("date", "is_one"),
    [
        ("Thu, 18 Aug 2050 02:01:18 GMT", True),
        ("THU, 18 AUG 2050 02:01:18 gmt", True),
        ("Thursday, 18-Aug-50 02:01:18 GMT", True),
        ("Thu Aug 18 02:01:18 2050", True),
        ("Thu Aug  8 02:01:18 2050", True),
        ("Thu, 18 Aug 2050 02:01:18 UTC", False),
        ("Thu, 18 Aug 2050 02:01:18 +0200", False),
        ("Thu, 18 Aug 50 02:01:18 GMT", False),
        ("Thu 18 Aug 2050 02:01:18 GMT", False),
        ("Thu, 18  Aug  2050 02:01:18 GMT", False),
        ("Thu, 18-Aug-2050 02:01:18 GMT", False),
        ("Thu, 18 Aug 2050 02.01.18 GMT", False),
        ("Thu, 18 Aug 2050 2:01:18 GMT", False),
        ("Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT", False),
        ("Thu, 42 Aug 2050 02:01:18 GMT", False),
        ("2050", False),
    ],
)
def test_what_expires_at_no_date_is_over_already(date, is_one):
    stored, request = kept(Expires=date, ETag='"1"')
    assert stored.fresh(request, NOW + 1) == is_one


@pytest.mark.parametrize(
    ("age", "seconds"), [("50", 50), ("50, 0", 50), ("0, 50", 0), ("x, 50", 0), ("-5", 0)]
)
def test_the_first_age_counts(age, seconds):
    stored, _ = kept(Age=age, ETag='"1"')
    assert stored.age(NOW) == seconds
