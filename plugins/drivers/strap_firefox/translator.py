"""The DevTools protocol for a Firefox: a transport that speaks WebDriver BiDi behind it.

So one engine drives all browsers. Each page has one session, whose id is that of the page, and its
frames are in it. What has no counterpart is refused as a browser does that does not know a command.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from strap_browser.api import NO_SESSION, WebSocket
from strap_firefox import events, own_world, traffic
from strap_firefox.bidi import BidiError
from strap_firefox.commands import (
    accessibility,
    drags,
    frames,
    inputs,
    pages,
    pictures,
    requests,
    scripts,
    storage,
)
from strap_firefox.session import FirefoxSession

log = logging.getLogger(__name__)
Params = dict[str, Any]
Command = Callable[[FirefoxSession, str, Params], Awaitable[Params]]
COMMANDS: dict[str, Command] = {
    **accessibility.COMMANDS,
    **drags.COMMANDS,
    **frames.COMMANDS,
    **inputs.COMMANDS,
    **pages.COMMANDS,
    **pictures.COMMANDS,
    **scripts.COMMANDS,
    **requests.COMMANDS,
    **storage.COMMANDS,
}
HANDLERS: dict[str, Callable[[FirefoxSession, Params], None]] = {
    **events.HANDLERS,
    **traffic.EVENTS,
}
NO_MENU = '() => addEventListener("contextmenu", (event) => event.preventDefault())'
"""Firefox's own menu would take the next click; a page that has one prevents it, too."""
KEPT = 10_000_000
"""Bytes of a request's or an answer's content that the browser keeps, for whoever asks for it."""
UNKNOWN = -32601
"""The code of a command that is not known (JSON-RPC 2.0)."""
REFUSED = -32000
MOVED = frozenset(("no such frame", "no such handle", "no such node", "stale element reference"))
"""Codes that say that a document is gone."""
LOST = ("AbortError", "Actor", "destroyed", "NotFoundError")
"""Words in errors of messages to a document that is gone."""
CAPABILITIES = {
    "acceptInsecureCerts": False,
    "unhandledPromptBehavior": {"default": "ignore", "file": "dismiss"},
}


class Translator:
    """A transport of `CdpConnection`."""

    def __init__(self, socket: WebSocket) -> None:
        self._firefox = FirefoxSession(socket)

    async def open(self, take: Callable[[bytes | str], None], end: Callable[[], None]) -> None:
        """Begin a session; raises `BidiError`."""
        firefox = self._firefox
        firefox.take = take
        await firefox.bidi.open(self._on_event, end)
        begun = await firefox.bidi.send("session.new", capabilities={"alwaysMatch": CAPABILITIES})
        firefox.product = f"Firefox/{begun['capabilities']['browserVersion']}"
        await firefox.bidi.send("session.subscribe", events=list(events.EVENTS))
        await firefox.bidi.send("network.addIntercept", phases=["authRequired"])
        for function in (NO_MENU, accessibility.KEEP):
            await firefox.bidi.send(
                "script.addPreloadScript", functionDeclaration=function, sandbox=own_world.NAME
            )
        await firefox.bidi.send(
            "network.addDataCollector", dataTypes=["response"], maxEncodedDataSize=KEPT
        )
        # Not awaited, and refused by a Firefox that keeps answers alone.
        firefox.bidi.send(
            "network.addDataCollector", dataTypes=["request"], maxEncodedDataSize=KEPT
        )

    def write(self, message: str) -> None:
        """Carry out a command."""
        request = json.loads(message)
        session, method = request.get("sessionId", ""), request["method"]
        if session and self._firefox.contexts.get(session) is None:
            self._answer(request, error={"code": NO_SESSION, "message": "The session has ended."})
        elif command := COMMANDS.get(method):
            work = command(self._firefox, session, request["params"])
            self._firefox.start(self._carry_out(request, work))
        else:
            error = {"code": UNKNOWN, "message": f"{method!r} is not for Firefox"}
            self._answer(request, error=error)

    def close(self) -> None:
        """Leave the browser at once."""
        self._firefox.start.cancel()
        self._firefox.bidi.close()

    def quit(self) -> bool:
        """Ask the browser to end; return whether there is a connection for that."""
        if is_open := self._firefox.bidi.is_open:
            self._firefox.bidi.send("browser.close")
        return is_open

    async def aclose(self) -> None:
        """Leave the browser."""
        await self._firefox.start.aclose()
        await self._firefox.bidi.aclose()

    def _on_event(self, method: str, params: Params) -> None:
        if handler := HANDLERS.get(method):
            try:
                handler(self._firefox, params)
            except Exception:
                log.exception("%s could not be handled", method)

    async def _carry_out(self, request: Params, work: Awaitable[Params]) -> None:
        try:
            self._answer(request, result=await work)
        except BidiError as error:
            self._answer(request, error=self._refusal(error, request.get("sessionId", "")))
        except Exception as error:
            log.exception("%s could not be carried out", request["method"])
            self._answer(request, error={"code": REFUSED, "message": str(error)})

    def _refusal(self, error: BidiError, session: str) -> Params:
        if session and self._firefox.contexts.get(session) is None:
            return {"code": NO_SESSION, "message": "The session has ended."}
        text = str(error)
        if error.code in MOVED or any(word in text for word in LOST):
            return {"code": REFUSED, "message": "Execution context was destroyed."}
        return {"code": REFUSED, "message": f"{error.code}: {text}"}

    def _answer(self, request: Params, **answer: Any) -> None:
        message = {"id": request["id"], **answer}
        if request.get("sessionId"):
            message["sessionId"] = request["sessionId"]
        self._firefox.take(json.dumps(message))
