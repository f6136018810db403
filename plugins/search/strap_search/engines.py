"""What an engine is, what it finds, and which one answers a call."""

import asyncio
import time
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, Protocol, Self, TypeVar, cast, get_args
from urllib.parse import urlsplit

from strap_search.settings import SearchSettings

Kept = TypeVar("Kept")
EngineName = Literal["duckduckgo", "google"]
MAX_BODY = 3_000_000
"""Most bytes, decompressed, that are read of one answer; real ones have 30 to 80 KB."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One result: `url` exactly as the site wrote it, the texts without markup."""

    title: str
    url: str
    snippet: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Results in the engine's order; `following` asks for the next page, None at the end."""

    hits: tuple[Hit, ...] = ()
    following: Mapping[str, str] | None = None


class Engine(Protocol):
    """A way to search, made for one query: it may keep a connection and a browser identity."""

    @property
    def name(self) -> str:
        """Who answers."""
        ...

    @property
    def index(self) -> str:
        """Whose crawl the results come from."""
        ...

    @property
    def remark(self) -> str:
        """What else the caller has to know about this way, or an empty string."""
        ...

    async def search(self, query: str, after: Page | None = None) -> Page:
        """Return the page that follows `after`, the first one by default.

        Raises `ActionError` with one of the codes in `strap_search.failures`.
        """
        ...


class Pace:
    """Spreads the requests to one engine over time, over all callers."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._free_at = 0.0

    async def turn(self) -> None:
        """Wait until the next request may be sent."""
        now = time.monotonic()
        start = max(now, self._free_at)
        self._free_at = start + self._interval
        await asyncio.sleep(start - now)


class Engines:
    """The state of the resource: everything that outlives one query.

    An async context manager; at its end it closes what `kept` opened.
    """

    def __init__(self, settings: SearchSettings) -> None:
        self.settings = settings
        self._paces: dict[str, Pace] = {}
        self._kept: dict[str, Any] = {}
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def pick(self, name: EngineName) -> Engine:
        """Make the engine that answers for `name`; raises `ActionError` if no way is set up.

        Its module, and with it the libraries it needs, is imported on first use, off the loop.
        """
        module = await asyncio.to_thread(import_module, f"strap_search.{name}")
        return cast("Engine", module.engine(self))

    def pace(self, name: str) -> Pace:
        """Return the pace that all queries to the engine `name` share."""
        return self._paces.setdefault(name, Pace(self.settings.interval))

    async def kept(self, name: str, make: Callable[[], AbstractAsyncContextManager[Kept]]) -> Kept:
        """Return what `make` opens: made once, on first use, off the loop."""
        async with self._opening:
            if name not in self._kept:
                made = await asyncio.to_thread(make)
                self._kept[name] = await self._stack.enter_async_context(made)
        return cast("Kept", self._kept[name])

    def others(self, name: EngineName) -> tuple[str, ...]:
        """Return what a caller may use in place of `name`."""
        unusable = {name} if self.settings.google != "not set up" else {name, "google"}
        return tuple(other for other in get_args(EngineName) if other not in unusable)


def plain(text: str, limit: int) -> str:
    """Return `text` on one line without control and format characters, at most `limit` long."""
    kept = (" " if unicodedata.category(c)[0] == "C" else c for c in text[: 4 * limit])
    words = " ".join("".join(kept).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def hit(title: str, url: str, snippet: str) -> Hit | None:
    """Make a `Hit` from what an engine delivers; None if it does not lead to a web page."""
    url = url.strip()
    if url.startswith("//"):
        url = f"https:{url}"
    if not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return Hit(title=plain(title, 200) or url, url=url, snippet=plain(snippet, 500))
