"""The requests of a page, from events in whatever order a browser sends them."""

import pytest

from strap_browser.engine.early_requests import EarlyTraffic

SENT = {
    "requestId": "1",
    "loaderId": "L",
    "frameId": "F",
    "type": "Fetch",
    "request": {"url": "http://a.test/", "method": "GET", "headers": {"X-Own": "1"}},
}
HEAD = {"status": 200, "statusText": "OK", "headers": {"Content-Type": "text/plain"}}
SEEN = {"requestId": "1", "headers": {"Set-Cookie": "a=b"}}


@pytest.fixture
def told():
    return []


@pytest.fixture
def traffic(told):
    return EarlyTraffic(None, lambda event, what: told.append((event, what)))


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
    traffic.take("requestWillBeSent", SENT)
    for name, event in order:
        traffic.take(name, event)
    answer = next(what for event, what in told if event == "response")
    assert answer.headers == {"content-type": "text/plain", "set-cookie": "a=b"}


def test_a_redirect_ends_one_request_and_begins_the_next(traffic, told):
    traffic.take("requestWillBeSent", SENT)
    moved = {**SENT, "redirectResponse": {**HEAD, "status": 302}}
    moved["request"] = {**SENT["request"], "url": "http://a.test/next"}
    traffic.take("requestWillBeSent", moved)
    traffic.take("loadingFinished", {"requestId": "1"})
    kinds = [event for event, _ in told]
    assert kinds == ["request", "response", "requestfinished", "request", "requestfinished"]
    assert told[1][1].status == 302
    assert told[3][1].url == "http://a.test/next"
