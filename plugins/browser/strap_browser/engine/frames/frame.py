"""One frame of a page: the process that runs it, and the worlds in which scripts run there.

A frame keeps its id from document to document, also where another process takes it over: then it
has a session of its own (a target of type "iframe"), and what happens in it is told there.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from strap import record
from strap_browser.cdp.connection import Answer, CdpSession
from strap_browser.cdp.errors import CdpError, ContextDestroyed
from strap_browser.common.tasks import started
from strap_browser.engine.frames.handles import ElementHandle, resolved, value_of
from strap_browser.page_script.bundle import NAME, source

if TYPE_CHECKING:
    from cdp_use.cdp.runtime.types import ExecutionContextDescription


MOMENT = 0.1
"""Seconds for which a document is waited for that did not answer in time, until it does."""
MISSING = "0n"
"""Result of a call where the script is missing: no call returns a number of this type."""


@record
class World:
    """The world of strap's script in each document of a page."""

    name: str
    """A name that no page can know."""
    has_script: bool
    """Whether new documents come with the script in it; it begins with the first question."""


class Frame:
    """A frame, with the document that is in it now."""

    def __init__(self, frame_id: str, session: CdpSession, world: World) -> None:
        self.id = frame_id
        self.session = session
        """Session with the process that runs the frame."""
        self.parent_frame: Frame | None = None
        self.children: dict[str, Frame] = {}
        self.url = ""
        self.loader = ""
        """Id of the document, which no other one has; "" until it is told."""
        self.unreachable = False
        """Whether the browser shows a page of its own in the place of one that did not come."""
        self.is_detached = False
        self.crashed = False
        """Whether its process is gone: it is empty until it is loaded again."""
        self.main_world = 0
        """Number of the world of the page's own scripts, 0 until it is told."""
        self.main_unique = ""
        """Id of that world, which no other world ever has."""
        self.origin = ""
        """Origin of the document in that world; "" where it has none that can be told."""
        self._terms = world
        self._busy: asyncio.Future[None] | None = None
        """Done when the document answers that did not."""
        self._world = 0
        self._unique = ""
        """Id of the world of strap's script, which no other world ever has; "" without one."""
        self._has_script = False

    @property
    def world_name(self) -> str:
        """The name of the world of strap's script."""
        return self._terms.name

    @property
    def local_root(self) -> "Frame":
        """The topmost frame of those above it that the same process runs without a gap."""
        frame = self
        while frame.parent_frame is not None and frame.parent_frame.session is frame.session:
            frame = frame.parent_frame
        return frame

    def walk(self) -> Iterator["Frame"]:
        """Yield the frame and all that are in it."""
        yield self
        for child in list(self.children.values()):
            yield from child.walk()

    async def ask(self, question: str) -> Any:
        """Return what strap's script answers to a question (see `page_script.bundle`).

        Raises `CdpError`: `ContextDestroyed` where the document is gone meanwhile.
        """
        return value_of(
            await self._evaluate(f".ask({question})", returnByValue=True, awaitPromise=True)
        )

    async def measure(self, call: str) -> Any:
        """Return what a call of strap's script promises, such as `.vitals()`; raises `CdpError`."""
        return value_of(await self._evaluate(call, returnByValue=True, awaitPromise=True))

    @asynccontextmanager
    async def patience(self, limit: float) -> AsyncIterator[None]:
        """Raise `TimeoutError` where the document does not answer within so many seconds.

        It gets no more than a moment where it did not before, as one whose script never ends, so
        that it holds up nobody again.
        """
        is_busy = self._busy is not None and not self._busy.done()
        try:
            async with asyncio.timeout(min(limit, MOMENT) if is_busy else limit):
                yield
        except TimeoutError:
            if not is_busy:
                self._busy = started(self._answers())
            raise

    async def _answers(self) -> None:
        with suppress(CdpError):
            await self._evaluate("")

    async def drawn(self) -> None:
        """Return when two more pictures of it were drawn; raises `CdpError`."""
        await self._evaluate(".drawn()", awaitPromise=True)

    async def find(self, call: str) -> ElementHandle | None:
        """Return the element that a call of strap's script comes to, None where it is none.

        `call` is what follows the script's name, as `.find(…)`.
        """
        answer = await self._evaluate(call)
        value_of(answer)
        is_node = answer["result"].get("subtype") == "node"
        return ElementHandle(self.session, answer["result"]["objectId"]) if is_node else None

    async def find_all(self, call: str) -> list[ElementHandle]:
        """Return the elements in the list that a call of strap's script comes to."""
        result = await self._evaluate(call)
        value_of(result)
        listed = result["result"]["objectId"]
        answer = await self.session.send(
            "Runtime.getProperties", objectId=listed, ownProperties=True
        )
        self.session.send("Runtime.releaseObject", objectId=listed)
        return [
            ElementHandle(self.session, prop["value"]["objectId"])
            for prop in answer["result"]
            if prop["name"].isdigit()
        ]

    async def owner(self) -> ElementHandle | None:
        """Return the element that the frame is in, in strap's world there; None for the page."""
        parent = self.parent_frame
        if parent is None:
            return None
        owner = await parent.session.send("DOM.getFrameOwner", frameId=self.id)
        return await parent.resolve(owner["backendNodeId"])

    async def is_shown(self) -> bool:
        """Whether the elements that it is in, frame in frame, are to be seen; raises `CdpError`."""
        owner = await self.owner()
        if owner is None or self.parent_frame is None:
            return True
        shown = await owner.call(f"(element) => {NAME}.isSeen(element)")
        owner.release()
        return bool(shown) and await self.parent_frame.is_shown()

    async def resolve(self, node: int) -> ElementHandle:
        """Return the element with this number as an object of strap's world; raises `CdpError`."""
        await self._evaluate("")
        return await resolved(self.session, node, self._world)

    def add_world(self, context: "ExecutionContextDescription") -> None:
        """Take note of a world of the document."""
        about = context.get("auxData", {})
        if about.get("isDefault"):
            origin = context["origin"]
            self.main_world, self.main_unique = context["id"], context["uniqueId"]
            self.origin = origin if urlsplit(origin).hostname else ""
        elif about.get("type") == "isolated" and context["name"] == self._terms.name:
            self._world, self._unique = context["id"], context["uniqueId"]
            self._has_script = self._terms.has_script

    def forget_worlds(self, context: int = 0) -> None:
        """Take note that a world is gone, or all of them."""
        if context in (0, self.main_world):
            self.main_world, self.main_unique, self.origin = 0, "", ""
        if context in (0, self._world):
            self._world, self._unique = 0, ""

    def move(self, session: CdpSession) -> None:
        """Take note that another process runs the frame from now on."""
        self.session = session
        self.loader = ""
        self.crashed = False
        self.forget_worlds()

    async def _enter(self) -> None:
        """See to it that the document has a world for strap's script.

        Chromium makes it for the empty document as well that is there until a server answers.
        """
        if not self._unique:
            options = {"worldName": self._terms.name, "grantUniveralAccess": True}
            await self.session.send("Page.createIsolatedWorld", frameId=self.id, **options)
        if not self._unique:
            raise ContextDestroyed("The document went while it was asked.")

    async def _evaluate(self, call: str, **options: Any) -> Answer:
        """Evaluate a call of strap's script, which a document without it is given with the call.

        Those are without it that were there before their page was set up, and empty windows.
        """
        await self._enter()
        if self._has_script:
            answer = await self._evaluated(f"{NAME} ? {NAME}{call} : {MISSING}", options)
            if answer["result"]["type"] != "bigint":
                return answer
        return await self._evaluated(f"{source()}{call}", options)

    async def _evaluated(self, expression: str, options: dict[str, Any]) -> Answer:
        world = self._unique
        try:
            answer = await self.session.send(
                "Runtime.evaluate", expression=expression, uniqueContextId=world, **options
            )
        except ContextDestroyed:
            if self._unique == world:
                self.forget_worlds()
            raise
        self._has_script = self._unique == world
        return answer


def addresses(main: Frame, frames: Sequence[Frame]) -> tuple[str, ...]:
    """Return the addresses of a page's frames and of those around them, the innermost first.

    A document that was written has the address of the one around it. A whole page without an
    address may be anybody's, and is told as it is. A page that goes elsewhere now has two.
    """
    urls = [f.url for frame in frames for f in _around(frame) if f is not main and _host(f.url)]
    return tuple(dict.fromkeys((*urls, main.url, main.origin or main.url)))


def _around(frame: Frame) -> Iterator[Frame]:
    at: Frame | None = frame
    while at is not None:
        yield at
        at = at.parent_frame


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
