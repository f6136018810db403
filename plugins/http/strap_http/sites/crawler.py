"""Crawling: page after page, until there are enough, none is left, or the time is up."""

import asyncio
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol

from strap import PolicyDenied, StrapError
from strap.html_tree import joined
from strap_http.sites.addresses import Scope
from strap_http.sites.frontier import Crawl, CrawledPage
from strap_http.sites.mapping import USUAL, SiteMap, read_maps
from strap_http.sites.pace import AT_ONCE
from strap_http.sites.visits import NoPage, Page, Visitor, too_slow

LEAST = 0.2
"""Seconds that must be left to begin another request."""
REQUESTS, SPARE = 3, 50
"""Requests of a call: so many for each page that is wanted, and some more."""
AHEAD = AT_ONCE + 1
"""Pages that are asked for, or wait for their turn: they are taken in the order of the crawl."""
MOST_MAPS = 5
"""Sitemaps that a crawl reads: links lead to the rest."""

Visit = tuple[str, asyncio.Task[Page]]


class Sink(Protocol):
    """Receiver of the pages of a crawl."""

    async def take(self, page: Page, crawl: Crawl) -> CrawledPage:
        """Keep a page."""

    async def drop(self, pages: Iterable[CrawledPage]) -> None:
        """Keep these pages no longer."""

    async def save(self, crawl: Crawl) -> None:
        """Keep how far the crawl is."""


async def begin(url: str, visitor: Visitor, sink: Sink) -> Crawl:
    """Return a new crawl that has read the page at `url`; raises `StrapError` where it cannot."""
    rules = await visitor.rules(url)
    page = await _first(url, visitor)
    crawl = Crawl(scope=Scope.below(page.url))
    crawl.begin_with(url, page)
    named = [joined(url, sitemap) for sitemap in rules.sitemaps] if rules is not None else []
    listed = SiteMap(url=page.url)
    maps = named or [joined(page.url, USUAL)]
    await read_maps(maps, listed, visitor, expected=bool(named), most=MOST_MAPS)
    crawl.offer(listed.urls)
    await sink.save(crawl)  # a crawl that ends from here on can go on
    await _keep([page], crawl, sink)
    return crawl


async def _first(url: str, visitor: Visitor) -> Page:
    try:
        return await visitor.page(url)
    except TimeoutError:
        raise too_slow(url) from None


async def crawl_on(crawl: Crawl, visitor: Visitor, sink: Sink, *, until: int) -> None:
    """Read further pages until there are `until`; what is not read is left to the next call."""
    left = REQUESTS * (until - len(crawl.pages)) + SPARE
    running: deque[Visit] = deque()
    try:
        while True:
            while left and len(running) < AHEAD and visitor.left > LEAST:
                url = crawl.next() if len(crawl.pages) + len(running) < until else None
                if url is None:
                    break
                running.append((url, asyncio.create_task(visitor.page(url))))
                left -= 1
            if not running:
                break
            await asyncio.wait([running[0][1]])
            page = await _taken(*running.popleft(), crawl, sink)
            unheard_of = crawl.doubt(page) if page is not None else ""
            if unheard_of:
                await _prove(unheard_of, crawl, visitor, sink)
    finally:
        await _stop(running, crawl)
    if not crawl.known:
        await _keep(crawl.rest(), crawl, sink)


async def _prove(unheard_of: str, crawl: Crawl, visitor: Visitor, sink: Sink) -> None:
    """Ask for a random sibling URL, to detect soft 404s; a redirect elsewhere proves nothing."""
    with suppress(TimeoutError, StrapError):
        page = await visitor.page(unheard_of)
        if page.url == unheard_of:
            is_home = await _is_home(page, crawl.scope, visitor)
            await sink.drop(crawl.prove(page, is_home=is_home))
            await sink.save(crawl)


async def _is_home(page: Page, scope: Scope, visitor: Visitor) -> bool:
    """Whether the home page says the same, or may do so; raises `StrapError`, `TimeoutError`."""
    try:
        home = await visitor.page(str(scope))
    except NoPage as error:
        return error.retryable
    return home.fingerprint.apart == page.fingerprint.apart


async def _taken(url: str, task: asyncio.Task[Page], crawl: Crawl, sink: Sink) -> Page | None:
    try:
        page = task.result()
    except TimeoutError:
        crawl.take_back(url)
    except PolicyDenied as error:
        by = "by robots.txt" if error.code == "robots" else "by the rules of this machine"
        crawl.failed(url, f"forbidden {by}", again=False)
    except StrapError as error:
        why = error.reason if isinstance(error, NoPage) else error.code
        crawl.failed(url, f"failed ({why})", again=error.retryable)
    else:
        await _keep(crawl.add(url, page), crawl, sink)
        return page
    return None


async def _keep(pages: Iterable[Page], crawl: Crawl, sink: Sink) -> None:
    for page in pages:
        crawl.pages.append(await sink.take(page, crawl))
        await sink.save(crawl)


async def _stop(running: Iterable[Visit], crawl: Crawl) -> None:
    for url, task in reversed([*running]):
        task.cancel()
        crawl.take_back(url)
        with suppress(asyncio.CancelledError, TimeoutError, StrapError):
            await task
