"""Navigations of pages, and their histories."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from strap import record


@record(frozen=False)
class _History:
    folds: bool
    """Whether an address beside that of the page is where it went back or forward to by itself."""
    entries: list[str] = field(default_factory=lambda: ["about:blank"])
    index: int = 0
    goal: int | None = 0
    """The entry that a command is on the way to; the first document takes the place of none."""

    def arrive(self, url: str) -> None:
        goal, self.goal = self.goal, None
        place = self._beside(url) if goal is None else goal
        if place is None:
            self.index += 1
            self.entries[self.index :] = [url]
        else:
            self.index = place
            self.entries[place] = url

    def move(self, url: str) -> None:
        if self.goal is not None or url != self.entries[self.index]:
            self.arrive(url)

    def _beside(self, url: str) -> int | None:
        beside = (self.index - 1, self.index + 1) if self.folds else ()
        valid = (place for place in beside if 0 <= place < len(self.entries))
        return next((place for place in valid if self.entries[place] == url), None)


class Histories:
    """The histories of all pages, of which WebDriver BiDi tells nothing and pages the length alone.

    They are put together from what the pages did. Who went to an address by a link, and who went
    back there by a script, can be told by that length: so both are kept in mind until it is known.
    One that replaces its address by a script is taken for one that went on; a step back or forward
    is the browser's own all the same.
    """

    def __init__(self) -> None:
        self._of: dict[str, tuple[_History, _History]] = {}

    def arrived(self, page: str, url: str) -> None:
        """Take note of another document."""
        for known in self._known(page):
            known.arrive(url)

    def moved(self, page: str, url: str) -> None:
        """Take note of another address of the same document."""
        for known in self._known(page):
            known.move(url)

    def stays(self, page: str) -> None:
        """Take note that the next document takes the place of this one."""
        for known in self._known(page):
            known.goal = known.index

    def leads(self, page: str, entry: int) -> int:
        """Take note of the way to an entry that was told; return how many steps it is away."""
        went, folded = self._known(page)
        went.goal = folded.goal = entry
        return entry - went.index

    def gives_up(self, page: str) -> None:
        """Take note that the page stays where it is."""
        for known in self._known(page):
            known.goal = None

    def answer(self, page: str, length: int | None) -> dict[str, Any]:
        """Return it as `Page.getNavigationHistory` has it, by its `length` if that is known."""
        went, folded = self._known(page)
        known = folded if length is not None and length < len(went.entries) else went
        for history in (went, folded):
            history.entries, history.index = list(known.entries), known.index
        entries = [{"id": place, "url": url} for place, url in enumerate(known.entries)]
        return {"currentIndex": known.index, "entries": entries}

    def forget(self, page: str) -> None:
        """Forget a page that is gone."""
        self._of.pop(page, None)

    def _known(self, page: str) -> tuple[_History, _History]:
        if page not in self._of:
            self._of[page] = _History(folds=False), _History(folds=True)
        return self._of[page]


class Navigations:
    """Outcomes of navigations, by their ids; one may come before it is asked for."""

    MOST = 100

    def __init__(self) -> None:
        self._expected: dict[tuple[str, str], asyncio.Future[str]] = {}
        self._outcomes: dict[str, asyncio.Future[dict[str, Any]]] = {}

    @contextmanager
    def expected(self, page: str, url: str) -> Iterator["asyncio.Future[str]"]:
        """Give a future of the id of a navigation of a page to an address."""
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._expected[page, url] = future
        try:
            yield future
        finally:
            self._expected.pop((page, url), None)

    def goal(self, page: str) -> str:
        """Return the address that a page is asked to go to, "" if it is not."""
        return next((url for of, url in self._expected if of == page), "")

    def begin(self, page: str, navigation: str, url: str) -> None:
        """Take note of one that begins."""
        future = self._expected.get((page, url))
        if future is not None and not future.done():
            future.set_result(navigation)

    def end(self, navigation: str | None, outcome: dict[str, Any]) -> None:
        """Take note of what became of one; the first word holds."""
        if navigation:
            known = self.outcome(navigation)
            if not known.done():
                known.set_result(outcome)

    def outcome(self, navigation: str) -> "asyncio.Future[dict[str, Any]]":
        """Return the future of what becomes of one: who waits for it is not to cancel it."""
        if navigation not in self._outcomes:
            self._outcomes[navigation] = asyncio.get_running_loop().create_future()
            if len(self._outcomes) > self.MOST:
                self._forget_one()
        return self._outcomes[navigation]

    def _forget_one(self) -> None:
        over = next(
            (navigation for navigation, outcome in self._outcomes.items() if outcome.done()), None
        )
        if over is not None:
            del self._outcomes[over]
