"""Pages of a site: from its sitemaps, feeds, llms.txt, and the links of a page."""

import asyncio
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlsplit

from strap import StrapError
from strap.documents.media_types import kind_of, text_of
from strap.html_tree import joined
from strap.text import counted
from strap_http.message.response import Response
from strap_http.sites.addresses import canonical, is_page, key
from strap_http.sites.lists import feed_addresses, listed_addresses
from strap_http.sites.sitemaps import Sitemap, read_sitemap
from strap_http.sites.visits import Page, Visitor, too_slow

MOST = 5_000
"""Addresses that are listed of a site."""
MOST_MAPS = 50
"""Sitemaps that are read: an index may lead to ever more of them."""
DEEPEST = 3
"""Indexes of indexes, which the protocol does not know, but sites have."""
MOST_FEEDS = 3
USUAL = "/sitemap.xml"
_INDEX = "/llms.txt"


@dataclass(kw_only=True)
class SiteMap:
    """The pages of a site, each with the source that named it first; `notes` say what lacks."""

    url: str
    urls: dict[str, str] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    elsewhere: int = 0
    _keys: set[str] = field(default_factory=set, repr=False)

    @property
    def is_full(self) -> bool:
        """Whether no more is taken."""
        return len(self.urls) >= MOST

    @property
    def sources(self) -> Counter[str]:
        """How many addresses each source brought first."""
        return Counter(self.urls.values())

    async def add(self, urls: Iterable[str], source: str) -> None:
        """Take what is of the same site and no file, once; beside the loop: lists may be long."""
        await asyncio.to_thread(self._add, urls, source)

    def _add(self, urls: Iterable[str], source: str) -> None:
        for url in map(canonical, urls):
            if not url or not is_page(url) or key(url) in self._keys:
                continue
            if self.is_full:
                return
            self._keys.add(key(url))
            if site(url) == site(self.url):
                self.urls[url] = source
            else:
                self.elsewhere += 1


def site(url: str) -> str:
    """Return the host with its port, without `www.`: the same for all addresses of a site."""
    return urlsplit(url).netloc.removeprefix("www.")


async def map_site(url: str, visitor: Visitor) -> SiteMap:
    """Return what the site of `url` names; raises the `StrapError` of `url` if that is nothing."""
    site_map = SiteMap(url=url)
    rules = await visitor.rules(url)
    named = list(rules.sitemaps) if rules is not None else []
    page = await _page(url, site_map, visitor)
    await read_maps(named or [joined(url, USUAL)], site_map, visitor, expected=bool(named))
    if isinstance(page, Page):
        await site_map.add([page.url, *page.links], "links")
        await _read_feeds(page, site_map, visitor)
    await _read_index(joined(url, _INDEX), site_map, visitor)
    if not site_map.urls and isinstance(page, StrapError):
        raise page
    return site_map


async def _page(url: str, site_map: SiteMap, visitor: Visitor) -> Page | StrapError:
    try:
        return await visitor.page(url)
    except StrapError as error:
        missed = error
    except TimeoutError:
        missed = too_slow(url)
    site_map.notes[missed.message] = None
    return missed


async def read_maps(
    named: Iterable[str],
    site_map: SiteMap,
    visitor: Visitor,
    *,
    expected: bool,
    most: int = MOST_MAPS,
) -> None:
    """Read sitemaps, and those that they list; the first may be missing if not `expected`."""
    waiting = deque((joined(site_map.url, name), site_map.url, 0) for name in named)
    seen = {address for address, *_ in waiting}
    read = 0
    while waiting and read < most and not site_map.is_full:
        address, led_by, depth = waiting.popleft()
        listed = await _sitemap(address, led_by, site_map, visitor, expected=expected or depth > 0)
        if listed is None:
            return
        read += 1
        await site_map.add(listed.pages, "sitemaps")
        if depth < DEEPEST:
            new = [sitemap for sitemap in listed.maps if sitemap not in seen]
            seen.update(new)
            waiting.extend((sitemap, address, depth + 1) for sitemap in new)
        elif listed.maps:
            site_map.notes[f"indexes of sitemaps more than {DEEPEST} deep."] = None
    if waiting and not site_map.is_full:
        site_map.notes[f"{counted(len(waiting), 'further sitemap')} after {read}."] = None


async def _sitemap(
    address: str, led_by: str, site_map: SiteMap, visitor: Visitor, *, expected: bool
) -> Sitemap | None:
    """The sitemap that `led_by` names, an empty one where it cannot be read; None: time is up."""
    try:
        response = await visitor.get(address, led_by)
    except StrapError as error:
        site_map.notes[error.message] = None
        return Sitemap()
    except TimeoutError:
        site_map.notes["sitemaps for which no time was left."] = None
        return None
    if response.status != HTTPStatus.OK:
        if expected:
            site_map.notes[f"{address!r} answers with HTTP {response.status}."] = None
        return Sitemap()
    listed = await read_sitemap(response, visitor.readers.workers)
    if listed is None:
        site_map.notes[f"{address!r} takes too much time or memory to read."] = None
    elif expected and not listed.text:
        kind, _ = kind_of(response.media_type, response.body)
        what = "is a page, no sitemap" if kind == "html" else "lists nothing"
        site_map.notes[f"{address!r} {what}."] = None
    return listed or Sitemap()


async def _read_feeds(page: Page, site_map: SiteMap, visitor: Visitor) -> None:
    for feed in list(dict.fromkeys(page.feeds))[:MOST_FEEDS]:
        response, text = await _list(feed, page.url, visitor)
        if response is not None:
            entries = await feed_addresses(text, visitor.readers.workers)
            await site_map.add((joined(response.url, entry) for entry in entries), "feeds")


async def _read_index(address: str, site_map: SiteMap, visitor: Visitor) -> None:
    response, text = await _list(address, site_map.url, visitor)
    if response is not None:
        listed = await asyncio.to_thread(listed_addresses, text, response.url)
        await site_map.add(listed, "llms.txt")


async def _list(address: str, led_by: str, visitor: Visitor) -> tuple[Response | None, str]:
    """The text of a list that `led_by` names; None where it cannot be had, or is a page."""
    try:
        response = await visitor.get(address, led_by)
    except (StrapError, TimeoutError):
        return None, ""
    kind, _ = kind_of(response.media_type, response.body)
    if response.status != HTTPStatus.OK or kind in ("html", "binary"):
        return None, ""
    content_type = response.headers.get("content-type", "")
    return response, await asyncio.to_thread(text_of, kind, response.body, content_type)
