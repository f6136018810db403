"""A run of the agent, as a place shows it."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from strap import ActionError
from strap_agent.person.pause import Person
from strap_agent.run import Run
from strap_browser.api import HOLD_TABS, Box, CdpSession, box_around
from strap_live.subjects.subject import WORLD, PageFacts, Reach, Reached
from strap_live.subjects.travel import travel_in_run

OPEN_SCRIPT = "void window.open('about:blank', '_blank', 'noopener')"
"""A page that the run's own opened belongs to the run, also in a browser that others use."""
OPENED = 5.0
"""Seconds until a page that was opened is known."""
LOOK = 0.05
"""Seconds between two looks for it."""


def reach_of(run: Run) -> Reach:
    """Return where a run acts."""
    lease, known = run.lease, run.monitor.pages if run.monitor else ()
    if lease is None:
        return Reach(pages=frozenset({run.session_id}))
    own = {run.session_id, *known, *({lease.target} if lease.target else ())}
    return Reach(pages=frozenset(own), browser=lease.address)


class RunSubject:
    """A run of the agent that goes on."""

    kind = "run"
    profile = ""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.title = run.request.task
        self.owner = run.request.owner
        self.run_id = run.session_id
        self._node: int | None = None
        self._object = ""
        """The element of the last action, by its backend node id, then as an object of the page."""
        self._middle: tuple[float, float] | None = None
        self._notice = ""
        """Account of what a person did, for the agent when it goes on."""

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return self.run.is_over

    def pages(self) -> list[PageFacts]:
        """Return the pages of the run, none when it is over."""
        if self.over:
            return []
        current = self.run.recorder.page_id
        monitor = self.run.monitor
        known = monitor.pages if monitor else {}
        if current not in known:
            current = next(reversed(known), None)
        return [
            PageFacts(
                id=target,
                target=target,
                url=info["url"],
                current=target == current,
                asks_file=monitor is not None and monitor.asks_file(target),
            )
            for target, info in known.items()
        ]

    def reach(self) -> Reach:
        """Return where the agent acts: in its own pages."""
        return reach_of(self.run)

    def reached(self) -> Reached | None:
        """Return where the browser of the run is reached, None before it has one."""
        lease = self.run.lease
        return None if lease is None else Reached(address=lease.address, headers=lease.headers)

    def hide(self, text: str) -> str:
        """Mask the secrets."""
        return self.run.hide(text)

    def doing(self) -> Mapping[str, Any]:
        """Return the step that goes on, and since when the model is asked in it."""
        recorder = self.run.recorder
        return {"step": recorder.steps + 1, "thinking": recorder.thinking}

    def pointer(self) -> tuple[float, float] | None:
        """Return the middle of what the agent acts on: its mouse is in another process."""
        return self._middle

    def aim_at(self, node: int | None) -> None:
        """Take note of the element of an action that begins, None where there is none."""
        self._node, self._object = node, ""

    async def aim(self, session: CdpSession) -> Box | None:
        """Return where that element is; it is looked up once, as its number may be used again."""
        if self._node is not None:
            node, self._node = self._node, None
            resolved = await session.send("DOM.resolveNode", backendNodeId=node, objectGroup="aim")
            self._object = resolved["object"]["objectId"]
        if not self._object:
            return None
        model = await session.send("DOM.getBoxModel", objectId=self._object)
        quad = model["model"]["border"]  # x and y of each corner
        left, top, width, height = box_around(zip(quad[::2], quad[1::2], strict=True))
        self._middle = left + width / 2, top + height / 2
        return left, top, width, height

    def hush(self, *, hushed: bool) -> None:
        """Keep nothing of what the pages say, or again."""
        self.run.recorder.hush(hushed=hushed)
        if (lease := self.run.lease) is not None and lease.granted:
            lease.cdp.post(HOLD_TABS, on=hushed)

    def keep(self, picture: bytes, at: float) -> None:
        """Keep it as a sample of the run."""
        self.run.recorder.sample(picture, at)

    def tell_agent(self, text: str) -> None:
        """Have the agent told when it goes on."""
        self._notice = text

    def goes_on(self, seconds: float) -> str:
        """Return what the agent is told that goes on from the page as it is now."""
        text, self._notice = self._notice, ""
        return text or f"A person paused you for {seconds:.0f} s: look at the page as it is now."

    def watched(self, person: Person) -> None:
        """Let the agent ask them, from its next step on."""
        self.run.watched(person)

    async def go(self, page: PageFacts, session: CdpSession, to: str, url: str) -> None:
        """Have a page go somewhere; raises `PolicyDenied`, `CdpError`."""
        del page
        await travel_in_run(session, to, url, self._check)

    async def open_page(self, session: CdpSession) -> str:
        """Open a page beside one of the run's; raises `ActionError`, `CdpError`."""
        known = {page.id for page in self.pages()}
        frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        # The page's own scripts may have put something else in the place of window.open.
        made = await session.send("Page.createIsolatedWorld", frameId=frame, worldName=WORLD)
        params = {"expression": OPEN_SCRIPT, "userGesture": True}
        await session.send("Runtime.evaluate", contextId=made["executionContextId"], **params)
        with suppress(TimeoutError):
            async with asyncio.timeout(OPENED):
                while not (new := {page.id for page in self.pages()} - known):  # noqa: ASYNC110
                    await asyncio.sleep(LOOK)
                return new.pop()
        raise ActionError("The page opened no other one.", hint="Go to an address in this one.")

    async def close_page(self, page: PageFacts) -> None:
        """Close a page; raises `CdpError`."""
        if self.run.lease is not None:
            await self.run.lease.cdp.call("Target.closeTarget", targetId=page.target)

    def turn_to(self, page: PageFacts) -> None:
        """The agent knows itself where it goes on."""

    async def _check(self, url: str) -> None:
        await self.run.request.check(url, self.run.request.target)
