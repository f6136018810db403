"""Retries: what is repeated, how often, how long it waits, and what the caller learns."""

import time
from email.utils import formatdate
from itertools import count

import httpx2
import pytest

from strap_http.message.response import Response
from strap_http.pipeline.retry import waiting_time
from tests.site.server import Raw, Reply, serve

pytestmark = pytest.mark.anyio


def failing(times, reply, then="done"):
    """A route that answers `reply` so many times, then `then`."""
    calls = count(1)
    return lambda _: reply if next(calls) <= times else then


def busy(status=503, after="0"):
    headers = {"Content-Type": "text/plain"} | ({"Retry-After": after} if after else {})
    return Reply(status=status, headers=headers, body="busy")


async def fetch(web, site, **fields):
    return await web(resource="http", action="fetch", url=f"{site}/", **fields)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_passing_refusal_is_tried_again_and_said(web, status):
    with serve({"/": failing(1, busy(status))}) as site:
        result = await fetch(web, site)
        assert len(site.requests) == 2
    assert result.text == f"200 text/html {site}/ (4 B)\nTried 2 times, after {status}.\n\ndone"


async def test_it_ends_after_three_attempts_with_the_last_answer(web):
    with serve({"/": busy(503)}) as site:
        result = await fetch(web, site)
        assert len(site.requests) == 3
    assert result.data["status"] == 503
    assert "Tried 3 times, after 503." in result.text
    assert result.text.endswith("busy")


async def test_without_retry_after_the_pause_is_short(web):
    with serve({"/": failing(1, busy(after=""))}) as site:
        started = time.monotonic()
        assert (await fetch(web, site)).data["status"] == 200
        assert time.monotonic() - started < 5


async def test_a_long_wait_is_left_to_the_caller(web):
    with serve({"/": busy(429, after="3600")}) as site:
        result = await fetch(web, site)
        assert len(site.requests) == 1
    assert "retry-after: 3600\nTry again in 3600 s." in result.text


async def test_a_wait_beyond_the_time_limit_is_left_to_the_caller(web):
    with serve({"/": busy(after="8")}) as site:
        result = await fetch(web, site, timeout=5)
        assert len(site.requests) == 1
    assert "Try again in 8 s." in result.text


@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_what_may_not_be_repeated_is_sent_once(web, method):
    with serve({"/": failing(1, busy())}) as site:
        assert (await fetch(web, site, method=method, body="x")).data["status"] == 503
        assert len(site.requests) == 1


async def test_a_post_that_was_not_answered_is_not_repeated(web):
    with serve({"/": Raw()}) as site:
        error = await web.fails(resource="http", action="fetch", url=f"{site}/", method="POST")
        assert len(site.requests) == 1
    assert "tried" not in str(error)


async def test_a_put_keeps_its_body(web):
    with serve({"/": failing(1, busy())}) as site:
        await fetch(web, site, method="PUT", body="x")
        assert [request.body for request in site.requests] == [b"x", b"x"]


async def test_a_connection_that_closes_before_the_answer_is_tried_again(web):
    with serve({"/": failing(2, Raw(reset=True))}) as site:
        result = await fetch(web, site)
        assert len(site.requests) == 3
    assert "Tried 3 times, after a failed connection." in result.text


async def test_what_fails_every_time_says_how_often_it_was_tried(web):
    with serve({"/": Raw(reset=True)}) as site:
        error = await web.fails(resource="http", action="fetch", url=f"{site}/")
        assert len(site.requests) == 3
    assert (
        "closed the connection before it answered. It was tried 3 times. Try again later."
        in str(error)
    )
    assert (error.code, error.retryable) == ("no_answer", True)


async def test_a_body_that_breaks_off_is_not_fetched_again(web):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly"
    with serve({"/": Raw(chunks=[head])}) as site:
        error = await web.fails(resource="http", action="fetch", url=f"{site}/")
        assert len(site.requests) == 1
    assert error.code == "closed"


async def test_redirects_share_the_attempts(web):
    moved = Reply(status=302, headers={"Location": "/"})
    with serve({"/from": failing(2, busy(), moved), "/": busy(502)}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/from")
        assert len(site.requests) == 4
    assert "Tried 3 times, after 503." in result.text


async def test_the_operator_can_turn_it_off(named_web):
    web = await named_web("a", retries=0)
    with serve({"/": busy()}) as site:
        assert (
            await fetch(web, site)
        ).text == f"503 text/plain {site}/ (4 B)\nretry-after: 0\n\nbusy"
        assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        ("0", 0),
        ("9" * 5_000, 999_999_999),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("soon", None),
        ("-1", None),
        ("", None),
        ("٣", None),
    ],
)
def test_waiting_times(value, seconds):
    headers = httpx2.Headers([(b"retry-after", value.encode())])
    assert waiting_time(Response(status=503, url="", headers=headers)) == seconds


def test_a_date_to_come():
    headers = httpx2.Headers({"Retry-After": formatdate(time.time() + 60, usegmt=True)})
    assert 50 < waiting_time(Response(status=503, url="", headers=headers)) <= 61
