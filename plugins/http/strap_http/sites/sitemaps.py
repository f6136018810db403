"""Sitemaps, XML or text, feeds as well, compressed or not, and indexes of them.

Ready-made readers of sitemaps fetch by themselves, past the network guard.

https://www.sitemaps.org/protocol.html
"""

import html
import re
import zlib
from collections.abc import Iterable

from strap import record
from strap_http.sites.lists import entry_addresses

LARGEST = 52_428_800
"""Bytes of a sitemap, unpacked: what the protocol allows."""
_GZIP = b"\x1f\x8b"
_INDEX = re.compile(r"<(?:\w+:)?sitemapindex\b", re.IGNORECASE)
_FEED = re.compile(r"<(?:rss|feed|rdf:RDF)\b")
_HEAD = 5_000
"""Characters in which the root of a sitemap begins."""
# Read as text: many are not well-formed, and nothing in them is expanded or fetched this way.
_LOCATION = re.compile(r"<(?:\w+:)?loc>\s*(?:<!\[CDATA\[)?\s*([^<>\]\s]{1,2048})", re.IGNORECASE)
_LINE = re.compile(r"^\ufeff?(https?://\S{1,2048})\s*$", re.MULTILINE)


@record
class Sitemap:
    """What a sitemap lists: URLs of `pages`, or, as an index, of other `maps`."""

    pages: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()


def read_sitemap(body: bytes) -> Sitemap:
    """Return what `body` lists; nothing where it is no sitemap."""
    text = _unpacked(body).decode("utf-8", "replace")
    if _INDEX.search(text, 0, _HEAD):
        return Sitemap(maps=_unique(_LOCATION.findall(text)))
    if _FEED.search(text, 0, _HEAD):
        return Sitemap(pages=_unique(entry_addresses(text)))
    return Sitemap(pages=_unique(_LOCATION.findall(text) or _LINE.findall(text)))


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(wbits=31).decompress(body, LARGEST)
    except zlib.error:
        return b""


def _unique(urls: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(html.unescape(url).strip() for url in urls))
