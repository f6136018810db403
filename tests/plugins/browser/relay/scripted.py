"""A scripted extension: it speaks the relay's protocol, and a real Chromium carries out the rest.

Where the extension calls `chrome.debugger`, this one uses a DevTools session of the page.
"""

import asyncio
import json
import secrets
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from strap_browser.cdp.connection import CdpConnection
from strap_browser.cdp.errors import CdpError
from strap_browser.relay.access.pairing import is_proof, prove

ID = "abcdefghijklmnopabcdefghijklmnop"
ORIGIN = f"chrome-extension://{ID}"


class RawCdp(CdpConnection):
    """A connection to Chromium that hands on every event."""

    everything = None

    def _tell(self, method, params, session):
        if self.everything is not None:
            self.everything({"method": method, "params": params, "sessionId": session})
        super()._tell(method, params, session)


async def dial(port, secret, *, origin=ORIGIN, **options):
    """Connect as the extension and prove to know `secret`; returns the open socket."""
    for _ in range(200):
        with suppress(ConnectionRefusedError):
            socket = await connect(
                f"ws://127.0.0.1:{port}/relay/extension",
                origin=origin, max_size=None, compression=None, proxy=None, **options,
            )  # fmt: skip
            break
        await asyncio.sleep(0.02)
    nonce = secrets.token_hex(16)
    hello = {"type": "hello", "protocol": 1, "nonce": nonce, "version": "1", "browser": "Chrome/1"}
    await socket.send(json.dumps(hello))
    challenge = json.loads(await socket.recv())
    assert is_proof(challenge["proof"], secret, "relay", nonce, challenge["nonce"])
    proof = prove(secret, "extension", nonce, challenge["nonce"])
    await socket.send(json.dumps({"type": "proof", "proof": proof}))
    assert json.loads(await socket.recv()) == {"type": "welcome"}
    return socket


class Extension:
    """Grants tabs, and forwards commands and events of those."""

    def __init__(self, socket, cdp):
        self.asked = []
        """The types of the requests, and the methods of the commands."""
        self.tabs = {}
        self.closed_off = set()
        """Tabs at pages that Chrome lets no extension debug."""
        self.ended = asyncio.Event()
        self._socket, self._cdp = socket, cdp
        self._sessions = {}
        self._tasks = set()
        self._out = asyncio.Queue()
        cdp.everything = self._event

    async def begin(self):
        self.say({"type": "tabs", "tabs": []})
        for work in (self._read(), self._write()):
            self._spawn(work)

    async def grant(self, url="about:blank", **further):
        """Open a tab and grant it, as the user does with a click; returns its number."""
        tab = await self._open(url)
        self.say({"type": "granted", "tab": tab | further})
        return tab["tabId"]

    async def revoke(self, number, reason="user"):
        await self._detach(number)
        del self.tabs[number]
        self.say({"type": "revoked", "tabId": number, "reason": reason})

    async def lose(self, number):
        """The tab went to a page that may not be debugged."""
        await self._detach(number)
        self.say({"type": "detached", "tabId": number, "reason": "target_closed"})

    async def regain(self, number):
        self.closed_off.discard(number)
        await self._attach(number)
        self.say({"type": "attached", "tabId": number})

    def say(self, message):
        self._out.put_nowait(json.dumps(message))

    async def aclose(self):
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._socket.close()

    def _spawn(self, work):
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read(self):
        with suppress(ConnectionClosed):
            async for frame in self._socket:
                message = json.loads(frame)
                if message["type"] == "ping":
                    self.say({"type": "pong"})
                    continue
                self.asked.append(message.get("method") or message["type"])
                self._spawn(self._answer(message))
        self.ended.set()

    async def _write(self):
        with suppress(ConnectionClosed):
            while True:
                await self._socket.send(await self._out.get())

    async def _answer(self, message):
        # The reply is put into the queue where Chromium's own comes in, so that order is kept.
        if message["type"] == "command" and message["tabId"] in self.tabs:
            session = message.get("sessionId") or self.tabs[message["tabId"]].get("session", "")
            self._forward(message["id"], session, message["method"], message["params"])
            return
        try:
            if message.get("tabId", -1) not in self.tabs and message["type"] != "create":
                raise CdpError("not granted")
            result = await getattr(self, f"_{message['type']}")(message.get("tabId"), message)
            self.say({"id": message["id"], "result": result})
        except CdpError as error:
            self.say({"id": message["id"], "error": {"code": -32001, "message": str(error)}})

    def _forward(self, number, session, method, params):
        self._cdp._last += 1
        self._cdp._waiting[self._cdp._last] = session, _Answer(self.say, number)
        message = {"id": self._cdp._last, "method": method, "params": params}
        self._cdp._transport.write(json.dumps({**message, "sessionId": session}))

    async def _open(self, url):
        target = (await self._cdp.call("Target.createTarget", url=url))["targetId"]
        number = max(self.tabs, default=100) + 1
        self.tabs[number] = {"tabId": number, "targetId": target, "title": "", "url": url}
        return self.tabs[number]

    async def _attach(self, number, _=None):
        tab = self.tabs[number]
        if number in self.closed_off:
            raise CdpError("Cannot attach to this target.")
        if "session" not in tab:
            made = await self._cdp.call(
                "Target.attachToTarget", targetId=tab["targetId"], flatten=True
            )
            tab["session"] = made["sessionId"]
            self._sessions[made["sessionId"]] = (number, None)
        return {"targetId": tab["targetId"]}

    async def _detach(self, number, _=None):
        session = self.tabs[number].pop("session", None)
        if session is not None:
            for known in [s for s, (n, _) in self._sessions.items() if n == number]:
                del self._sessions[known]
            await self._cdp.call("Target.detachFromTarget", sessionId=session)
        return {}

    async def _create(self, _, message):
        tab = await self._open(message["url"])
        return {"tab": {k: v for k, v in tab.items() if k != "session"}}

    async def _close(self, number, _):
        with suppress(CdpError):  # it may be closed already
            await self._cdp.call("Target.closeTarget", targetId=self.tabs[number]["targetId"])
        if self.tabs.pop(number, None) is not None:
            self.say({"type": "revoked", "tabId": number, "reason": "closed"})
        return {}

    async def _activate(self, number, _):
        await self._cdp.call("Target.activateTarget", targetId=self.tabs[number]["targetId"])
        return {}

    def _event(self, message):
        known = self._sessions.get(message.get("sessionId"))
        if known is None:
            return
        number, child = known
        method, params = message["method"], message["params"]
        if method == "Target.attachedToTarget":
            self._sessions[params["sessionId"]] = (number, params["sessionId"])
        event = {"type": "event", "tabId": number, "method": method, "params": params}
        self.say({**event, "sessionId": child} if child else event)
        if method == "Page.frameNavigated" and child is None:
            frame = params["frame"]
            if "parentId" not in frame:
                tab = {"tabId": number, "title": "", "url": frame["url"]}
                self.tabs[number]["url"] = frame["url"]
                self.say({"type": "changed", "tab": tab})


class _Answer:
    """Stands where a connection keeps its futures; replies the moment that Chromium does."""

    def __init__(self, say, number):
        self._say, self._number, self._said = say, number, False

    def done(self):
        return self._said

    def set_result(self, result):
        self._said = True
        self._say({"id": self._number, "result": result})

    def set_exception(self, error):
        self._said = True
        self._say({"id": self._number, "error": {"code": -32000, "message": str(error)}})


@asynccontextmanager
async def extension(port, secret, address):
    """An extension in the Chromium at the WebSocket `address`, connected to the relay."""
    cdp = await RawCdp.connect(address)
    try:
        made = Extension(await dial(port, secret), cdp)
        await made.begin()
        try:
            yield made
        finally:
            await made.aclose()
    finally:
        await cdp.aclose()
