"""Notices of a page between two answers, in short sentences."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from strap_browser.common.text import clip, quoted
from strap_browser.pages.turns import Turns

LIMIT = 20
"""Different sentences that are kept between two answers; of older ones the number is told."""

BLANK = "about:blank"
PRIVATE = "(a person had it in hand)"
"""Text in place of the address of a page."""
FEW = 3
"""New pages that are told one by one; of more the first and the last."""


class Notices:
    """Sentences that the next answer is to carry; `drain` hands them over."""

    def __init__(self) -> None:
        self._errors = 0
        self._first_error = ""
        self._forget()

    def _forget(self) -> None:
        self._sentences: dict[str, int] = {}
        """How often each of them came."""
        self._opened: list[tuple[str, str]] = []
        """New pages: their names, and where they are."""
        self._dropped = 0

    def add(self, sentence: str) -> None:
        """Note something; of more than 20 sentences the last are kept, and the number of others."""
        self._sentences[sentence] = self._sentences.get(sentence, 0) + 1
        if len(self._sentences) > LIMIT:
            self._dropped += self._sentences.pop(next(iter(self._sentences)))

    def add_page(self, handle: str, where: str) -> None:
        """Note a page that this one opened."""
        self._opened.append((handle, where))

    def forget_pages(self, handles: Iterable[str]) -> None:
        """Do not tell of pages that are gone by now."""
        gone = set(handles)
        self._opened = [opened for opened in self._opened if opened[0] not in gone]

    def add_error(self, text: str) -> None:
        """Count an error of the page's console or scripts."""
        self._errors += 1
        self._first_error = self._first_error or clip(text)

    @property
    def noted(self) -> int:
        """How much was noted since the last time, without errors."""
        return self._dropped + len(self._opened) + sum(self._sentences.values())

    def drain(self, *, errors: bool = True) -> list[str]:
        """Return the sentences since the last time and forget them; `errors` stay without that."""
        sentences = [
            text if times == 1 else f"{text} ({times} times)"
            for text, times in self._sentences.items()
        ]
        sentences = [*self._pages(), *sentences]
        if self._dropped:
            many = "thing" if self._dropped == 1 else "things"
            sentences.insert(0, f"{self._dropped} {many} happened before that.")
        if errors and self._errors == 1:
            sentences.append(f"1 console error: {self._first_error}")
        elif errors and self._errors:
            sentences.append(f"{self._errors} console errors, the first: {self._first_error}")
        if errors:
            self._errors, self._first_error = 0, ""
        self._forget()
        return sentences

    def _pages(self) -> list[str]:
        if len(self._opened) <= FEW:
            return [
                f"A new page opened: {handle} {where} (address it with target_id)."
                for handle, where in self._opened
            ]
        first, last = self._opened[0][0], self._opened[-1][0]
        many = len(self._opened)
        return [f"{many} new pages opened: {first} to {last} (`list_pages` tells where they are)."]


class _Forwarded(Notices):
    def __init__(self, to: Notices, handle: str) -> None:
        super().__init__()
        self._to = to
        self._handle = handle

    def add(self, sentence: str) -> None:
        """Note it where the next answer finds it."""
        self._to.add(f"Page {self._handle}: {sentence}")


class NotedPage(Protocol):
    """A page of a caller, as far as answers about another one tell of it."""

    handle: str
    events: Notices

    @property
    def where(self) -> str:
        """Its address, as answers show it."""

    @property
    def turns(self) -> Turns:
        """The calls that have it, which tell what it does meanwhile."""


class Elsewhere:
    """Events of a caller's other pages during a call: the next answer tells them."""

    def __init__(self) -> None:
        self._gone = Notices()
        """Events of pages that are gone."""
        self._known: dict[str, str] = {}
        """Addresses of pages as the caller knows them, by their names."""
        self.titles: dict[str, str] = {}
        """Titles of pages that went elsewhere, as far as they were asked."""

    def close(self, page: NotedPage) -> None:
        """Note that a page closed itself, what it did before, and what its downloads come to."""
        self._gone.add(f"Page {page.handle} ({page.where}) closed itself.")
        before, page.events = page.events, _Forwarded(self._gone, page.handle)
        for sentence in before.drain():
            page.events.add(sentence)

    def moved(self, pages: Mapping[str, NotedPage], answered: NotedPage) -> list[NotedPage]:
        """Return the pages, without that which is `answered`, that are not where they are known."""
        others = (page for page in pages.values() if page is not answered and not page.turns.taken)
        moved = (page for page in others if self._known.get(page.handle, page.where) != page.where)
        return [page for page in moved if page.where != PRIVATE]

    def noted(self, pages: Mapping[str, NotedPage], answered: NotedPage) -> int:
        """Return how much there is to tell of other pages."""
        others = (page for page in pages.values() if page is not answered and not page.turns.taken)
        happened = sum(other.events.noted for other in others)
        return self._gone.noted + happened + len(self.moved(pages, answered))

    def drain(self, pages: Mapping[str, NotedPage], answered: NotedPage) -> Iterator[str]:
        """Yield what other pages did since the last answer, and forget it."""
        yield from self._gone.drain()
        for page in self.moved(pages, answered):
            title = self.titles.pop(page.handle, "")
            yield f"Page {page.handle} went to {page.where}{f' {quoted(title)}' if title else ''}."
        for page in pages.values():
            if page.where != PRIVATE:
                self._known[page.handle] = page.where
            if page is not answered and not page.turns.taken:
                # Why a browser opened nothing in a window is told to its console alone.
                is_blank = page.where == BLANK
                sentences = page.events.drain(errors=is_blank)
                yield from (f"Page {page.handle}: {sentence}" for sentence in sentences)
        self._known = {other: where for other, where in self._known.items() if other in pages}
