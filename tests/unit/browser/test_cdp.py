"""The connection beside a browser that misbehaves, and a caller that does: real sockets, no run."""

import asyncio
import json
import os
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from websockets.asyncio.server import serve

from strap_agent.caller import CallerChannel
from strap_agent.monitor.network import Network
from strap_agent.monitor.watcher import BrowserMonitor
from strap_browser.cdp.connection import LONGEST_EVENT, CdpConnection, CdpSession
from strap_browser.cdp.errors import (
    CdpError,
    ContextDestroyed,
    FrameCrashed,
    NotAnswered,
    ProtocolError,
    TargetClosed,
)
from strap_browser.cdp.pipe import Pipe
from strap_browser.engine.traffic.requests import MOST

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def browser(answer):
    """A connection to a browser whose answers are those of `answer(socket, message)`."""

    async def speak(socket):
        async for text in socket:
            await answer(socket, json.loads(text))

    async with serve(speak, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        cdp = await CdpConnection.connect(f"ws://127.0.0.1:{port}/")
        try:
            yield cdp
        finally:
            await cdp.aclose()


async def test_a_browser_that_closes_is_a_refused_command():
    async def close(socket, message):
        await socket.close()

    async with browser(close) as cdp:
        with pytest.raises(TargetClosed):
            await cdp.call("Target.getTargets")
        with pytest.raises(TargetClosed):
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
        assert await cdp.call("Some.command") == {"ok": 1}
        assert not cdp.closed.is_set()
    assert heard == []


@asynccontextmanager
async def piped(answer):
    """The same over a pipe, as a browser of ours is spoken to."""
    loop = asyncio.get_running_loop()
    (from_strap, commands), (replies, to_strap) = os.pipe(), os.pipe()
    cdp = CdpConnection(Pipe(commands, replies))
    await cdp.open()
    with os.fdopen(from_strap, "rb", 0) as asked, os.fdopen(to_strap, "wb", 0) as told:
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        reading, _ = await loop.connect_read_pipe(lambda: protocol, asked)

        class Socket:
            async def send(self, text):
                told.write(text.encode() + b"\0")

            async def close(self):
                told.close()

        async def speak():
            while text := await reader.readuntil(b"\0"):
                await answer(Socket(), json.loads(text[:-1]))

        speaking = asyncio.create_task(speak())
        try:
            yield cdp
        finally:
            speaking.cancel()
            reading.close()
            await cdp.aclose()
            await asyncio.sleep(0)  # for the transports to close what is theirs


@pytest.fixture(params=[browser, piped])
def connected(request):
    return request.param


async def test_events_are_handled_before_a_later_answer_is_known(connected):
    async def tell(socket, message):
        for number in range(100):
            event = {"method": "Some.event", "params": {"n": number}, "sessionId": "S"}
            await socket.send(json.dumps(event))
        await socket.send(json.dumps({"id": message["id"], "result": {}}))

    heard, everything = [], []
    async with connected(tell) as cdp:
        cdp.session("S").on("Some.event", lambda params: heard.append(params["n"]))
        cdp.session("T").on("Some.event", lambda params: heard.append("another's"))
        cdp.on("Some.event", lambda params, session: everything.append(session))
        await cdp.session("S").send("Some.command")
        assert heard == list(range(100))
        assert everything == ["S"] * 100


async def test_a_session_that_ends_fails_what_waits_in_it_and_nothing_else(connected):
    asked = []

    async def end(socket, message):
        asked.append(message)
        if len(asked) == 2:
            params = {"sessionId": "S"}
            await socket.send(json.dumps({"method": "Target.detachedFromTarget", "params": params}))
            await socket.send(json.dumps({"id": asked[1]["id"], "result": {"other": 1}}))

    told = []
    async with connected(end) as cdp:
        session = cdp.session("S")
        session.listen(lambda name, params: told.append(name))
        waits, other = session.send("Page.enable"), cdp.session("T").send("Page.enable")
        with pytest.raises(TargetClosed):
            await waits
        assert await other == {"other": 1}
        assert told == ["Target.detachedFromTarget"]


async def test_what_a_frame_is_asked_ends_with_its_process_and_not_with_the_page(connected):
    def told(event, session="S", **params):
        return json.dumps({"method": event, "sessionId": session, "params": params})

    async def end(socket, message):
        match message["method"]:
            case "Crash":
                await socket.send(told("Inspector.targetCrashed"))
            case "Reload":
                await socket.send(told("Inspector.targetReloadedAfterCrash"))
                await socket.send(json.dumps({"id": message["id"], "result": {}}))
            case "Move":
                await socket.send(told("Target.detachedFromTarget", "", sessionId="S"))
            case "Ask":
                await socket.send(json.dumps({"id": message["id"], "result": {"asked": 1}}))

    async with connected(end) as cdp:
        session = cdp.session("S")
        session.of_frame = True
        for method in ("Crash", "Ask"):  # a browser keeps what is asked of a frame that crashed
            with pytest.raises(FrameCrashed):
                await session.send(method)
        await cdp.send("Reload")
        assert await session.send("Ask") == {"asked": 1}
        for method in ("Move", "Ask"):
            with pytest.raises(ContextDestroyed):
                await session.send(method)


async def test_a_browser_that_is_gone_fails_all_that_wait(connected):
    async def close(socket, message):
        if message["method"] == "Last.command":
            await socket.close()

    async with connected(close) as cdp:
        waiting = [cdp.session("S").send("Page.enable"), cdp.send("Last.command")]
        for each in waiting:
            with pytest.raises(TargetClosed):
                await each
        async with asyncio.timeout(5):
            await cdp.closed.wait()
        with pytest.raises(TargetClosed):
            await cdp.send("Page.enable")


async def test_a_refusal_has_its_code_and_a_lost_session_a_type(connected):
    async def refuse(socket, message):
        code = -32001 if message["method"] == "Page.lost" else -32601
        error = {"code": code, "message": "no"}
        await socket.send(json.dumps({"id": message["id"], "error": error}))

    async with connected(refuse) as cdp:
        with pytest.raises(ProtocolError) as caught:
            await cdp.send("Page.unknown")
        assert caught.value.code == -32601
        with pytest.raises(TargetClosed):
            await cdp.session("S").send("Page.lost")


async def test_a_command_that_is_not_answered_is_given_up(connected):
    async def keep_silent(socket, message):
        pass

    async with connected(keep_silent) as cdp:
        with pytest.raises(NotAnswered, match=r"Page.enable was not answered within 0.05 s"):
            await cdp.call("Page.enable", limit=0.05)
        assert not cdp._waiting


async def test_a_target_that_cannot_be_watched_goes_on():
    asked = []

    async def refuse(socket, message):
        asked.append(message["method"])
        answer = {"error": {"message": "no"}} if "AutoAttach" in asked[-1] else {"result": {}}
        await socket.send(json.dumps({"id": message["id"], **answer}))

    async with browser(refuse) as cdp:
        watch = BrowserMonitor(cdp, lambda event: None, SimpleNamespace(), None)
        with pytest.raises(CdpError):
            await watch._watch("page", "S", "", waiting=True)
        async with asyncio.timeout(10):
            while "Runtime.runIfWaitingForDebugger" not in asked:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("loader", "told"),
    [
        ("", "302"),
        ("1", "redirect refused: app: addresses are not opened, only http: and https:."),
    ],
    ids=["a script wants the answer alone", "a document"],
)
def test_what_a_redirect_out_of_the_web_is_told_as(loader, told):
    events, refused = [], []
    session = CdpSession(SimpleNamespace(send=lambda *_, **__: None), "S")
    cdp = SimpleNamespace(on=lambda *_: None, post=lambda *_, **__: None, session=lambda _: session)
    Network(cdp, events.append, None, SimpleNamespace(), None, refused.append).listen("S")
    request = {"url": "http://a/", "method": "GET", "headers": {}}
    answer = {"status": 302, "statusText": "Found", "headers": {"Location": "app://back"}}
    begun = {"requestId": "1", "loaderId": loader, "request": request}
    begun |= {"wallTime": 1, "timestamp": 1}
    session.take("Network.requestWillBeSent", begun)
    session.take("Network.responseReceived", {"requestId": "1", "response": answer})
    session.take("Network.loadingFinished", {"requestId": "1", "timestamp": 2})
    assert [event.summary for event in events] == [f"GET http://a/ {told}"]
    assert len(refused) == (loader == "1")


async def test_requests_beyond_what_is_followed_are_recorded_all_the_same():
    events = []
    session = CdpSession(SimpleNamespace(send=lambda *_, **__: None), "S")
    cdp = SimpleNamespace(on=lambda *_: None, post=lambda *_, **__: None, session=lambda _: session)
    network = Network(cdp, events.append, None, SimpleNamespace(), None, lambda _: None)
    network.listen("S")
    for number in range(MOST + 5):
        request = {"url": f"http://a/{number}", "method": "GET", "headers": {}}
        params = {"requestId": str(number), "request": request, "timestamp": 1, "wallTime": 1}
        session.take("Network.requestWillBeSent", params)
    assert [e.summary for e in events] == [
        f"GET http://a/{n} not followed any more" for n in range(5)
    ]
    network.finish()
    assert len(events) == MOST + 5


@pytest.mark.parametrize("way", ["does not read", "is gone"])
async def test_a_caller_that_does_not_take_progress_is_told_no_more(monkeypatch, way):
    monkeypatch.setattr("strap_agent.caller.TELL_LIMIT", 0.05)
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
