"""The pages of a caller in a profile, as a place shows them."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from strap import Guard
from strap_agent.person.pause import Person
from strap_browser.api import (
    Box,
    CallLog,
    CdpSession,
    PersonRecorder,
    Profile,
    Tab,
    box_on_page,
    page_question,
    started,
)
from strap_live.subjects.subject import PageFacts, Reach, Reached
from strap_live.subjects.travel import travel


def reach_of(profile: Profile, key: str) -> Reach:
    """Return where a caller acts: in its pages, or in all that a user granted."""
    session, granted = profile.known(key), "user_tabs" in profile.driver.can
    pages = {tab.page.target_id for tab in session.tabs.values()} if session else ()
    return Reach(
        pages=frozenset({f"{profile.name} {key}", *pages}),
        browser=profile.address if granted else "",
        everywhere=granted,
    )


class SessionSubject:
    """The pages of one caller in one profile."""

    kind = "session"
    run_id = ""

    def __init__(
        self,
        profile: Profile,
        key: str,
        rules: Callable[[], Guard],
        calls: CallLog,
    ) -> None:
        """`rules` returns the guard that says where the caller may `navigate`.

        What a person does is noted among the `calls`, without what they type.
        """
        self.title = key.rpartition("/")[2]
        self.profile = profile.name
        self.owner = key
        self._profile = profile
        self._rules = rules
        self._calls = calls
        self._recorder: PersonRecorder | None = None

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
                asks_file=tab.chooser is not None,
                tab=tab,
            )
            for tab in self.tabs.values()
            if tab.alive
        ]

    def reach(self) -> Reach:
        """Return where the caller acts."""
        return reach_of(self._profile, self.owner)

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

    def doing(self) -> Mapping[str, Any]:
        """Nobody knows more than its calls."""
        return {}

    def pointer(self) -> tuple[float, float] | None:
        """Return where the agent's mouse is on the current page."""
        return self.current.page.mouse.place if self.current else None

    async def aim(self, session: CdpSession) -> Box | None:
        """Return where the element of the last action is; the page's own script knows it."""
        if self.current is None or self.current.aimed is None:
            return None
        frame, token = self.current.aimed
        rect = json.loads(await frame.ask(page_question("aimed", {"token": token}))).get("rect")
        return rect and await box_on_page(frame, tuple(rect))

    def hush(self, *, hushed: bool) -> None:
        """Keep nothing of what the pages say, or again, and what a person does meanwhile."""
        recorder, self._recorder = self._recorder, None
        if hushed or recorder is None:
            self._profile.hush(self.owner, hushed=hushed)
        if recorder is not None:
            self._ended = started(self._end(recorder, hushed=hushed))
        if hushed and "user_tabs" not in self._profile.driver.can:
            self._recorder = PersonRecorder(
                lambda: [*self.tabs.values()],
                self._calls,
                key=self.owner,
                profile=self.profile,
                keeps=False,
            )

    async def _end(self, recorder: PersonRecorder, *, hushed: bool) -> None:
        """End a recording; what the pages said until then is not kept."""
        try:
            await recorder.aclose()
        finally:
            if not hushed and self._recorder is None:
                self._profile.hush(self.owner, hushed=False)

    def keep(self, picture: bytes, at: float) -> None:
        """Nothing is kept of it."""

    def tell_agent(self, text: str) -> None:
        """Have the agent told with the next answer about the current page."""
        if self.current is not None:
            self.current.events.add(f"{text} Take a new snapshot.")

    def goes_on(self, seconds: float) -> str:
        """Return what a run is told that works on one of the pages."""
        return f"The page was out of your hands for {seconds:.0f} s: look anew."

    def watched(self, person: Person) -> None:
        """Its agent asks with the action `live`."""

    async def go(self, page: PageFacts, session: CdpSession, to: str, url: str) -> None:
        """Have a page go somewhere; raises `PolicyDenied`, `CdpError`."""
        del session  # the page's own is told of it, and shows where the page is
        upstream, guard = self._profile.driver.upstream, self._rules()
        guard = guard.proxied(upstream.takes) if upstream else guard
        if page.tab is not None:
            await travel(page.tab, to, url, guard)

    async def open_page(self, session: CdpSession) -> str:
        """Open a page, which becomes the current one; raises `ActionError`, `CdpError`."""
        del session
        pages = self._profile.known(self.owner)
        connection = await self._profile.open()
        return (await pages.open(connection)).handle if pages else ""

    async def close_page(self, page: PageFacts) -> None:
        """Close a page; the one opened before it becomes the current one."""
        if page.tab is not None:
            await page.tab.session.close_tab(page.tab)

    def turn_to(self, page: PageFacts) -> None:
        """Make a page the current one."""
        if page.tab is not None:
            page.tab.session.current = page.tab
