"""A relay that does what a test says: the other end of the extension, without strap behind it."""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

Frame = dict[str, Any]
LIMIT = 40.0
"""Seconds to wait for a frame: more than the half minute between two looks of a sleeping worker."""


class Relay:
    """Proves that it knows `secret`, then asks, and keeps what it is told."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(32)
        self.port = 0
        self.origin: str | None = None
        self.hello: Frame = {}
        self.frames: list[Frame] = []
        self.refused = asyncio.Event()
        self.lost = asyncio.Event()
        self._socket: ServerConnection | None = None
        self._news = asyncio.Condition()
        self._last = 0

    async def welcome(self, socket: ServerConnection) -> None:
        """Serve one connection."""
        self.origin = socket.request.headers["Origin"] if socket.request else None
        self.hello = json.loads(await socket.recv())
        nonce = secrets.token_hex(16)
        theirs = f"{self.hello['nonce']}:{nonce}"
        challenge = {"type": "challenge", "protocol": 1, "nonce": nonce}
        await socket.send(json.dumps(challenge | {"proof": self._prove(f"relay:{theirs}")}))
        try:
            proof = json.loads(await socket.recv())
        except Exception:  # noqa: BLE001 - the extension left, for whatever it did not like
            self.refused.set()
            return
        if proof != {"type": "proof", "proof": self._prove(f"extension:{theirs}")}:
            await socket.close(4401)
            return
        self.frames.clear()
        self._socket = socket
        self.lost.clear()
        await socket.send(json.dumps({"type": "welcome"}))
        async for text in socket:
            async with self._news:
                self.frames.append(json.loads(text))
                self._news.notify_all()
        self.lost.set()

    async def told(self, kind: str, matches: Callable[[Frame], object] = bool) -> Frame:
        """Take the first frame of this type that matches, once it is there."""
        return await self._take(lambda frame: frame.get("type") == kind and matches(frame))

    async def ask(self, kind: str, **fields: Any) -> Any:
        """The result of a request; an error is an `AssertionError` that tells it."""
        answer = await self.answer(self.post(kind, **fields))
        assert "result" in answer, answer
        return answer["result"]

    async def refusal(self, kind: str, **fields: Any) -> Frame:
        """The error of a request."""
        answer = await self.answer(self.post(kind, **fields))
        assert "error" in answer, answer
        return dict(answer["error"])

    def post(self, kind: str, **fields: Any) -> "asyncio.Future[int]":
        """Send a request; the future has its number, for `answer`."""
        self._last += 1
        number = self._last
        assert self._socket is not None

        async def send(socket: ServerConnection) -> int:
            await socket.send(json.dumps({"id": number, "type": kind, **fields}))
            return number

        return asyncio.ensure_future(send(self._socket))

    async def answer(self, posted: "asyncio.Future[int]") -> Frame:
        number = await posted
        return await self._take(lambda frame: frame.get("id") == number)

    async def cdp(self, tab_id: int, method: str, session: str = "", **params: Any) -> Any:
        """The result of a command of the DevTools protocol in a tab."""
        named = {"sessionId": session} if session else {}
        return await self.ask("command", tabId=tab_id, method=method, params=params, **named)

    async def value(self, tab_id: int, expression: str) -> Any:
        answer = await self.cdp(
            tab_id, "Runtime.evaluate", expression=expression, returnByValue=True
        )
        return answer["result"].get("value")

    async def close(self, code: int) -> None:
        """End the connection with the extension."""
        assert self._socket is not None
        await self._socket.close(code)

    async def _take(self, matches: Callable[[Frame], object]) -> Frame:
        async with asyncio.timeout(LIMIT), self._news:
            while True:
                for place, frame in enumerate(self.frames):
                    if matches(frame):
                        return self.frames.pop(place)
                await self._news.wait()

    def _prove(self, text: str) -> str:
        return hmac.new(self.secret.encode(), text.encode(), hashlib.sha256).hexdigest()


@asynccontextmanager
async def listening() -> AsyncIterator[Relay]:
    """A relay on a free port."""
    relay = Relay()
    async with serve(relay.welcome, "127.0.0.1", 0, max_size=None) as server:
        relay.port = next(iter(server.sockets)).getsockname()[1]
        yield relay
