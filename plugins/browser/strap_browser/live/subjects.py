"""What can be watched: the pages of a caller in a profile, and a run of the agent."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from strap_browser.agent.person.pause import Person
from strap_browser.agent.run import Run
from strap_browser.cdp.connection import CdpSession
from strap_browser.content.script import question
from strap_browser.engine.frames.geometry import Box, box_around, box_on_page
from strap_browser.pages.profile import Profile
from strap_browser.pages.tab import Tab


@dataclass(frozen=True, kw_only=True, slots=True)
class PageFacts:
    """A page, as far as it is known without asking it."""

    id: str
    target: str
    """The id of its target."""
    url: str
    current: bool = False
    tab: Tab | None = None
    """The tab, where the page is one of a caller's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reached:
    """Where a browser is reached."""

    address: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Subject(Protocol):
    """What a place shows."""

    kind: str
    title: str
    profile: str
    owner: str
    """The caller key of a session; of a run, who may see it."""
    run_id: str
    """The id under which it is kept; '' where nothing is."""

    @property
    def over(self) -> bool:
        """Whether there is nothing to see any more."""

    def pages(self) -> list[PageFacts]:
        """Return its pages."""

    def reached(self) -> Reached | None:
        """Return where its browser is reached, None while there is none."""

    def hide(self, text: str) -> str:
        """Return a text without what nobody is to see."""

    def pointer(self) -> tuple[float, float] | None:
        """Return where the agent's mouse is, if it is known."""

    async def aim(self, session: CdpSession) -> Box | None:
        """Return where the agent acts; see `Aiming`."""

    def hush(self, *, hushed: bool) -> None:
        """Keep nothing of what the pages say, as long as a person types there."""

    def keep(self, picture: bytes, at: float) -> None:
        """Keep how the current page looked `at`, where that is kept at all."""

    def tell_agent(self, text: str) -> None:
        """Have the agent told with its next answer."""

    def park(self, parked: Callable[[], None]) -> bool:
        """Let the agent begin nothing more; see `Agent` of the hold."""

    def unpark(self, seconds: float) -> None:
        """Let the agent go on, after so many seconds."""

    def watched(self, person: Person) -> None:
        """Take note that somebody watches who may be asked."""

    async def check(self, url: str) -> None:
        """Raise `PolicyDenied` where its pages may not go."""


class SessionSubject:
    """The pages of one caller in one profile."""

    kind = "session"
    run_id = ""

    def __init__(self, profile: Profile, key: str, runs: Callable[[], Iterable[Run]]) -> None:
        self.title = key.rpartition("/")[2]
        self.profile = profile.name
        self.owner = key
        self._profile = profile
        self._runs = runs
        self._parked: list[Run] = []
        """Runs that work on a page of it, as they wait."""

    @property
    def over(self) -> bool:
        """Whether the caller has no page any more."""
        return not self.tabs

    @property
    def tabs(self) -> dict[str, Tab]:
        """The caller's pages."""
        session = self._profile.known(self.owner)
        return session.tabs if session else {}

    @property
    def current(self) -> Tab | None:
        """The page that a call means that names none."""
        session = self._profile.known(self.owner)
        return session.current if session else None

    def pages(self) -> list[PageFacts]:
        """Return the pages that are there."""
        return [
            PageFacts(
                id=tab.handle,
                target=tab.page.target_id,
                url=tab.page.url,
                current=tab is self.current,
                tab=tab,
            )
            for tab in self.tabs.values()
            if tab.alive
        ]

    def reached(self) -> Reached | None:
        """Return where the browser is reached."""
        tab = self.current
        if tab is None or not tab.alive:
            return None
        endpoint = tab.connection.endpoint
        return Reached(address=endpoint.address, headers=endpoint.headers)

    def hide(self, text: str) -> str:
        """Mask the secrets."""
        return self._profile.secrets.hide(text)

    def pointer(self) -> tuple[float, float] | None:
        """Return where the agent's mouse is on the current page."""
        return self.current.page.mouse.place if self.current else None

    async def aim(self, session: CdpSession) -> Box | None:
        """Return where the element of the last action is; the page's own script knows it."""
        if self.current is None or self.current.aimed is None:
            return None
        frame, token = self.current.aimed
        rect = json.loads(await frame.ask(question("aimed", {"token": token}))).get("rect")
        return rect and await box_on_page(frame, tuple(rect))

    def hush(self, *, hushed: bool) -> None:
        """Keep nothing of what the pages say, or again."""
        for tab in self.tabs.values():
            tab.records.hushed = hushed
        for run in self._parked or self._lent():
            run.recorder.hush(hushed=hushed)

    def keep(self, picture: bytes, at: float) -> None:
        """Nothing is kept of it."""

    def tell_agent(self, text: str) -> None:
        """Have the agent told with the next answer about the current page."""
        if self.current is not None:
            self.current.events.add(f"{text} Take a new snapshot.")

    def park(self, parked: Callable[[], None]) -> bool:
        """Its calls wait one by one; a run that works on one of its pages does here."""
        runs = self._parked = self._lent()

        def one_parked(run: Run) -> None:
            busy.remove(run)
            if not busy:
                parked()

        busy = [run for run in runs if not run.pause.begin("hold", partial(one_parked, run))]
        return not busy

    def unpark(self, seconds: float) -> None:
        """Its calls go on by themselves."""
        runs, self._parked = self._parked, []
        for run in runs:
            run.pause.end("hold", f"The page was out of your hands for {seconds:.0f} s: look anew.")

    def _lent(self) -> list[Run]:
        """Return the runs that work on a page of this caller's."""
        own = {tab.page.target_id for tab in self.tabs.values() if tab.alive}
        return [
            run for run in self._runs() if run.lease and run.lease.lent and run.lease.target in own
        ]

    def watched(self, person: Person) -> None:
        """Its agent asks with the action `live`."""

    async def check(self, url: str) -> None:
        """Its guard is asked for the tab."""


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
        self._told = ""
        """What a person did, as it is told to the agent when it goes on."""

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return self.run.is_over

    def pages(self) -> list[PageFacts]:
        """Return the pages of the run, none when it is over."""
        if self.over:
            return []
        current = self.run.recorder.page_id
        known = self.run.monitor.pages if self.run.monitor else {}
        if current not in known:
            current = next(reversed(known), None)
        return [
            PageFacts(id=target, target=target, url=told["url"], current=target == current)
            for target, told in known.items()
        ]

    def reached(self) -> Reached | None:
        """Return where the browser of the run is reached, None before it has one."""
        lease = self.run.lease
        return None if lease is None else Reached(address=lease.address, headers=lease.headers)

    def hide(self, text: str) -> str:
        """Mask the secrets."""
        return self.run.hide(text)

    def pointer(self) -> tuple[float, float] | None:
        """Nobody knows: the agent's mouse is in another process."""

    def aim_at(self, node: int | None) -> None:
        """Take note of the element of an action that begins, None where there is none."""
        self._node, self._object = node, ""

    async def aim(self, session: CdpSession) -> Box | None:
        """Return where that element is; it is looked up once, as its number may be used again."""
        if self._node is not None:
            node, self._node = self._node, None
            told = await session.send("DOM.resolveNode", backendNodeId=node, objectGroup="aim")
            self._object = told["object"]["objectId"]
        if not self._object:
            return None
        model = await session.send("DOM.getBoxModel", objectId=self._object)
        quad = model["model"]["border"]  # x and y of each corner
        return box_around(zip(quad[::2], quad[1::2], strict=True))

    def hush(self, *, hushed: bool) -> None:
        """Keep nothing of what the pages say, or again."""
        self.run.recorder.hush(hushed=hushed)

    def keep(self, picture: bytes, at: float) -> None:
        """Keep it as a sample of the run."""
        self.run.recorder.sample(picture, at)

    def tell_agent(self, text: str) -> None:
        """Have the agent told when it goes on."""
        self._told = text

    def park(self, parked: Callable[[], None]) -> bool:
        """Let the agent begin no further action."""
        return self.run.pause.begin("hold", parked)

    def unpark(self, seconds: float) -> None:
        """Let the agent go on from the page as it is now."""
        told, self._told = self._told, ""
        paused = f"A person paused you for {seconds:.0f} s: look at the page as it is now."
        self.run.pause.end("hold", told or paused)

    def watched(self, person: Person) -> None:
        """Let the agent ask them, from its next step on."""
        self.run.watched(person)

    async def check(self, url: str) -> None:
        """Raise `PolicyDenied` where the agent may not go either."""
        await self.run.request.check(url, self.run.request.target)
