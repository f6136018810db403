"""A CDP client that sees only the run's own targets in a browser that others use as well.

browser-use takes every tab of a browser that it attaches to. In a profile's running browser it
must not see the tabs of others: only the page that strap made for the run, the pages that the
agent makes, and those that are opened from them during the run.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from strap_browser.api import Tasks

MAKES_TARGET = "Target.createTarget"
LEFT_OUT = frozenset({"Browser.setDownloadBehavior", "Target.activateTarget", "Page.bringToFront"})
"""Commands that would change the browser for its other users: answered, not carried out."""


def install(target: str, made: Callable[[str], None]) -> None:
    """Make every CDP client of this process see nothing but `target` and what comes from it.

    `made` is told of the pages that the agent makes.
    """
    from browser_use.browser import session

    base: Any = session.TimeoutWrappedCDPClient

    class ScopedClient(base):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            scope = Scope(target, super().send_raw, made)
            scope.forward = self._event_registry.handle_event
            self._event_registry.handle_event = scope.handle
            self._scope = scope

        async def send_raw(
            self, method: str, params: Any = None, session_id: str | None = None
        ) -> Any:
            return await self._scope.send(method, params, session_id)

    session.TimeoutWrappedCDPClient = ScopedClient


class Scope:
    """Targets of the run itself; lists and events show it no others."""

    def __init__(self, target: str, send: Any, made: Callable[[str], None]) -> None:
        self.own = {target}
        self._place: dict[str, str] = {}
        """The browser context of the run's pages."""
        self._made = made
        self.forward: Any = None
        self._send = send
        self._before: asyncio.Future[set[str]] | None = None
        """The targets that were there before the run, pop-ups of its page among them."""
        self._foreign: set[str] = set()
        """Sessions that were attached to targets of others."""
        self._making = 0
        self._held: list[tuple[str, Any, str | None]] = []
        """Events of targets that may turn out to be the one that is being made."""
        self._tasks = Tasks()

    async def send(self, method: str, params: Any, session_id: str | None) -> Any:
        """Send a command; what it makes is the run's own, what it lists is only that."""
        if method in LEFT_OUT:
            return {}
        if self._before is None:
            self._before = asyncio.ensure_future(self._look_around())
        await self._before
        if method == MAKES_TARGET:
            return await self._make(params)
        answer = await self._send(method, params, session_id)
        if method == "Target.getTargets":
            infos = [i for i in answer["targetInfos"] if self._is_own(i)]
            answer = {**answer, "targetInfos": infos}
        return answer

    async def _look_around(self) -> set[str]:
        answer = await self._send("Target.getTargets", {}, None)
        return {info["targetId"] for info in answer["targetInfos"]}

    async def _make(self, params: Any) -> Any:
        """Make a page beside the run's own, with their cookies; what is told meanwhile waits."""
        self._making += 1
        try:
            answer = await self._send(MAKES_TARGET, self._place | (params or {}), None)
            self.own.add(answer["targetId"])
            self._made(answer["targetId"])
            return answer
        finally:
            self._making -= 1
            if not self._making:
                held, self._held = self._held, []
                for event in held:
                    await self.handle(*event)

    async def handle(self, method: str, params: Any, session_id: str | None = None) -> Any:
        """Pass on an event of the run's own targets; let go of those of others."""
        info = (params or {}).get("targetInfo")
        if session_id is None and method.startswith("Target.") and info is not None:
            if not self._is_own(info):
                if self._making:
                    self._held.append((method, params, session_id))
                elif method == "Target.attachedToTarget":
                    self._let_go(params["sessionId"])
                return True
        elif method == "Target.detachedFromTarget" and params["sessionId"] in self._foreign:
            self._foreign.discard(params["sessionId"])
            return True
        return await self.forward(method, params, session_id)

    def _is_own(self, info: Any) -> bool:
        if info["targetId"] in self.own:
            if "browserContextId" in info:
                self._place = {"browserContextId": info["browserContextId"]}
            return True
        if info.get("openerId") in self.own and not self._was_there(info["targetId"]):
            self.own.add(info["targetId"])
            return True
        return False

    def _was_there(self, target: str) -> bool:
        return self._before is not None and self._before.done() and target in self._before.result()

    def _let_go(self, session_id: str) -> None:
        self._foreign.add(session_id)
        # It fails where the target is gone already.
        self._tasks(self._send("Target.detachFromTarget", {"sessionId": session_id}, None))
