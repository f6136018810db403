"""The connection beside a browser that misbehaves, and a caller that does: real sockets, no run."""

import asyncio
import json
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from websockets.asyncio.server import serve

from strap_browser.agent.caller import CallerChannel
from strap_browser.agent.monitor.network import MAX_OPEN, Network
from strap_browser.agent.monitor.watcher import BrowserMonitor
from strap_browser.cdp.websocket import LONGEST_EVENT, CdpError, CdpWebSocket

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def browser(answer):
    """A connection to a browser whose answers are those of `answer(socket, message)`."""

    async def speak(socket):
        async for text in socket:
            await answer(socket, json.loads(text))

    async with serve(speak, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        cdp = await CdpWebSocket.connect(f"ws://127.0.0.1:{port}/")
        try:
            yield cdp
        finally:
            await cdp.aclose()


async def test_a_browser_that_closes_is_a_refused_command():
    async def close(socket, message):
        await socket.close()

    async with browser(close) as cdp:
        with pytest.raises(CdpError):
            await cdp.send("Target.getTargets")
        cdp.closed.clear()  # as between the closing handshake and the reader's end
        with pytest.raises(CdpError):
            await cdp.send("Target.getTargets")


async def test_a_listener_that_fails_and_an_endless_event_end_nothing():
    async def tell(socket, message):
        await socket.send(json.dumps({"method": "Bad.event", "params": {}}))
        await socket.send(
            json.dumps({"method": "Long.event", "params": {"x": "x" * LONGEST_EVENT}})
        )
        await socket.send(json.dumps({"id": message["id"], "result": {"ok": 1}}))

    def fail(params, session):
        raise OSError("no space left on device")

    heard = []
    async with browser(tell) as cdp:
        cdp.on("Bad.event", fail)
        cdp.on("Long.event", lambda params, session: heard.append(params))
        assert await cdp.send("Some.command") == {"ok": 1}
        assert not cdp.closed.is_set()
    assert heard == []


async def test_a_target_that_cannot_be_watched_goes_on():
    asked = []

    async def refuse(socket, message):
        asked.append(message["method"])
        answer = {"error": {"message": "no"}} if "AutoAttach" in asked[-1] else {"result": {}}
        await socket.send(json.dumps({"id": message["id"], **answer}))

    async with browser(refuse) as cdp:
        watch = BrowserMonitor(cdp, lambda event: None, SimpleNamespace(), None)
        with pytest.raises(CdpError):
            await watch._watch("page", "S", waiting=True)
        async with asyncio.timeout(10):
            while "Runtime.runIfWaitingForDebugger" not in asked:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_requests_beyond_what_is_followed_are_recorded_all_the_same():
    events = []
    cdp = SimpleNamespace(on=lambda *_: None, post=lambda *_, **__: None)
    network = Network(cdp, events.append, None, SimpleNamespace())
    for number in range(MAX_OPEN + 5):
        url = f"http://a/{number}"
        request = {"url": url, "method": "GET"}
        params = {"requestId": str(number), "request": request, "timestamp": 1, "wallTime": 1}
        network._sent(params, "S")
    assert [e.summary for e in events] == [
        f"GET http://a/{n} not followed any more" for n in range(5)
    ]
    network.finish()
    assert len(events) == MAX_OPEN + 5


@pytest.mark.parametrize("way", ["does not read", "is gone"])
async def test_a_caller_that_does_not_take_progress_is_told_no_more(monkeypatch, way):
    monkeypatch.setattr("strap_browser.agent.caller.TELL_LIMIT", 0.05)
    told = []

    async def progress(said, number, total):
        told.append(said)
        if way == "is gone":
            raise ConnectionError
        await asyncio.sleep(60)

    order = SimpleNamespace(progress=progress, limits=SimpleNamespace(max_steps=3), sample=None)
    caller = CallerChannel(order)
    await caller.tell("step 1", 1)
    await caller.tell("step 2", 2)
    assert told == ["step 1"]
