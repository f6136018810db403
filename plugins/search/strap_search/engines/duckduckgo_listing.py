"""News and images of duckduckgo.com: a token from its page for the query, then JSON."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ddgs.engines.duckduckgo_images import DuckduckgoImages
from ddgs.engines.duckduckgo_news import DuckduckgoNews

from strap import ActionError
from strap_search import failures
from strap_search.client.browser_pages import Pages
from strap_search.common import regions
from strap_search.common.json_answers import read_json
from strap_search.common.text import unmarked
from strap_search.engine import EngineContext, Hit, Page, Query
from strap_search.listing import picture_at
from strap_search.terms import Kind

HOME = "https://duckduckgo.com/"
_TOKEN = re.compile(r"""\bvqd=["']?([\w-]+)""")
_CHALLENGE = re.compile("anomaly-modal|challenge-form")
_SAFE = {"strict": "on", "moderate": "moderate", "off": "off"}


class _Token:
    """For the layouts of ddgs: a token that strap fetches, not a client that blocks."""

    token = ""

    def _get_vqd(self, query: str) -> str:
        return self.token


class _News(_Token, DuckduckgoNews):
    pass


class _Images(_Token, DuckduckgoImages):
    pass


class Listing:
    """One query, page by page, under one browser identity and one token."""

    def __init__(self, name: str, engines: EngineContext, kind: Kind) -> None:
        self.name = name
        self._kind = kind
        self._layout: _News | _Images = _Images() if kind == "images" else _News()
        self._pages = Pages(
            name=name,
            domain="duckduckgo.com",
            engines=engines,
            headers=self._layout.headers_update,
        )

    async def search(self, query: Query, after: Page | None) -> Page:
        """Return the page that follows `after`."""
        layout = self._layout
        if not layout.token:
            layout.token = self._read_token(await self._pages.fetch("GET", HOME, {"q": query.text}))
        fields = layout.build_payload(
            query.text,
            regions.duckduckgo(query.region),
            _SAFE[query.safe or "moderate"],
            query.time_range[0] if query.time_range else None,
        )
        fields |= (after.following if after else None) or {}
        text = await self._pages.fetch(layout.search_method, layout.search_url, fields)
        return self._read(text, int(fields.get("s", 0)))

    def _read_token(self, text: str) -> str:
        match = _TOKEN.search(text)
        if match is None and _CHALLENGE.search(text):
            raise failures.blocked(self.name, "a challenge page")
        if match is None:
            raise failures.unreadable(self.name, f"a page without the token that {self._kind} need")
        return match.group(1)

    def _read(self, text: str, offset: int) -> Page:
        try:
            data = read_json(text.encode())
            read = _image if self._kind == "images" else _news
            hits = tuple(read(item) for item in data["results"])
            return Page(hits=hits, following=_next(data, offset))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self._unreadable(text) from None

    def _unreadable(self, text: str) -> ActionError:
        if _CHALLENGE.search(text):
            return failures.blocked(self.name, "a challenge page")
        return failures.unreadable(self.name, "something that is not its JSON")


def _image(item: dict[str, Any]) -> Hit:
    return Hit(
        title=unmarked(str(item.get("title") or "")),
        url=str(item.get("url") or ""),
        picture=picture_at(item.get("image"), item.get("width"), item.get("height")),
    )


def _news(item: dict[str, Any]) -> Hit:
    return Hit(
        title=unmarked(str(item.get("title") or "")),
        url=str(item.get("url") or ""),
        snippet=unmarked(str(item.get("excerpt") or "")),
        date=item.get("date") or "",
    )


def _next(data: dict[str, Any], offset: int) -> dict[str, str] | None:
    """Return the offset in the URL of the next page, None if there is none."""
    start = parse_qs(urlsplit(str(data.get("next") or "")).query).get("s", [""])[0]
    return {"s": start} if start.isdecimal() and int(start) > offset else None
