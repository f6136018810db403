"""The sessions of a browser that a Playwright server runs, as one connection of the protocol.

Playwright gives its clients the browser's own session (`browser.new_browser_cdp_session`) and keeps
no others for them. What is meant for the session of a page, or of something in it, is told to the
one that it was attached in: `Target.sendMessageToTarget`, answered by
`Target.receivedMessageFromTarget`, the older way of the domain Target.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from strap_browser.cdp.errors import NO_SESSION
from strap_browser.common.tasks import Tasks

if TYPE_CHECKING:
    from playwright.async_api import Browser, CDPSession

Message = dict[str, Any]
EVENTS = (
    "Browser.downloadProgress",
    "Browser.downloadWillBegin",
    "Target.detachedFromTarget",
    "Target.targetCrashed",
    "Target.targetDestroyed",
    "Target.targetInfoChanged",
)
"""Events of the browser's own session that are handed on."""
FIRST_WRAP = 1 << 30
"""The ids of messages that carry others begin here, far beyond those of what they carry."""
REFUSED = "Protocol error ("
"""Begins what Playwright says where the browser refused a command: the method, then why."""


class PlaywrightTunnel:
    """Carries flat sessions through a session that is not flat; a transport of `CdpConnection`.

    Only pages in contexts that were made through it are attached, each as soon as it is there.
    """

    def __init__(self, browser: "Browser", session: "CDPSession") -> None:
        self._browser = browser
        self._session = session
        self._tasks = Tasks()
        self._parents: dict[str, str] = {}
        """The session in which each session was attached, "" for the browser's own."""
        self._contexts: set[str] = set()
        self._carried: dict[int, tuple[str, int]] = {}
        """The session and id of what is on its way in another message."""
        self._last = FIRST_WRAP

    async def open(self, take: Callable[[bytes | str], None], end: Callable[[], None]) -> None:
        """Begin to hand each message to `take`; `end` is called when no more will come."""
        self._take = take
        self._browser.on("disconnected", lambda _: end())
        on = self._session.on
        on("Target.receivedMessageFromTarget", self._on_message)
        on("Target.attachedToTarget", self._on_attached)
        on("Target.targetCreated", self._on_created)
        for name in EVENTS:
            on(name, lambda params, name=name: self._tell({"method": name, "params": params}))

    def write(self, message: str) -> None:
        """Send a message."""
        request: Message = json.loads(message)
        params = request.get("params", {})
        if "flatten" in params:
            params["flatten"] = False
        session = request.pop("sessionId", "")
        if request["method"] == "Target.detachFromTarget":
            session = self._parents.get(params["sessionId"], "")
        if session:
            self._send_to(session, request)
        elif request["method"] == "Target.setAutoAttach":
            self._tasks(self._follow(request))
        else:
            self._tasks(self._ask(request))

    def close(self) -> None:
        """Leave the server."""
        self._tasks(self._browser.close())

    async def aclose(self) -> None:
        """Leave the server and return when that is done."""
        await self._browser.close()
        await self._tasks.aclose()

    async def _follow(self, request: Message) -> None:
        """Learn of new pages, as Chromium attaches a session that is not flat to none by itself."""
        discover = {"discover": request["params"]["autoAttach"]}
        await self._ask({**request, "method": "Target.setDiscoverTargets", "params": discover})

    async def _ask(self, request: Message) -> None:
        answer = await self._call(request["method"], request.get("params", {}))
        if request["method"] == "Target.createBrowserContext" and "result" in answer:
            self._contexts.add(answer["result"]["browserContextId"])
        self._tell({"id": request["id"], **answer})

    async def _call(self, method: str, params: Message) -> Message:
        from playwright.async_api import Error

        try:
            return {"result": await self._session.send(method, params)}
        except Error as error:
            _, _, why = error.message.partition(f"{REFUSED}{method}): ")
            return {"error": {"message": why or error.message}}

    def _send_to(self, session: str, request: Message) -> None:
        """Send a message to a session, in that in which it was attached."""
        parent = self._parents.get(session)
        if parent is None:
            self._refuse(session, request["id"])
            return
        params = {"sessionId": session, "message": json.dumps(request)}
        if parent:
            self._last += 1
            self._carried[self._last] = session, request["id"]
            wrap = {"id": self._last, "method": "Target.sendMessageToTarget", "params": params}
            self._send_to(parent, wrap)
        else:
            self._tasks(self._deliver(session, request["id"], params))

    async def _deliver(self, session: str, message_id: int, params: Message) -> None:
        if "error" in await self._call("Target.sendMessageToTarget", params):
            self._refuse(session, message_id)

    def _on_message(self, event: Message) -> None:
        self._hear(event["sessionId"], event["message"])

    def _hear(self, session: str, message: str) -> None:
        answer: Message = json.loads(message)
        if carried := self._carried.pop(answer.get("id", 0), None):
            if "error" in answer:
                self._refuse(*carried)
            return
        match answer.get("method"):
            case "Target.receivedMessageFromTarget":
                self._hear(answer["params"]["sessionId"], answer["params"]["message"])
                return
            case "Target.attachedToTarget":
                self._parents[answer["params"]["sessionId"]] = session
            case "Target.detachedFromTarget":
                self._parents.pop(answer["params"]["sessionId"], None)
        self._tell({**answer, "sessionId": session})

    def _on_attached(self, params: Message) -> None:
        self._parents[params["sessionId"]] = ""
        self._tell({"method": "Target.attachedToTarget", "params": params})

    def _on_created(self, params: Message) -> None:
        info = params["targetInfo"]
        if info["type"] == "page" and info.get("browserContextId") in self._contexts:
            attach = {"targetId": info["targetId"], "flatten": False}
            self._tasks(self._call("Target.attachToTarget", attach))

    def _refuse(self, session: str, message_id: int) -> None:
        if message_id in self._carried:  # what carries a message is nobody's own
            self._refuse(*self._carried.pop(message_id))
            return
        error = {"code": NO_SESSION, "message": "The session has ended."}
        self._tell({"id": message_id, "error": error, "sessionId": session})

    def _tell(self, message: Message) -> None:
        self._take(json.dumps(message))
