"""Asking strap before an action that a person may have to agree to.

What is told of an element comes from the browser itself (its accessibility tree, its attributes),
and addresses by `location`, which no page can redefine.
"""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

from strap_agent.worker.channel import Channel, Message

QUESTIONS = 3
"""How often one action is asked about: what changes each time is refused then."""
LOOK_LIMIT = 5.0
"""Seconds for finding out what an action is about; a page that hangs tells nothing."""
CHANGED = "What it is about changed while a person was asked, so nothing was done. Look anew."
NO_ELEMENT = "There is no such element any more, so nothing was done."
IN_FRAME = "A person has to agree, who cannot be told what is at a place in a frame. Use an index."
ENDLESS = 86_400.0
"""Seconds that no run lasts."""
UNKNOWN: Message = {"unknown": True}
FOCUS = "document.activeElement"
WHERE = """function () { return [location.href, ...location.ancestorOrigins]; }"""


class Consent:
    """Asks strap, which asks the person."""

    def __init__(self, channel: Channel) -> None:
        self.waits = 0
        """How many answers are waited for."""
        self.waiting: Callable[[bool], None] = _nobody
        """Told when an answer is waited for, and when no more."""
        self._channel = channel
        self._free: frozenset[str] | None = None
        self._numbers = count(1)
        self._open: dict[int, asyncio.Future[Message]] = {}

    @property
    def is_needed(self) -> bool:
        """Whether any action may need a yes."""
        return self._free is not None

    def begin(self, free: list[str] | None) -> None:
        """Take note of the actions that need none; all others are asked about. None: none is."""
        self._free = None if free is None else frozenset(free)

    def answered(self, message: Message) -> None:
        """Take what strap says to a question."""
        waiting = self._open.get(message["number"])
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    def withdraw(self) -> None:
        """Wait for no answer any more: `refusal` raises `InterruptedError`."""
        for number, waiting in self._open.items():
            if not waiting.done():
                self._channel.send("unasked", number=number)
                waiting.set_exception(InterruptedError())

    async def refusal(self, name: str, params: Any, session: Any) -> str:
        """Return why an action is not to be carried out, empty if it may be."""
        if self._free is None or name in self._free:
            return ""
        for _ in range(QUESTIONS):
            about = await _about(name, params or {}, session)
            if why := about.get("refused"):
                return str(why)
            answer = await self._ask(name, params or {}, about, session.agent_focus_target_id)
            if answer["why"] or not answer["asked"]:
                return str(answer["why"])
            if await _about(name, params or {}, session) == about:
                return ""
        return CHANGED

    async def _ask(self, name: str, params: Any, about: Message, target: str | None) -> Message:
        number = next(self._numbers)
        self._open[number] = waiting = asyncio.get_running_loop().create_future()
        self.waits += 1
        self.waiting(True)
        self._channel.send(
            "may_act", number=number, name=name, params=params, about=about, target=target
        )
        try:
            answer: Message = await waiting
            return answer
        finally:
            self.waits -= 1
            self.waiting(False)
            del self._open[number]


def _nobody(_: bool) -> None:
    """Tell nobody."""


async def _about(name: str, params: Any, session: Any) -> Message:
    """Return what an action is about: an element as the browser describes it, or nothing."""
    try:
        async with asyncio.timeout(LOOK_LIMIT):
            return await _looked(name, params, session)
    except Exception:  # noqa: BLE001 - whatever it is, a person is told less, and asked all the same
        return UNKNOWN


async def _looked(name: str, params: Any, session: Any) -> Message:
    if params.get("index") is not None:
        node = await session.get_element_by_index(params["index"])
        if node is None:
            return {"refused": NO_ELEMENT}
        place = await session.cdp_client_for_node(node)
        return await _described(place, node.backend_node_id)
    if params.get("coordinate_x") is not None and params.get("coordinate_y") is not None:
        place = await session.get_or_create_cdp_session()
        at = {"x": params["coordinate_x"], "y": params["coordinate_y"]}
        hit = await place.cdp_client.send.DOM.getNodeForLocation(at, place.session_id)
        about = await _described(place, hit["backendNodeId"])
        return {"refused": IN_FRAME} if about["tag"] in ("iframe", "frame") else about
    if name == "send_keys":
        return await _focused(await session.get_or_create_cdp_session())
    return {}


async def _focused(place: Any) -> Message:
    send, session = place.cdp_client.send, place.session_id
    world = await send.Page.createIsolatedWorld({"frameId": place.target_id}, session)
    params = {"expression": FOCUS, "contextId": world["executionContextId"]}
    evaluated = await send.Runtime.evaluate(params, session)
    node = await send.DOM.describeNode({"objectId": evaluated["result"]["objectId"]}, session)
    return await _described(place, node["node"]["backendNodeId"])


async def _described(place: Any, node: int) -> Message:
    send, session = place.cdp_client.send, place.session_id
    node_info = (await send.DOM.describeNode({"backendNodeId": node}, session))["node"]
    listed = node_info.get("attributes") or []
    attributes = dict(zip(listed[::2], listed[1::2], strict=True))
    tree = await send.Accessibility.getPartialAXTree(
        {"backendNodeId": node, "fetchRelatives": False}, session
    )
    seen = tree["nodes"][0] if tree["nodes"] else {}
    resolved = await send.DOM.resolveNode({"backendNodeId": node}, session)
    where = await send.Runtime.callFunctionOn(
        {
            "objectId": resolved["object"]["objectId"],
            "functionDeclaration": WHERE,
            "returnByValue": True,
        },
        session,
    )
    secret = attributes.get("type", "").lower() == "password"
    return {
        "node": node,
        "tag": node_info["localName"],
        "role": str(seen.get("role", {}).get("value") or ""),
        "name": str(seen.get("name", {}).get("value") or ""),
        "holds": "" if secret else str(seen.get("value", {}).get("value") or ""),
        "secret": secret,
        "urls": where["result"]["value"],
    }


class StepLimit:
    """The time that a step of the agent has, which stands still while a person is asked.

    browser-use's own limit for it is put off.
    """

    def __init__(self, agent: Any, seconds: float, consent: Consent) -> None:
        self._agent = agent
        self._step = agent.step
        self._seconds = seconds
        self._scope: asyncio.Timeout | None = None
        self._left: float | None = None
        agent.step = self._begin
        agent.settings.step_timeout = ENDLESS
        consent.waiting = self._stand_still

    def _begin(self, *args: Any) -> Any:
        self._agent.settings.step_timeout = ENDLESS
        return self._limited(*args)

    async def _limited(self, *args: Any) -> Any:
        try:
            async with asyncio.timeout(self._seconds) as self._scope:
                return await self._step(*args)
        except TimeoutError:
            self._agent.settings.step_timeout = self._seconds  # what it says was over
            raise
        finally:
            self._scope = None

    def _stand_still(self, waiting: bool) -> None:
        scope = self._scope
        if scope is None or scope.expired():
            return
        now = asyncio.get_running_loop().time()
        if waiting:
            self._left = (scope.when() or now) - now
            scope.reschedule(None)
        elif self._left is not None:
            scope.reschedule(now + self._left)
