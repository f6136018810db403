"""Interception of requests: patterns, order, and what the browser is asked to hold."""

import asyncio

import pytest

from strap_browser.common.urls import fits_pattern
from strap_browser.engine.traffic.interception import (
    DOCUMENTS,
    Fail,
    Fulfil,
    Interception,
    Interceptor,
    Order,
    Pattern,
)

pytestmark = pytest.mark.anyio


class Session:
    """Takes commands, and tells events to whoever listens."""

    def __init__(self, name):
        self.id, self.sent, self._handlers = name, [], {}

    def send(self, method, **params):
        self.sent.append((method, params))
        answer = asyncio.get_running_loop().create_future()
        answer.set_result({})
        return answer

    def on(self, event, handler):
        self._handlers.setdefault(event, []).append(handler)

    def off(self, event, handler):
        self._handlers[event].remove(handler)

    async def paused(self, url, kind="Fetch"):
        request = {"url": url, "method": "GET", "headers": {}}
        event = {"requestId": "1", "request": request, "resourceType": kind}
        for handler in self._handlers.get("Fetch.requestPaused", ()):
            handler(event)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return self.sent[-1]


def deciding(what, **fields):
    async def decide(_):
        return what

    return Interceptor(decide=decide, **fields)


@pytest.mark.parametrize(
    ("pattern", "url", "is_one"),
    [
        ("*", "http://a.test/", True),
        ("*/api/*", "http://a.test/api/1?x=2", True),
        ("*/api/*", "http://a.test/apis", False),
        ("http://a.test/", "http://a.test/", True),
        ("http://a.test/", "http://a.test/1", False),
        ("*a?b*", "http://a.test/a?b=1", True),
        ("*a?b*", "http://a.test/axb", False),
        ("*aba", "aba", True),
        ("ab*ba", "aba", False),
        ("*.css*.css", "/x.css", False),
        ("*" * 400 + "x", "http://a.test/" + "a" * 100_000, False),
    ],
)
def test_only_an_asterisk_stands_for_something_else(pattern, url, is_one):
    assert fits_pattern(pattern, url) is is_one


def test_a_question_mark_is_none_of_the_browsers_wildcards():
    assert Pattern(url="*?a=1").params() == {"urlPattern": "*\\?a=1"}


async def test_the_domain_is_enabled_only_while_somebody_decides():
    page, frame, interception = Session("p"), Session("f"), Interception()
    interception.follow(page)
    assert page.sent == []
    rule = deciding(Fail(), patterns=DOCUMENTS)
    await interception.add(rule)
    interception.follow(frame)
    await interception.remove(rule)
    everything = {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]}
    for session in (page, frame):
        assert session.sent == [("Fetch.enable", everything), ("Fetch.disable", {})]


async def test_the_first_answer_wins_whoever_came_first():
    page, interception = Session("p"), Interception()
    interception.follow(page)
    await interception.add(deciding(Fulfil(body=b"rule"), order=Order.MOCK))
    await interception.add(
        deciding(Fail(reason="BlockedByClient"), patterns=(Pattern(url="*/no"),))
    )
    method, told = await page.paused("http://a.test/no")
    assert (method, told["errorReason"]) == ("Fetch.failRequest", "BlockedByClient")
    method, told = await page.paused("http://a.test/yes")
    assert (method, told["body"]) == ("Fetch.fulfillRequest", "cnVsZQ==")


async def test_what_cannot_be_decided_is_not_sent():
    page = Session("p")

    async def decide(_):
        raise ValueError

    interception = Interception(Interceptor(decide=decide), deciding(None))
    interception.follow(page)
    assert (await page.paused("http://a.test/"))[0] == "Fetch.failRequest"


async def test_a_session_that_is_left_hears_nothing():
    page, interception = Session("p"), Interception(deciding(Fail()))
    interception.follow(page)
    interception.leave(page)
    assert (await page.paused("http://a.test/"))[0] == "Fetch.enable"
