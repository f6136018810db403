"""Sitemaps, XML or text, feeds as well, compressed or not, and indexes of them.

Ready-made readers of sitemaps fetch by themselves, past the network guard.

https://www.sitemaps.org/protocol.html
"""

import html
import re
import zlib
from dataclasses import dataclass

from strap import Job, Workers
from strap.html_tree import joined
from strap_http.message.response import Response
from strap_http.sites.lists import SECONDS, SMALL, xml_addresses

LARGEST = 52_428_800
"""Bytes of a sitemap, unpacked: what the protocol allows."""
_GZIP = b"\x1f\x8b"
_ASIDE = re.compile(rb"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)", re.DOTALL)
_ROOT = re.compile(rb"<(?:\w+:)?(sitemapindex|urlset|rss|feed|RDF)\b", re.IGNORECASE)
_INDEX = b"sitemapindex"
_FEEDS = (b"rss", b"feed", b"rdf")
_HEAD = 5_000
"""Bytes in which the root of a sitemap begins."""
# Read as text: many are not well-formed, and nothing in them is expanded or fetched this way.
# Blanks that were taken are not given back: trying all ways to share them takes the square of them.
_LOCATION = re.compile(
    rb"<(?:\w+:)?loc>\s*+(?:<!\[CDATA\[)?+\s*+([^<>\]\s]{1,2048})", re.IGNORECASE
)
_LINE = re.compile(rb"^(?:\xef\xbb\xbf)?(https?://\S{1,2048})\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Addresses in a sitemap: absolute, a line each, of pages, or of sitemaps for an index."""

    text: str = ""
    is_index: bool = False

    @property
    def pages(self) -> list[str]:
        """The addresses of pages."""
        return [] if self.is_index else self.text.splitlines()

    @property
    def maps(self) -> list[str]:
        """The addresses of other sitemaps."""
        return self.text.splitlines() if self.is_index else []


async def read_sitemap(response: Response, workers: Workers) -> Sitemap | None:
    """Return what a sitemap lists, nothing where it is none; None where that takes too much."""
    content = _unpacked(response.body, SMALL + 1)
    if len(content) <= SMALL:
        return listing(content, response.url)
    done = await workers.do(
        Job(
            function=f"{__name__}:listing",
            payload=response.body,
            arguments={"url": response.url},
            seconds=SECONDS,
        )
    )
    return Sitemap(done.text, done.facts["is_index"]) if done else None


def listing(body: bytes, url: str) -> Sitemap:
    """Return what the sitemap at `url` lists."""
    content = _unpacked(body, LARGEST)
    match = _ROOT.search(_ASIDE.sub(b"", content[:_HEAD]))
    root = match[1].lower() if match else b""
    if root in _FEEDS:
        listed = xml_addresses(content.decode("utf-8", "replace"))
    else:
        lines = _LOCATION.findall(content) or _LINE.findall(content)
        listed = [html.unescape(line.decode("utf-8", "replace")) for line in lines]
    # Some write them from the root of the site on; what else a list of pages has is no address.
    is_relative = root in (_INDEX, *_FEEDS)
    addresses = (
        joined(url, address) if is_relative or address[:1] == "/" else address for address in listed
    )
    text = "\n".join(dict.fromkeys(" ".join(address.split()) for address in addresses))
    return Sitemap(text, root == _INDEX)


def _unpacked(body: bytes, most: int) -> bytes:
    """The first bytes of a sitemap, at most so many."""
    if not body.startswith(_GZIP):
        return body[:most]
    try:
        return zlib.decompressobj(wbits=31).decompress(body, most)
    except zlib.error:
        return b""
