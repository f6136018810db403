"""The extension's side of a connection: requests to it, and its replies."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from strap_browser.relay.messages import CdpFailure
from strap_browser.relay.outbox import Message, Outbox

REQUEST_LIMIT = 10.0
"""Seconds for the extension to answer: its worker may have to be woken first."""
GONE: Message = {"error": {"code": -32000, "message": "The extension is gone."}}
Then = Callable[[Message], None]
"""Receives the reply to a request: `{"result": …}` or `{"error": {"code", "message"}}`."""


class ExtensionPeer:
    """The user's Chrome, as the extension on one connection shows it."""

    def __init__(self, outbox: Outbox, hello: Mapping[str, Any]) -> None:
        self.outbox = outbox
        self.product = str(hello.get("browser") or "Chrome")[:100]
        self.user_agent = str(hello.get("userAgent") or self.product)[:500]
        self.extension_version = str(hello.get("version") or "")[:20]
        self._pending: dict[int, Then] = {}
        self._last = 0
        self._ended = False
        self.heard = time.monotonic()
        """When the extension said something last."""

    def ask(self, request: Message, then: Then) -> None:
        """Send a request; `then` gets the reply, in order with what else the extension says."""
        if self._ended:
            then(GONE)
            return
        self._last += 1
        self._pending[self._last] = then
        self.outbox.put({"id": self._last, **request})

    async def request(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a request and return its result; raises `CdpFailure`."""
        answered: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self.ask({"type": kind, **fields}, lambda reply: _settle(answered, reply))
        try:
            async with asyncio.timeout(REQUEST_LIMIT):
                reply = await answered
        except TimeoutError:
            raise CdpFailure("The extension did not answer.") from None
        if "error" in reply:
            raise CdpFailure(str(reply["error"]["message"]), int(reply["error"]["code"]))
        result: dict[str, Any] = reply["result"]
        return result

    def reply(self, message: Message) -> None:
        """Pass on a reply of the extension."""
        then = self._pending.pop(message["id"], None)
        if then is None:
            return
        error = message.get("error")
        if error is None:
            then({"result": message.get("result") or {}})
        else:
            code = error.get("code")
            code = code if isinstance(code, int) else -32000
            then({"error": {"code": code, "message": str(error.get("message", ""))}})

    def end(self) -> None:
        """Fail what is still asked; the connection is gone."""
        pending, self._pending = self._pending, {}
        self._ended = True
        for then in pending.values():
            then(GONE)


def _settle(answered: "asyncio.Future[Message]", reply: Message) -> None:
    if not answered.done():
        answered.set_result(reply)
