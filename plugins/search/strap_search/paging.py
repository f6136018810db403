"""Following an engine from page to page as far as a caller wants, and from call to call."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace

from strap import ActionError, StrapError, record
from strap_search import failures
from strap_search.common.text import parse_date, strip_markup
from strap_search.common.urls import on_site, same_page, web_page
from strap_search.engine import Engine, Hit, Page, Picture, Query
from strap_search.rate_limit import RateLimiter

MAX_TITLE = 200
MAX_SNIPPET = 500
MAX_PAGES = 10
"""Pages of an engine that one call asks for."""
MAX_TRAILS = 32
LIFETIME = 300.0
"""Seconds for which a later call continues where an earlier one stopped."""

Report = Callable[[str, float, float], Awaitable[None]]
log = logging.getLogger("strap.search")


@record
class ResultPage:
    """Hits of one call after `skipped`; `failure` is why there are fewer, `strays` other sites'."""

    hits: tuple[Hit, ...]
    skipped: int = 0
    failure: ActionError | None = None
    strays: int = 0


class PageCursor:
    """One query to one engine: what it gave so far, without duplicates, and how it goes on."""

    def __init__(self, engine: Engine, query: Query, pace: RateLimiter) -> None:
        self.engine = engine
        self.query = query
        self._pace = pace
        self._hits: dict[str, Hit] = {}
        self._page: Page | None = None
        self._ended = False
        self._queued = False
        self._strays: set[str] = set()
        self._one_at_a_time = asyncio.Lock()

    async def window(self, *, skip: int, limit: int, seconds: float, report: Report) -> ResultPage:
        """Return up to `limit` hits after `skip`; raises `ActionError` if a failure leaves none."""
        failure: ActionError | None = None
        try:
            async with asyncio.timeout(seconds), self._one_at_a_time:
                await self._reach(skip + limit, report)
        except TimeoutError:
            why = failures.busy if self._queued else failures.timed_out
            failure = why(self.engine.name, seconds)
        except ActionError as error:
            failure = error
        hits = tuple(self._hits.values())[skip : skip + limit]
        if failure and not hits:
            raise failure
        skipped = min(skip, len(self._hits))
        return ResultPage(hits=hits, skipped=skipped, failure=failure, strays=len(self._strays))

    async def _reach(self, count: int, report: Report) -> None:
        for _ in range(MAX_PAGES):
            if self._ended or len(self._hits) >= count:
                return
            if self._page is not None:
                reached = len(self._hits)
                await report(f"{self.engine.name}: {reached} results", reached, count)
            await self._step()

    async def _step(self) -> None:
        self._queued = True
        await self._pace.turn(self.engine.name)
        self._queued = False
        try:
            page = await self._ask()
        except failures.Refusal as error:
            raise failures.resting(error, self._pace.refused(error.after)) from None
        self._pace.answered()
        self._page = page
        added = self._add(page.hits)
        self._ended = page.following is None or not added

    async def _ask(self) -> Page:
        """Ask for the next page; whatever the code of an engine raises becomes a `StrapError`."""
        try:
            page = await self.engine.search(self.query, self._page)
            pictures = self.query.kind == "images"
            cleaned_hits = (hit for raw in page.hits if (hit := cleaned(raw)) is not None)
            hits = tuple(hit for hit in cleaned_hits if hit.picture is not None or not pictures)
            return Page(hits=hits, following=page.following)
        except StrapError:
            raise
        except (Exception, SystemExit) as error:
            log.exception("Search engine %r failed", self.engine.name)
            raise failures.broken(self.engine.name, error) from error

    def _add(self, hits: tuple[Hit, ...]) -> bool:
        before = len(self._hits) + len(self._strays)
        for hit in hits:
            key = same_page(hit.url) + (f" {hit.picture.url}" if hit.picture else "")
            if not self._is_wanted(hit.url):
                self._strays.add(key)
            else:
                self._hits.setdefault(key, hit)
        return len(self._hits) + len(self._strays) > before

    def _is_wanted(self, url: str) -> bool:
        sites = self.query.sites
        inside = not sites or any(on_site(url, site) for site in sites)
        return inside and not any(on_site(url, site) for site in self.query.excluded)


def cleaned(hit: Hit) -> Hit | None:
    """Return `hit` with short plain texts; None if it does not lead to a web page."""
    url = web_page(hit.url)
    if url is None:
        return None
    return Hit(
        title=strip_markup(hit.title, MAX_TITLE) or url,
        url=url,
        snippet=strip_markup(hit.snippet, MAX_SNIPPET),
        date=parse_date(hit.date),
        picture=_seen(hit.picture) if hit.picture is not None else None,
        space=hit.space,
    )


def _seen(picture: Picture) -> Picture | None:
    """Return a picture of the web; None for one that is written into the answer itself."""
    url = web_page(picture.url)
    return replace(picture, url=url) if url is not None else None


class PageCursors:
    """Recent cursors: a further page repeats no request; `clock` is for tests."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._trails: OrderedDict[object, tuple[float, PageCursor]] = OrderedDict()

    def recall(self, key: object) -> PageCursor | None:
        """Return the trail that was kept under `key`, if that is not long ago."""
        kept_at, trail = self._trails.get(key, (0.0, None))
        return trail if trail is not None and self._clock() - kept_at <= LIFETIME else None

    def keep(self, key: object, trail: PageCursor) -> None:
        """Keep a trail, in place of the oldest one if there are too many."""
        self._trails.pop(key, None)
        self._trails[key] = self._clock(), trail
        while len(self._trails) > MAX_TRAILS:
            self._trails.popitem(last=False)
