"""The private text that a session was shown, to be recognised where it turns up again."""

import logging
import re
from collections import deque
from collections.abc import Iterable
from threading import Lock

from strap.network.sites import Site
from strap.routing.flow.spellings import (
    GRAM,
    STRIDE,
    all_grams,
    folded,
    grams,
    grams_of,
    plain_views,
    words,
)

HALVES = 2
HALF = 2_000_000
"""Characters of one half of the memory: the older half goes when the newer one is full."""
PIECE = 500_000
"""Characters that are read at once."""
MOST_CODES = 50_000
"""Codes of a half."""
MOST_LINKS = 5_000
"""Addresses kept of what was shown."""
SHORTEST = 6
"""Letters and digits of a code, one of them a digit: fewer are in many texts."""
LONGEST = 64
"""Characters of a code; what is longer has grams."""
MOST_SAID = 200_000
"""Grams of texts of the model that are kept: those of fifty pages of text."""
EXCERPT = 48
"""Characters of a view that a person is shown."""
OTHERS = 64_000
"""Characters kept of what sites showed that need not be private: to know what is on both."""
audit = logging.getLogger("strap.audit")
_URL = re.compile(r"https?://[^\s\"'<>\\|]+")
_TELLING = re.compile(r"[\d@]")
_CODE = re.compile(r"[^\W_]+(?:[-./:@+_#][^\W_]+)*")
_DATE = re.compile(
    r"(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4})?[T:]?(?:\d{1,2}[:.]\d{2})?(?:[:.]\d{2})?Z?"
)
_LONG_WORD = re.compile(r"\b[^\W\d_]{12,20}\b")
"""A word that many texts have: it tells nothing."""
_WORD = re.compile(r"[^\W_]+")


class Half:
    """Half of the memory: hashes of grams by site, and the codes in the texts."""

    def __init__(self) -> None:
        self.size = 0
        self._codes: dict[int, set[tuple[str, Site]]] = {}
        """Codes by their last letters: most end in digits, which few texts have."""
        self.count = 0
        self._grams: dict[Site, set[int]] = {}

    @property
    def is_full(self) -> bool:
        """Whether what comes next goes into another."""
        return self.size >= HALF or self.count >= MOST_CODES

    def add(self, site: Site, text: str, agent_text: "AgentText") -> None:
        """Keep what a text is known by, except what `agent_text` held before it was shown."""
        plain = folded(text)
        self.size += len(plain) + 1
        long_words = "".join({*map(folded, _LONG_WORD.findall(text))})
        known = self._grams.setdefault(site, set())
        known |= {*grams(plain)} - all_grams(long_words) - agent_text.grams
        for code in {*_codes(text)} - agent_text.codes:
            self._codes.setdefault(_last(code), set()).add((code, site))
            self.count += 1

    def matches(self, plain: str, sites: "Iterable[Site]") -> "Iterable[tuple[Site, str]]":
        """Return what of a text is known, with the site that showed it."""
        seen, fours = set(sites), [words(plain, start) for start in range(STRIDE)]
        for four in fours:
            if not self._codes.keys().isdisjoint(four):
                for last in self._codes.keys() & {*four}:
                    yield from ((s, c) for c, s in self._codes[last] if s in seen and c in plain)
        for site in seen & self._grams.keys():
            known = self._grams[site]
            for start, four in enumerate(fours):
                if known.isdisjoint(grams_of(four)):
                    continue
                for number, gram in enumerate(grams_of(four)):
                    if gram in known:
                        at = start + STRIDE * number
                        yield site, plain[at : at + GRAM]


class AgentText:
    """Text that the model had before a private page showed it: it did not come from there."""

    def __init__(self) -> None:
        self.grams: set[int] = set()
        self.codes: set[str] = set()

    def add(self, text: str) -> None:
        """Keep a text."""
        if len(self.grams) > MOST_SAID:
            self.grams.clear()
            self.codes.clear()
        self.grams |= all_grams(folded(text))
        self.codes.update(_codes(text))


class PrivateText:
    """Text that a session was shown: private text, and the last of other texts."""

    def __init__(self) -> None:
        self.sites: dict[Site, None] = {}
        """Sites that have shown private data: they are never forgotten."""
        self.forgotten = 0
        """Characters that had to make room."""
        self.links: dict[str, None] = {}
        """Addresses that were shown as they are."""
        self._halves: deque[Half] = deque(maxlen=HALVES)
        self._reading = Lock()
        self._waiting: list[tuple[Site | None, str]] = []
        """Texts to be read, in the order in which they came; those without a site were said."""
        self._agent_text = AgentText()
        self._others: deque[tuple[Site, str, str]] = deque()
        self._other_size = 0

    def add(
        self,
        site: Site,
        text: str,
        *,
        private: bool,
        links: bool = True,
        made: str = "",
        alone: bool = True,
    ) -> None:
        """Take note of a text; `links` says whether its addresses are the site's own.

        `made` is what the model gave the call: an answer that repeats it is not the site's word.
        `alone`: no other site is in it.
        """
        if private:
            self.sites[site] = None
            self._waiting.append((site, text))
            if links:
                self.links.update(dict.fromkeys(map(_plain_url, _URL.findall(text))))
                while len(self.links) > MOST_LINKS:
                    del self.links[next(iter(self.links))]
        if not alone:
            return
        text = text[:OTHERS]
        self._others.append((site, text, made))
        self._other_size += len(text)
        while self._other_size > OTHERS and len(self._others) > 1:
            self._other_size -= len(self._others.popleft()[1])

    def say(self, text: str) -> None:
        """Take note of what the model gives: what a page repeats of it later is not private."""
        self._waiting.append((None, text[:PIECE]))
        if len(self._waiting) == 1 and not self._reading.locked():
            self.index()  # else these texts pile up where nothing private is ever shown

    def is_link(self, url: str) -> bool:
        """Whether an address was shown whole: the model has made nothing of it."""
        return _plain_url(url) in self.links

    def recognised(self, text: str, target: Site, sites: Iterable[Site]) -> tuple[Site, str] | None:
        """Return what a text carries of these sites that `target` did not show itself."""
        self.index()
        sites, own = [*sites], list[tuple[str, str]]()
        for plain, view in plain_views(text):
            for half in self._halves:
                for site, match in half.matches(plain, sites):
                    own = own or self._own(target)
                    if not any(match in its and match not in made for its, made in own):
                        return site, _excerpt(view, match)
        return None

    def _own(self, target: Site) -> list[tuple[str, str]]:
        """Return what a site showed, and what the model had given the call; its name is its own."""
        shown = [(folded(t), folded(made)) for site, t, made in self._others if site == target]
        return [(folded(target[1]), ""), *shown]

    @property
    def waiting(self) -> int:
        """How many characters were not read yet."""
        return sum(len(text) for _, text in self._waiting)

    def index(self) -> None:
        """Read what was shown since the last time; threads may do it."""
        with self._reading:
            waiting, self._waiting = self._waiting, []
            for site, text in waiting:
                self._read(site, text)

    def _read(self, site: Site | None, text: str) -> None:
        if site is None:
            plain = folded(text)
            if not any(True for half in self._halves for _ in half.matches(plain, self.sites)):
                self._agent_text.add(text)
            return
        text = _URL.sub(" ", text)
        for start in range(0, len(text), PIECE):
            if not self._halves or self._halves[-1].is_full:
                if len(self._halves) == HALVES:
                    self.forgotten += self._halves[0].size
                    audit.info("flow: %s characters of private text had to make room", HALF)
                self._halves.append(Half())
            piece = text[max(0, start - LONGEST) : start + PIECE]
            self._halves[-1].add(site, piece, self._agent_text)


def _codes(text: str) -> Iterable[str]:
    """Return what tells a text apart: numbers, names with digits, addresses of mail."""
    telling = " ".join(filter(_TELLING.search, text.split()))
    for match in _CODE.finditer(telling):
        for part in {match[0], *_WORD.findall(match[0])}:
            plain = folded(part)
            is_code = any(c.isdigit() for c in plain) or ("@" in part and "." in part)
            if is_code and SHORTEST <= len(plain) <= LONGEST and not _DATE.fullmatch(part):
                yield plain


def _last(code: str) -> int:
    """Return the number of the last letters of a code."""
    return words(code, len(code) - STRIDE)[0]


def _plain_url(url: str) -> str:
    return url.strip().rstrip(".,;:!?)]}'\"").removesuffix("/")


def _excerpt(view: str, match: str) -> str:
    """Return the surroundings of a match, as a person can read them."""
    at = view.casefold().find(match[:SHORTEST])
    start = max(0, at - EXCERPT // 2)
    return " ".join(view[start : start + EXCERPT].split())
