"""Where pages go, and where they were."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from strap import record


@record(frozen=False)
class _History:
    entries: list[str] = field(default_factory=list)
    index: int = -1
    goal: int | None = None
    """The entry that a command is on the way to."""

    def arrive(self, url: str) -> None:
        goal, self.goal = self.goal, None
        if goal is not None and 0 <= goal < len(self.entries):
            self.index = goal
            self.entries[goal] = url
        else:
            self.index += 1
            self.entries[self.index :] = [url]


class Histories:
    """The histories of all pages, which WebDriver BiDi does not tell.

    They are put together from what the pages did. One that replaces its address by a script is
    taken for one that went on; a step back or forward is the browser's own all the same.
    """

    def __init__(self) -> None:
        self._of: dict[str, _History] = {}

    def arrived(self, page: str, url: str) -> None:
        """Take note of another document."""
        self._known(page).arrive(url)

    def moved(self, page: str, url: str) -> None:
        """Take note of another address of the same document."""
        known = self._known(page)
        if known.goal is not None or url != known.entries[known.index]:
            known.arrive(url)

    def stays(self, page: str) -> None:
        """Take note that the next document takes the place of this one."""
        known = self._known(page)
        known.goal = known.index

    def leads(self, page: str, entry: int) -> int:
        """Take note of the way to an entry; return how many steps it is away."""
        known = self._known(page)
        known.goal = entry
        return entry - known.index

    def gives_up(self, page: str) -> None:
        """Take note that the page stays where it is."""
        self._known(page).goal = None

    def told(self, page: str) -> dict[str, Any]:
        """Return it as `Page.getNavigationHistory` has it."""
        known = self._known(page)
        entries = [{"id": place, "url": url} for place, url in enumerate(known.entries)]
        return {"currentIndex": known.index, "entries": entries}

    def forget(self, page: str) -> None:
        """Forget a page that is gone."""
        self._of.pop(page, None)

    def _known(self, page: str) -> _History:
        if page not in self._of:
            self._of[page] = _History(entries=["about:blank"], index=0)
        return self._of[page]


class Navigations:
    """What became of navigations, by their ids; it may be told before it is asked for."""

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
        """Forget the first that came to an end: for another one somebody may wait."""
        over = next((each for each, outcome in self._outcomes.items() if outcome.done()), None)
        if over is not None:
            del self._outcomes[over]
