"""A page's DevTools session on the pipe of a browser of ours.

Playwright's driver takes most of the time of a short command; here it is not asked.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from strap_browser.cdp.connection import Answer, CdpConnection, CdpSession
from strap_browser.cdp.errors import CdpError
from strap_browser.content.script import question, source
from strap_browser.engine.input import Keyboard, Mouse

Evaluate = Callable[..., Awaitable[Answer]]
"""Takes the options of `Runtime.evaluate`; raises `CdpError`."""
WITHOUT_BODIES = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}


class Direct:
    """Runs code in a page, and tells whether the page did anything else meanwhile."""

    events = 0
    """How many the page has told of."""

    def __init__(self, session: CdpSession, *, frame: str, world: str, engine: str) -> None:
        self._session = session
        self.keyboard = Keyboard(session)
        self.mouse = Mouse(session, self.keyboard)
        self._frame = frame
        self._world_name = world
        self._engine = engine
        self._world = ""
        self._contexts: list[dict[str, Any]] = []
        session.listen(self._on_event)

    @classmethod
    async def attach(
        cls, cdp: CdpConnection, target_id: str, *, world: str, engine: str
    ) -> "Direct":
        """Open a session with a page; raises `CdpError`.

        Its agent is called `engine` and lives in the world of that name.
        """
        session = await cdp.attach(target_id)
        # A page and its main frame have the same id.
        direct = cls(session, frame=target_id, world=world, engine=engine)
        await direct.send("Page.enable")
        return direct

    def end(self) -> None:
        """End the session."""
        self._session.detach()

    def send(self, method: str, **params: Any) -> asyncio.Future[Answer]:
        """Send the page a command; the result is its answer, or raises `CdpError`."""
        return self._session.send(method, **params)

    async def evaluate(self, **options: Any) -> Answer:
        """Return the answer of `Runtime.evaluate`; raises `CdpError`."""
        return await self.send("Runtime.evaluate", **options)

    async def ask(self, op: str, *, way: Evaluate | None = None, **arguments: Any) -> Answer | None:
        """Return what the agent of the main document answers, None where it has no world (yet).

        `way` is another way than the pipe to evaluate something in the page.
        """
        asked, way = question(op, arguments), way or self.evaluate
        with suppress(CdpError):  # it is the world of a document that is gone
            if self._world:
                return await self._in_world(f"globalThis[{self._engine!r}].ask({asked})", way)
        with suppress(CdpError):
            self._world = await self._find_world()
            if self._world:
                return await self._in_world(f"{source(self._engine)}.ask({asked})", way)
        return None

    @contextmanager
    def watching(self) -> Iterator["Watch"]:
        """Watch the page.

        It tells of the requests that it makes and of the ways it goes before it answers.
        """
        try:
            yield Watch(self, self.send("Network.enable", **WITHOUT_BODIES))
        finally:
            self.send("Network.disable")

    async def insert(self, text: str) -> None:
        """Put `text` where the focus is, as an input method would; raises `CdpError`."""
        await self.send("Input.insertText", text=text)

    async def _find_world(self) -> str:
        """Return the id of the agent's world in this document, "" if there is none.

        No other context ever has the same. A page can make no world, and knows no engine's name.
        """
        self._contexts.clear()
        self.send("Runtime.enable")
        await self.send("Runtime.disable")
        found = [context["uniqueId"] for context in self._contexts if self._is_ours(context)]
        return str(found[-1]) if found else ""

    def _is_ours(self, context: dict[str, Any]) -> bool:
        of = context.get("auxData", {})
        isolated = of.get("type") == "isolated" and context["name"] == self._world_name
        return bool(isolated and of.get("frameId") == self._frame)

    async def _in_world(self, expression: str, way: Evaluate) -> Answer | None:
        """Return the JSON object that `expression` comes to in the agent's world."""
        options = {"uniqueContextId": self._world, "returnByValue": True}
        answer = await way(expression=expression, **options)
        told = answer.get("result", {}).get("value")
        known = json.loads(told) if isinstance(told, str) else None
        return known if isinstance(known, dict) else None

    def _on_event(self, name: str, fields: dict[str, Any]) -> None:
        if name == "Runtime.executionContextCreated":
            self._contexts.append(fields["context"])
        elif not name.startswith("Runtime."):
            self.events += 1


@dataclass
class Watch:
    """Whether a page is at rest, from now on."""

    direct: Direct
    begun: asyncio.Future[Answer]
    """Done when the page tells of its requests: what does not take the way of commands, as input
    does, must wait for it."""

    def __post_init__(self) -> None:
        self._before = self.direct.events

    @property
    def rested(self) -> bool:
        """Whether the page has done nothing that it tells of."""
        return self.direct.events == self._before
