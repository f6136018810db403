"""Orders of a person for the pages of a place: go somewhere, open, close or turn to one."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from strap_browser.api import CdpSession, origin_of
from strap_live.control.hold import Refused
from strap_live.subjects.subject import PageFacts
from strap_live.subjects.telling import Subject
from strap_live.subjects.travel import stop
from strap_live.timeline import Timeline

LAST = "It is the last page, which stays."
GONE = "That page is gone."
SIGHT, LOOK = 2.0, 0.05
"""Seconds until a page that somebody turned to is looked at, and between two looks whether."""


class Steering:
    """The pages of one place, in a person's hands."""

    def __init__(
        self,
        subject: Subject,
        timeline: Timeline,
        session: Callable[[str], CdpSession | None],
    ) -> None:
        """`session` returns that with a target that somebody looks at."""
        self._subject = subject
        self._timeline = timeline
        self._session = session

    async def go(self, target: str, to: str, url: str) -> None:
        """Have a page go to `url`, "back", "forward", "reload", or "stop" what holds it up.

        Raises `Refused` where it is gone, `PolicyDenied`, `CdpError`.
        """
        session = await self._looked_at(target)
        page = next((page for page in self._subject.pages() if page.target == target), None)
        if page is None:
            raise Refused(GONE)
        self._timeline.person(f"goes {to} {origin_of(url)}".rstrip())
        if to == "stop":
            stop(session)
        else:
            await self._subject.go(page, session, to, url)

    async def open(self, target: str) -> str:
        """Open a page beside that which is seen, and return its id.

        Raises `Refused`, `ActionError`, `CdpError`.
        """
        session = await self._looked_at(target)
        self._timeline.person("opens a page")
        return await self._subject.open_page(session)

    async def close(self, page: str) -> None:
        """Close a page; raises `Refused` for the last one, `CdpError`."""
        match = self._page(page)
        if len(self._subject.pages()) == 1:
            raise Refused(LAST)
        self._timeline.person("closes a page")
        await self._subject.close_page(match)

    def turn_to(self, page: str) -> None:
        """Have the agent go on there; raises `Refused`."""
        self._timeline.person("turns to another page")
        self._subject.turn_to(self._page(page))

    async def answer_dialog(self, *, accept: bool, text: str | None) -> None:
        """Answer the dialog that is open; raises `CdpError`."""
        for page in self._subject.pages():
            if page.tab is not None and page.tab.dialog is not None:
                await page.tab.answer(accept=accept, text=text)
                return

    async def _looked_at(self, target: str) -> CdpSession:
        """Return the session with a page; one that has just come into sight gets it in a moment."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SIGHT):
                while (session := self._session(target)) is None:  # noqa: ASYNC110
                    await asyncio.sleep(LOOK)
                return session
        raise Refused(GONE)

    def _page(self, page: str) -> PageFacts:
        match = next(
            (candidate for candidate in self._subject.pages() if candidate.id == page), None
        )
        if match is None:
            raise Refused(GONE)
        return match
