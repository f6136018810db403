"""The requests of a page, from events in whatever order a browser sends them."""

import pytest

from strap_browser.engine.traffic.requests import Requests

SENT = {
    "requestId": "1",
    "loaderId": "L",
    "frameId": "F",
    "type": "Fetch",
    "timestamp": 5.0,
    "wallTime": 1e9,
    "request": {"url": "http://a.test/", "method": "GET", "headers": {"X-Own": "1"}},
}
HEAD = {"status": 200, "statusText": "OK", "headers": {"Content-Type": "text/plain"}}
SEEN = {"requestId": "1", "headers": {"Set-Cookie": "a=b"}}


@pytest.fixture
def told():
    return []


@pytest.fixture
def traffic(told):
    return Requests(lambda event, what: told.append((event, what)))


@pytest.mark.parametrize(
    "order",
    [
        [("responseReceived", {"requestId": "1", "response": HEAD}),
         ("responseReceivedExtraInfo", SEEN)],
        [("responseReceivedExtraInfo", SEEN),
         ("responseReceived", {"requestId": "1", "response": HEAD})],
    ],
)  # fmt: skip
def test_what_the_network_saw_of_an_answer_is_kept_in_either_order(traffic, told, order):
    traffic.take(None, "requestWillBeSent", SENT)
    for name, event in order:
        traffic.take(None, name, event)
    answer = next(what for event, what in told if event == "response")
    assert answer.headers == {"content-type": "text/plain", "set-cookie": "a=b"}


def test_a_redirect_ends_one_request_and_begins_the_next(traffic, told):
    traffic.take(None, "requestWillBeSent", SENT)
    moved = {**SENT, "redirectResponse": {**HEAD, "status": 302}}
    moved["request"] = {**SENT["request"], "url": "http://a.test/next"}
    traffic.take(None, "requestWillBeSent", moved)
    traffic.take(None, "loadingFinished", {"requestId": "1", "timestamp": 7.5})
    kinds = [event for event, _ in told]
    assert kinds == ["request", "response", "requestfinished", "request", "requestfinished"]
    assert told[1][1].status == 302
    assert (told[2][1].took, told[4][1].took) == (0, 2.5)
    assert told[3][1].url == "http://a.test/next"


def test_each_hop_of_a_redirect_keeps_its_own_head(traffic, told):
    traffic.take(None, "requestWillBeSent", SENT)
    moved = {**SENT, "redirectResponse": {**HEAD, "status": 302}, "redirectHasExtraInfo": True}
    traffic.take(None, "requestWillBeSent", moved)
    traffic.take(None, "responseReceivedExtraInfo", {"requestId": "1", "headers": {"Hop": "1"}})
    traffic.take(None, "responseReceived", {"requestId": "1", "response": HEAD})
    traffic.take(None, "responseReceivedExtraInfo", {"requestId": "1", "headers": {"Hop": "2"}})
    hops = [what.headers["hop"] for event, what in told if event == "response"]
    assert hops == ["1", "2"]


def test_what_two_processes_tell_of_is_one_request(traffic, told):
    traffic.take(None, "requestWillBeSent", SENT)
    traffic.take("other", "requestWillBeSent", SENT)
    traffic.take("other", "responseReceived", {"requestId": "1", "response": HEAD})
    traffic.take("other", "loadingFinished", {"requestId": "1", "timestamp": 7.5})
    assert [event for event, _ in told] == ["request", "response", "requestfinished"]
    assert told[0][1].session == "other"  # which keeps the body
