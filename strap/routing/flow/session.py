"""Information flow of one session: data shown and sent, and what may go where as a result."""

import asyncio
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from strap.network.sites import Site, is_site_of
from strap.records import record
from strap.routing.flow.given_text import GivenText
from strap.routing.flow.private_text import PrivateText
from strap.routing.flow.rules import Rules
from strap.routing.flow.spellings import values_of

PIECE = 64
"""Characters of a value from which on it is known by itself."""
RECENT = 200
"""Calls to one site whose parts are also read as one text: each may send one character."""
LONGEST_PART = 200
"""Characters of parts that are read together: longer pieces are known by themselves."""
MOST_BITS = 32.0
"""Bits that choices may tell another site in all: fewer than any text worth having."""
MOST_TARGETS = 500
"""Sites whose last calls are kept in mind."""
MOST_PARTS = 50
"""Parts of a call that are followed over several calls."""
LARGE = 100_000
"""Characters that wait to be read, above which a thread does it."""


@record
class Doubt:
    """Ways that nobody has allowed, from each of `sources` to `target`."""

    sources: tuple[Site, ...]
    target: Site
    carried: str = ""
    """Text of the first source that is seen to go, "" where nothing is."""
    is_split: bool = False
    """Whether it is recognised together with earlier calls alone."""

    @property
    def ways(self) -> frozenset[tuple[Site, Site]]:
        """The ways, each from one site to another."""
        return frozenset((source, self.target) for source in self.sources)


class FlowSession:
    """The information flow of one session; nothing is kept on disk."""

    def __init__(self, mode: str, rules: Rules) -> None:
        self.mode = mode
        self.shown = PrivateText()
        self.lock = asyncio.Lock()
        """Held while a person is asked: one question at a time."""
        self.allowed: set[tuple[Site, Site]] = set()
        """Ways that a person has allowed."""
        self.refused: set[tuple[Site, Site]] = set()
        """Ways of which a person has said no."""
        self.credentialed: set[Site] = set()
        """Sites that got credentials which were there before the model began."""
        self.written: set[Site] = set()
        """Sites that got what the model made, after it was shown private data."""
        self.named: set[Site] = set()
        """Sites that a caller named before anything was read: they may exchange data."""
        self.has_read = False
        """Whether anything was read, private or not."""
        self._rules = rules
        self._given_text = GivenText()
        self._bits: dict[Site, float] = {}
        self._sent: dict[Site, dict[str, deque[str]]] = {}

    @property
    def is_tainted(self) -> bool:
        """Whether it was shown private data."""
        return bool(self.shown.sites)

    def read(
        self, site: Site, text: str, *, private: bool, made: str = "", alone: bool = True
    ) -> None:
        """Take note of what an answer shows (see `PrivateText.add`)."""
        self.has_read = True
        private, links = private or site in self.credentialed, site not in self.written
        self.shown.add(site, text, private=private, links=links, made=made, alone=alone)

    def sources(self, target: Site) -> list[Site]:
        """Return the sites whose data may not go to `target`, as far as anybody has said."""
        return [
            source
            for source in self.shown.sites
            if not any(source == way[0] and is_site_of(target, way[1:]) for way in self.allowed)
            and not self._rules.allows(source, target, self.named)
        ]

    async def doubt(
        self, target: Site, parts: Mapping[str, str], urls: Collection[str] = ()
    ) -> Doubt | None:
        """Return why `parts`, which the model made, should not go to a site; None: they may.

        `urls` are addresses among them.
        """
        sources = self.sources(target)
        if not sources:
            return None
        if self.shown.waiting > LARGE:
            await asyncio.to_thread(self.shown.index)
        texts = self._texts(target, _values(parts, urls), parts, urls)
        size = sum(map(len, texts))
        look = partial(self._carried, texts, target, sources)
        doubt = await asyncio.to_thread(look) if size > LARGE else look()
        if doubt.carried and not self._carried([*parts.values(), *urls], target, sources).carried:
            return replace(doubt, is_split=True)
        return doubt

    def doubt_at_once(self, target: Site, url: str) -> Doubt | None:
        """Return why an address that a server led to should not be asked for; None: it may."""
        sources = self.sources(target)
        return self._carried([url], target, sources) if sources else None

    def chooses(self, target: Site, bits: float) -> bool:
        """Count the bits that a choice tells a site; returns whether it may be told so much."""
        if not self.sources(target):
            return True
        self._bits[target] = self._bits.get(target, 0.0) + bits
        return self._bits[target] <= MOST_BITS

    def _carried(self, texts: list[str], target: Site, sources: list[Site]) -> Doubt:
        for text in texts:
            if match := self.shown.recognised(text, target, sources):
                first = dict.fromkeys((match[0], *sources))
                return Doubt(sources=tuple(first), target=target, carried=match[1])
        return Doubt(sources=tuple(sources), target=target)

    def note_sent(self, target: Site, parts: Mapping[str, str], urls: Collection[str] = ()) -> None:
        """Keep what a call sends to a site, to be read together with what comes after it."""
        sent = self._sent.pop(target, {})
        for name, text in _values(parts, urls).items():
            sent.setdefault(name, deque(maxlen=RECENT)).append(text)
        tails = ["".join(pieces)[-LONGEST_PART:] for pieces in sent.values()]
        self._given_text.add([*parts.values(), *urls, *tails])
        self._sent[target] = sent
        while len(self._sent) > MOST_TARGETS:
            del self._sent[next(iter(self._sent))]

    def has_made(self, *texts: str) -> bool:
        """Whether what a page sends carries what the model gave to a site."""
        return any(map(self._given_text.is_in, texts))

    def _texts(
        self,
        target: Site,
        values: Mapping[str, str],
        parts: Mapping[str, str],
        urls: Collection[str],
    ) -> list[str]:
        """Return what a call sends: by its parts, as a whole, and with the last calls before."""
        sent = self._sent.get(target, {})
        joined = ["".join(values.values()), " ".join(values.values())]
        texts = [*parts.values(), *urls]
        texts += [text for text in joined if not any(other.startswith(text) for other in texts)]
        if any(name in sent for name in values):
            before = {name: "".join(sent.get(name, ()))[-LONGEST_PART:] for name in values}
            texts.append(" ".join(before[n] + t for n, t in values.items() if len(t) < PIECE))
        return [*filter(None, dict.fromkeys(texts))]


def _values(parts: Mapping[str, str], urls: Collection[str]) -> dict[str, str]:
    """Return the parts of a call, those of its addresses among them, by their names."""
    values = {name: text for name, text in parts.items() if text not in urls}
    for url in urls:
        values |= values_of(url)
    return {name: text[:LONGEST_PART] for name, text in [*values.items()][:MOST_PARTS] if text}
