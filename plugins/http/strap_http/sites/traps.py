"""Addresses without end: calendars, sessions, links that lead ever deeper."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

from strap_http.sites.addresses import is_search, names, unheard_of

LONGEST = 1_000
"""Characters of a URL: what is longer, programs made by appending."""
DEEPEST = 20
"""Parts of a path."""
REPEATED = 3
"""A path has no part so often, unless it is a number."""
FIELDS = 3
VARIANTS = 10
"""Variants of a path with so many query fields, and results of a search, that are read."""
COPIES, COPIES_OF_DAYS = 10, 2
"""Pages of one shape that repeat others, after which it is left out, unless more are pages."""
NARROWED = 5
"""Pages by combined parts of a path that say nothing new, after which such are left out."""
COPIES_OF_FIELDS = 3
"""The same of pages of any path with these fields in their query."""
ALIKE, MOST_TRIED = 3, 10
"""Paths that say the same, after which an address beside them is tried; and how many are in all."""
_NUMBER = re.compile(r"\d+")
_DATED_PATH = re.compile(
    r"/(?:19|20|21)\d\d(?:[/-](?:0?[1-9]|1[0-2]))?(?:[/-]\d{1,2})?/?$"
    r"|/(?:calendar|kalender|agenda|archive)s?\b[^?]*\d",
    re.IGNORECASE,
)
_DATED_FIELD = re.compile(
    r"(?:.*[_.-])?(?:date|day|week|month|year|cal|calendar)(?:[_.-].*)?|mo|yr|ym", re.IGNORECASE
)


def is_dated(url: str) -> bool:
    """Whether `url` leads to a day, month or year, as those of a calendar do."""
    path = urlsplit(url).path
    return bool(_DATED_PATH.search(path)) or any(map(_DATED_FIELD.fullmatch, names(url)))


def shape(url: str) -> str:
    """Return a key shared by URLs that differ only in numbers and in values of query fields."""
    return f"{_NUMBER.sub('0', urlsplit(url).path)}?{'&'.join(names(url))}"


def narrowed(url: str, known: Callable[[str], bool]) -> str:
    """The path below which `url` combines parts of others, as filters of a shop do, else nothing.

    Without either of its last two parts, and of those before them, it is `known` as well.
    """
    parts = urlsplit(url)
    names = parts.path.split("/")
    free = 0
    for at in reversed([at for at, name in enumerate(names) if name]):
        other = "/".join(names[:at] + names[at + 1 :])
        if not known(urlunsplit(parts._replace(path=other))):
            break
        free += 1
        below = "/".join(names[:at])
    return f"{below}/" if free > 1 else ""


class Traps:
    """Counters that reveal endless parts of a site, in one crawl."""

    def __init__(self) -> None:
        self._copies: Counter[str] = Counter()
        self._pages: Counter[str] = Counter()
        self._variants: defaultdict[str, set[str]] = defaultdict(set)

    def to_data(self) -> dict[str, Any]:
        """All of it for JSON."""
        variants = {path: sorted(known) for path, known in self._variants.items()}
        return {"copies": self._copies, "pages": self._pages, "variants": variants}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Restore from data of `to_data`, which may be empty; raises `ValueError` and the like."""
        traps = cls()
        for counted, name in ((traps._copies, "copies"), (traps._pages, "pages")):
            counted.update({str(kind): int(count) for kind, count in data.get(name, {}).items()})
        for path, known in data.get("variants", {}).items():
            traps._variants[path].update(map(str, known))
        return traps

    def holds(self, url: str, narrows: str = "") -> bool:
        """Whether the canonical `url` is not worth a request; `narrows` is what `narrowed` says."""
        parts = urlsplit(url)
        if len(url) > LONGEST or _is_winding(parts.path):
            return True
        if narrows and self._copies[narrows] >= max(NARROWED, self._pages[narrows]):
            return True
        fields = "&".join(names(url))
        kind, most = shape(url), COPIES_OF_DAYS if is_dated(url) else COPIES
        if self._copies[kind] >= max(most, self._pages[kind]):
            return True
        if fields and self._copies[f"?{fields}"] >= COPIES_OF_FIELDS:
            return True
        has_many = is_search(url) or fields.count("&") >= FIELDS - 1
        return has_many and self._is_one_more(parts.path, parts.query)

    def page(self, url: str) -> None:
        """Note that the page at `url` says something of its own."""
        self._pages[shape(url)] += 1

    def copy(self, url: str) -> None:
        """Note that the page at `url` says what another one says."""
        self._copies[shape(url)] += 1
        if fields := "&".join(names(url)):
            self._copies[f"?{fields}"] += 1

    def narrow(self, narrows: str, *, is_new: bool) -> None:
        """Note whether a page by combined parts below `narrows` says what no page before did."""
        (self._pages if is_new else self._copies)[narrows] += 1

    def _is_one_more(self, path: str, query: str) -> bool:
        known = self._variants[path]
        if len(known) < VARIANTS:
            known.add(query)
        return query not in known


class MadeUp:
    """Soft 404s of a site: `text` is the digest of what it shows for a random URL."""

    def __init__(self) -> None:
        self._alike: defaultdict[str, set[str]] = defaultdict(set)
        self._made_up: set[str] = set()
        self._tried = 0

    def to_data(self) -> dict[str, Any]:
        """All of it for JSON."""
        alike = {text: sorted(urls) for text, urls in self._alike.items()}
        return {"alike": alike, "made_up": sorted(self._made_up), "tried": self._tried}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Restore from data of `to_data`, which may be empty; raises `ValueError` and the like."""
        known = cls()
        known._tried = int(data.get("tried", 0))
        known._made_up.update(map(str, data.get("made_up", ())))
        for text, urls in data.get("alike", {}).items():
            known._alike[text].update(map(str, urls))
        return known

    def has(self, text: str) -> bool:
        """Whether a page that says this is made up."""
        return text in self._made_up

    def doubt(self, url: str, text: str) -> str:
        """Return the address to try, where so many say the same as `url` that it may be made up."""
        if text in self._made_up:
            return ""
        alike = self._alike[text]
        paths = {urlsplit(other).path for other in alike}
        alike.add(url)
        is_last = len(paths) == ALIKE - 1 and urlsplit(url).path not in paths
        if not is_last or self._tried >= MOST_TRIED:
            return ""
        self._tried += 1
        return unheard_of(url)

    def prove(self, text: str) -> set[str]:
        """Note what is said at the address that nobody named; returns where else it is."""
        self._made_up.add(text)
        return self._alike.pop(text, set())


def _is_winding(path: str) -> bool:
    parts = [part for part in path.split("/") if part]
    named = Counter(part for part in parts if not part.isdigit())
    return len(parts) > DEEPEST or max(named.values(), default=0) >= REPEATED
