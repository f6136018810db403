"""How far a crawl is: what it has read, what it knows of, what it left out."""

import calendar
import json
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from strap import record
from strap_http.extraction.shingles import words
from strap_http.sites.addresses import Scope, canonical, is_page, is_search, is_sorted, key
from strap_http.sites.text_fingerprint import LOOKED_AT
from strap_http.sites.traps import COPIES_OF_DAYS, MadeUp, Traps, is_dated, narrowed, shape
from strap_http.sites.visits import Page

MOST_KNOWN = 20_000
"""Addresses that a crawl remembers."""
TRIES = 3
"""Requests for a page that may work later."""
_TELLING = 200
"""Characters of a text that is no accident when two pages have it."""
MADE_UP = "made up for any address"
_ALIKE = 0.8
"""Share of the words, numbers and months apart, that days of a calendar have in common."""
MOST_LINES = 200_000
"""Lines that a crawl remembers."""
_NEW = 0.2
"""Share of its lines that are new where a page says something new."""
_DATES = frozenset(
    name.lower()
    for name in (*calendar.month_name, *calendar.month_abbr, *calendar.day_name, *calendar.day_abbr)
)


@record
class CrawledPage:
    """A page that was read; `file` is where it was written, if it was."""

    url: str
    title: str
    characters: int
    file: str = ""


@dataclass(kw_only=True)
class Crawl:
    """A crawl of the pages in `scope`, breadth-first; those of calendars come last.

    `waiting` and `later` are URLs that will be asked for; `left_out` counts why others are not; as
    many pages as `reported` stand in an answer.
    """

    scope: Scope
    waiting: deque[str] = field(default_factory=deque)
    later: deque[str] = field(default_factory=deque)
    pages: list[CrawledPage] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    reported: int = 0
    _in_progress: dict[str, None] = field(default_factory=dict)
    """URLs given out and not yet read; a resumed crawl asks for them again."""
    _seen: set[str] = field(default_factory=set)
    _texts: set[str] = field(default_factory=set)
    _lines: set[int] = field(default_factory=set)
    _days: dict[str, Page] = field(default_factory=dict)
    _counts: dict[str, Counter[str]] = field(default_factory=dict)
    _tries: Counter[str] = field(default_factory=Counter)
    _traps: Traps = field(default_factory=Traps)
    _made_up: MadeUp = field(default_factory=MadeUp)

    @property
    def known(self) -> int:
        """How many addresses are still to be asked for."""
        return len(self.waiting) + len(self.later)

    def offer(self, urls: Iterable[str]) -> int:
        """Take the addresses that belong to the crawl and are new; returns how many that are."""
        taken = 0
        for url in map(canonical, urls):
            if not url or not self.scope.has(url) or not is_page(url) or key(url) in self._seen:
                continue
            if len(self._seen) >= MOST_KNOWN:
                break
            self._seen.add(key(url))
            (self.later if is_dated(url) else self.waiting).append(url)
            taken += not is_dated(url)
        return taken

    def next(self) -> str | None:
        """The address that is to be asked for now, None if there is none."""
        while self.known:
            url = (self.waiting or self.later).popleft()
            if not self._traps.holds(url, narrowed(url, self._is_seen)):
                self._in_progress[url] = None
                return url
            self.left_out["without end"] += 1
        return None

    def take_back(self, url: str) -> None:
        """Ask for `url` again, before all others."""
        self._in_progress.pop(url, None)
        self.waiting.appendleft(url)

    def failed(self, url: str, why: str, *, again: bool) -> None:
        """Note that there was no page at `url`; where that may pass it is tried once more."""
        self._in_progress.pop(url, None)
        self._tries[url] += 1
        if again and self._tries[url] < TRIES:
            self.waiting.append(url)
        else:
            self.left_out[why] += 1

    def begin_with(self, url: str, page: Page) -> None:
        """Take the links of the first page, which was asked for as `url`."""
        self._seen.update(map(key, (canonical(url), page.url)))
        self._is_copy(page)
        self._says_new(page)
        self.offer(page.links)

    def add(self, url: str, page: Page) -> list[Page]:
        """Take a page; returns those to keep now: a day of a calendar waits for the next one."""
        self._in_progress.pop(url, None)
        if not self.scope.has(page.url):
            self.left_out["lead elsewhere"] += 1
            return []
        new = self.offer(page.links)
        if why := self._why_not(url, page):
            self.left_out[why] += 1
            return []
        self._traps.page(url)
        is_new = self._says_new(page)
        if narrows := narrowed(url, self._is_seen):
            self._traps.narrow(narrows, is_new=is_new)
        if self._shows_anew(is_sorted, page):
            self.left_out["sorted otherwise"] += 1
            return []
        return [page] if new or not is_dated(url) else self._day(url, page)

    def doubt(self, page: Page) -> str:
        """An address that shows whether `page` is made up, if it may be, and nobody tried."""
        is_own = self.scope.has(page.url)
        return self._made_up.doubt(page.url, page.fingerprint.apart) if is_own else ""

    def prove(self, page: Page, *, is_home: bool) -> list[CrawledPage]:
        """Take a soft-404 answer; returns the pages that are gone now, shown ones excepted."""
        alike = self._made_up.prove(page.fingerprint.apart)
        known = [other for other in self.pages if other.url in alike]
        known.sort(key=lambda other: other.url != str(self.scope))
        stay = [*self.pages[: max(self.reported, 1)], *known[:is_home]]
        gone = [other for other in known if other not in stay]
        self.pages = [other for other in self.pages if other not in gone]
        self.left_out[MADE_UP] += len(gone)
        return gone

    def rest(self) -> list[Page]:
        """Return the days that waited for others in vain."""
        pages = list(self._days.values())
        self._days.clear()
        return pages

    def _why_not(self, url: str, page: Page) -> str:
        """Return why a page of the site is none of its own, if so; what repeats others is noted."""
        if page.url != url and self._is_known(page.url):  # a redirect
            return "repeat others"
        if self._shows_anew(is_search, page):
            return "found by searches"
        why = MADE_UP if self._made_up.has(page.fingerprint.apart) else ""
        if not why and self._is_copy(page) and shape(url) not in self._days:
            why = "repeat others"
        if why:
            self._traps.copy(url)
        return why

    def _shows_anew(self, is_view: Callable[[str], bool], page: Page) -> bool:
        began_so = bool(self.pages) and is_view(self.pages[0].url)
        return is_view(page.url) and not began_so

    def _day(self, url: str, page: Page) -> list[Page]:
        """Compare a day with the one before, if there is one of its shape."""
        kind, counts = shape(url), _word_counts(page)
        other = self._counts.setdefault(kind, counts)
        if other is counts:
            self._days[kind] = page
            return []
        first = self._days.pop(kind, None)
        if (other & counts).total() < _ALIKE * max(other.total(), counts.total()):
            return [page] if first is None else [first, page]
        self.left_out["without end"] += 1 if first is None else 2
        for _ in range(COPIES_OF_DAYS):
            self._traps.copy(url)
        return []

    def _says_new(self, page: Page) -> bool:
        """Whether more than a few lines of a page stood on no page before; they are known then."""
        lines = page.fingerprint.lines
        new = lines - self._lines
        if len(self._lines) < MOST_LINES:
            self._lines |= new
        return len(new) > _NEW * len(lines)

    def _is_seen(self, url: str) -> bool:
        return key(url) in self._seen

    def _is_known(self, url: str) -> bool:
        known = key(url) in self._seen
        self._seen.add(key(url))
        return known

    def _is_copy(self, page: Page) -> bool:
        """Whether a page is known under the address that it names as its own, or by its text."""
        has_other = page.own != page.url and self.scope.has(page.own)
        if has_other and self._is_known(page.own):
            return True
        is_telling = page.fingerprint.length >= _TELLING or "?" in page.url
        known = page.fingerprint.text in self._texts
        self._texts.add(page.fingerprint.text)
        return is_telling and known

    def _days_left(self) -> list[str]:
        return [page.url for page in self._days.values()]

    def to_json(self) -> str:
        """The crawl as text, to go on with it in another process."""
        return json.dumps(
            {
                "scope": asdict(self.scope),
                "waiting": [*self._in_progress, *self.waiting, *self.later, *self._days_left()],
                "pages": [asdict(page) for page in self.pages],
                "left_out": self.left_out,
                "seen": sorted(self._seen),
                "texts": sorted(self._texts),
                "traps": self._traps.to_data(),
                "said_anywhere": self._made_up.to_data(),
            },
            ensure_ascii=False,
            indent=1,
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The crawl that `to_json` wrote; raises `ValueError` for anything else."""
        try:
            data: dict[str, Any] = json.loads(text)
            known = [str(url) for url in data["waiting"]]
            return cls(
                scope=Scope(**data["scope"]),
                waiting=deque(url for url in known if not is_dated(url)),
                later=deque(url for url in known if is_dated(url)),
                pages=[CrawledPage(**page) for page in data["pages"]],
                left_out=Counter(data["left_out"]),
                _seen=set(data["seen"]),
                _texts=set(data["texts"]),
                _traps=Traps.from_data(data.get("traps", {})),
                _made_up=MadeUp.from_data(data.get("said_anywhere", {})),
            )
        except (ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(str(error)) from None


def _word_counts(page: Page) -> Counter[str]:
    """The words of a page without numbers and the names of days and months."""
    page_words = words(page.document.text[:LOOKED_AT])
    plain = (word for word in page_words if not any(map(str.isdigit, word)))
    return Counter(word for word in plain if word not in _DATES)
