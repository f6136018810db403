"""The addresses in lists that sites have: feeds (RSS, Atom, JSON), and links in Markdown."""

import html
import json
import re
from dataclasses import dataclass

from strap import Job, Workers
from strap_http.extraction.facts.links import text_links

SMALL = 100_000
"""Characters of a list that is read at once: no more than a moment's work."""
SECONDS = 3.0
"""Computing that reading a list may take."""
# Read as text, like sitemaps: many are not well-formed.
_LINK = re.compile(
    r"<(?:\w+:)?link\b([^<>]{0,2500})>\s*+(?:<!\[CDATA\[)?+\s*+([^<>\]\s]{0,2048})", re.IGNORECASE
)
_HREF = re.compile(r"\bhref\s*=\s*[\"']([^\"'<>]{1,2048})[\"']", re.IGNORECASE)
_BESIDE = re.compile(r"\brel\s*=\s*[\"'](?:self|hub|replies|edit|via|enclosure)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entries:
    """The addresses of the entries of a feed, a line each: what a worker returns."""

    text: str


async def feed_addresses(text: str, workers: Workers) -> list[str]:
    """Return the addresses of a feed's entries in order; none where parsing takes too long."""
    if len(text) <= SMALL:
        return entry_addresses(text)
    payload = text.encode("utf-8", "replace")
    done = await workers.do(Job(function=f"{__name__}:entries", payload=payload, seconds=SECONDS))
    return done.text.split() if done else []


def entries(content: bytes) -> Entries:
    """Return the entries of a feed in UTF-8."""
    return Entries("\n".join(entry_addresses(content.decode())))


def entry_addresses(text: str) -> list[str]:
    """Return the addresses of the entries of a feed, in its order."""
    return _of_json(text) if text.lstrip().startswith("{") else xml_addresses(text)


def xml_addresses(text: str) -> list[str]:
    """Return the addresses of the entries of a feed in XML."""
    listed = []
    for attributes, content in _LINK.findall(text):
        href = _HREF.search(attributes)
        if not _BESIDE.search(attributes):
            listed.append(html.unescape(href.group(1) if href else content))
    return [address for address in listed if address]


def _of_json(text: str) -> list[str]:
    """Return the item URLs of a JSON feed, https://www.jsonfeed.org/version/1.1/."""
    try:
        items = json.loads(text)["items"]
        return [item["url"] for item in items if isinstance(item.get("url"), str)]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []


def listed_addresses(text: str, base_url: str) -> list[str]:
    """Return the addresses of the links of a Markdown text, absolute."""
    return addresses(text_links(text, base_url))


def addresses(listed: str) -> list[str]:
    """The URLs of a list of links in Markdown, a link a line."""
    return [line.rpartition("](")[2].removesuffix(")") for line in listed.splitlines()]
