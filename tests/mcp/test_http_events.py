"""Answers over HTTP: in one piece where they are one event, and else event by event."""

import anyio
import anyio.lowlevel
import httpx2
import pytest

from strap.mcp.http.answers import events
from strap.mcp.http.answers.events import EventStream
from tests.mcp.conversation import WAIT, call
from tests.mcp.http_server import ACCEPT, open_session, post

pytestmark = pytest.mark.anyio


def test_an_answer_that_is_one_event_comes_as_one_piece(served):
    session, hello = open_session(served), call(resource="probe", action="say", words="hello")
    answers = [post(served, hello, session) for _ in range(10)]
    assert all(each.headers["content-type"] == "text/event-stream" for each in answers)
    # Those that take longer than their heads wait have none, as on a machine with much to do.
    answer = next(each for each in answers if "content-length" in each.headers)
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert answer.text.startswith("event: message\r\ndata: {")
    assert answer.text.count("data:") == 1


def test_the_head_of_a_slow_answer_comes_before_it(served):
    headers = {**ACCEPT, "mcp-session-id": open_session(served)}
    body = call(resource="probe", action="sleep", number=60)
    with httpx2.stream("POST", served.url, json=body, headers=headers, timeout=WAIT) as answer:
        assert answer.status_code == 200
        assert "content-length" not in answer.headers
        served.wait_for("asleep")
    assert "awake" not in served.noted()


class Exchange:
    """A request whose answer is an `EventStream`: what was sent of it, and what is to come."""

    def __init__(self):
        self.give, self.events = anyio.create_memory_object_stream(8)
        self.sent, self.left = [], anyio.Event()
        self._changed = anyio.Event()

    async def run(self):
        async def make():
            await anyio.lowlevel.checkpoint()

        stream = EventStream(self.events, make, {"Content-Type": "x"})
        with self.events:
            await stream({}, self._receive, self._send)

    async def bodies(self, number):
        with anyio.fail_after(WAIT):
            while len(self.pieces()) < number:
                self._changed = anyio.Event()
                await self._changed.wait()
        return self.pieces()

    def pieces(self):
        return [each["body"] for each in self.sent[1:]]

    async def _receive(self):
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        self.sent.append(message)
        self._changed.set()
        if not message.get("more_body", True):
            self.left.set()


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def test_an_event_waits_for_no_other_one():
    exchange = Exchange()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(exchange.run)
        await exchange.give.send({"event": "message", "data": "1"})
        first = b"event: message\r\ndata: 1\r\n\r\n"
        assert await exchange.bodies(1) in ([first], [b"", first])
        await exchange.give.send({"data": "2"})
        await exchange.give.send({"data": "3"})
        exchange.give.close()
    assert exchange.sent[0]["headers"][0] == (b"content-type", b"x")
    assert exchange.pieces()[-3:] == [b"data: 2\r\n\r\n", b"data: 3\r\n\r\n", b""]
    assert [each["more_body"] for each in exchange.sent[1:]][-3:] == [True, True, False]


async def test_a_stream_without_events_is_kept_open(monkeypatch):
    monkeypatch.setattr(events, "PING_SECONDS", 0.01)
    exchange = Exchange()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(exchange.run)
        assert (await exchange.bodies(3))[:3] == [b"", events.PING, events.PING]
        exchange.give.close()
    assert exchange.sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


async def test_it_ends_where_the_client_leaves():
    exchange = Exchange()
    with anyio.fail_after(WAIT):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(exchange.run)
            await exchange.bodies(1)
            exchange.left.set()
    exchange.give.close()
    assert exchange.pieces() == [b""]
