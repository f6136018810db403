"""The frames of a page, of other sites too: each of those is asked in a session of its own."""

import asyncio
from contextlib import suppress
from typing import Any

from strap import record
from strap_browser.api import CdpError, CdpSession, Params
from strap_live.subjects.subject import WORLD

DEEPEST = 20
"""Frames in frames that are gone through."""
FRAMES = ("IFRAME", "FRAME")
AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
FOCUS_SCRIPT = """(() => { let at = document;
while ((at.activeElement ?? at).shadowRoot) at = at.activeElement.shadowRoot;
return at.activeElement ?? document.documentElement; })()"""
SCROLLED_SCRIPT = "[visualViewport.pageLeft, visualViewport.pageTop]"


@record
class PageElement:
    """An element, as an object in the world of the live view, and the frame that it is in."""

    session: CdpSession
    frame: str
    object: str


class PageFrames:
    """The frames of one page; those of other sites are attached to when somebody asks first."""

    def __init__(self, session: CdpSession) -> None:
        self._page = session
        self._others: dict[str, CdpSession] = {}
        """The sessions of frames of other sites, by their ids."""
        self._followed: dict[CdpSession, asyncio.Future[Any]] = {}

    async def at(self, x: float, y: float) -> PageElement:
        """Return the element at a place, in CSS pixels of what is seen of the page.

        Raises `CdpError`, `KeyError`.
        """
        session, frame = self._page, await self._main()
        for _ in range(DEEPEST):
            left, top = await self._evaluate(session, frame, SCROLLED_SCRIPT)
            place = {"x": round(x + left), "y": round(y + top)}
            node_info = await session.send("DOM.getNodeForLocation", **place)
            node = {"backendNodeId": node_info["backendNodeId"]}
            inner = await self._in(session, node)
            if inner not in self._others:
                world = await self.world(session, node_info["frameId"])
                params = {**node, "executionContextId": world}
                resolved = await session.send("DOM.resolveNode", **params)
                return PageElement(
                    session=session,
                    frame=node_info["frameId"],
                    object=resolved["object"]["objectId"],
                )
            x, y = await self._within(session, node, x, y)
            session, frame = self._others[inner], inner
        raise KeyError(frame)

    async def focused(self) -> PageElement:
        """Return the element that has the focus; raises `CdpError`, `KeyError`."""
        session, frame = self._page, await self._main()
        for _ in range(DEEPEST):
            world = await self.world(session, frame)
            params = {"expression": FOCUS_SCRIPT, "contextId": world}
            object_id = (await session.send("Runtime.evaluate", **params))["result"]["objectId"]
            inner = await self._in(session, {"objectId": object_id})
            if not inner:
                return PageElement(session=session, frame=frame, object=object_id)
            session, frame = self._others.get(inner, session), inner
        raise KeyError(frame)

    async def world(self, session: CdpSession, frame: str) -> int:
        """Return the world in which a frame is asked; it is made once."""
        params = {"frameId": frame, "worldName": WORLD}
        made = await session.send("Page.createIsolatedWorld", **params)
        number: int = made["executionContextId"]
        return number

    async def _main(self) -> str:
        tree = await self._page.send("Page.getFrameTree")
        return str(tree["frameTree"]["frame"]["id"])

    async def _evaluate(self, session: CdpSession, frame: str, script: str) -> Any:
        params = {"expression": script, "contextId": await self.world(session, frame)}
        answer = await session.send("Runtime.evaluate", returnByValue=True, **params)
        return answer["result"]["value"]

    async def _in(self, session: CdpSession, node: Params) -> str:
        node_info = (await session.send("DOM.describeNode", **node))["node"]
        if node_info["nodeName"] not in FRAMES:
            return ""
        await self._follow(session)
        return str(node_info.get("frameId", ""))

    async def _within(
        self, session: CdpSession, node: Params, x: float, y: float
    ) -> tuple[float, float]:
        model = (await session.send("DOM.getBoxModel", **node))["model"]
        left, top, right, _, _, bottom, *_ = model["content"]
        border, outer = model["border"], (model["width"], model["height"])
        wide = (border[2] - border[0]) / outer[0] if outer[0] else 1
        high = (border[5] - border[1]) / outer[1] if outer[1] else 1
        if not (left <= x <= right and top <= y <= bottom and wide and high):
            raise KeyError("border")
        return (x - left) / wide, (y - top) / high

    async def _follow(self, session: CdpSession) -> None:
        if session not in self._followed:
            session.on("Target.attachedToTarget", self._came)
            session.on("Target.detachedFromTarget", self._went)
            self._followed[session] = session.send("Target.setAutoAttach", **AUTO_ATTACH)
        with suppress(CdpError):
            await asyncio.shield(self._followed[session])

    def _came(self, params: Params) -> None:
        info = params["targetInfo"]
        if info["type"] == "iframe":
            session = self._page.connection.session(params["sessionId"])
            self._others[info["targetId"]] = session

    def _went(self, params: Params) -> None:
        gone = params["sessionId"]
        self._others = {k: session for k, session in self._others.items() if session.id != gone}
        self._followed = {k: task for k, task in self._followed.items() if k.id != gone}
