"""DuckDuckGo without a key, through its page for browsers without JavaScript."""

import asyncio
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from ddgs.engines.duckduckgo import Duckduckgo

from strap_search import scraped
from strap_search.engines import Engine, Engines, Page
from strap_search.pages import Pages

NAME = "duckduckgo"
_WRAPPED = re.compile(r"[?&]uddg=([^&]*)")


def engine(engines: Engines) -> Engine:
    """Make the engine for one query."""
    return DuckDuckGo(engines)


class DuckDuckGo:
    """One query to html.duckduckgo.com, page by page."""

    name = NAME
    index = Duckduckgo.provider
    remark = ""
    bot_check = "//form[@id='challenge-form'] | //*[contains(@class, 'anomaly-modal')]"

    def __init__(self, engines: Engines) -> None:
        self._layout = Duckduckgo()
        self._region = engines.settings.region
        self._pace = engines.pace(NAME)
        self._pages = Pages(
            name=NAME,
            domain="duckduckgo.com",
            settings=engines.settings,
            headers=self._layout.headers_update,
        )

    async def search(self, query: str, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        layout = self._layout
        fields = layout.build_payload(query, self._region, "moderate", None)
        if after is not None and after.following is not None:
            fields = dict(after.following)
        await self._pace.turn()
        text = await self._pages.fetch(layout.search_method, layout.search_url, fields)
        return await asyncio.to_thread(self._read, text, int(fields.get("s", 0)))

    def keep(self, item: Any, url: str) -> str | None:
        """Unwrap the redirects that DuckDuckGo puts around some links; drop advertisements."""
        if item.xpath("ancestor-or-self::*[contains(@class, 'result--ad')]"):
            return None
        wrapped = _WRAPPED.search(url) if _own_path(url) == "/l/" else None
        target = unquote(wrapped.group(1)) if wrapped else url
        return None if _own_path(target) is not None else target

    def _read(self, text: str, offset: int) -> Page:
        tree = scraped.parse(self._layout, NAME, text)
        hits = scraped.read(self._layout, self, tree)
        return Page(hits=hits, following=_next_form(tree, offset) if hits else None)


def _own_path(url: str) -> str | None:
    """Return the path of a redirect page of DuckDuckGo's own, None for any other URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    own = parts.netloc in ("", "duckduckgo.com", "html.duckduckgo.com", "www.duckduckgo.com")
    return parts.path if own and parts.path in ("/l/", "/y.js") else None


def _next_form(tree: Any, offset: int) -> dict[str, str] | None:
    """Return the fields behind the button "Next" of the page that starts at `offset`.

    They carry a token that belongs to the query and the browser identity; asking for a later
    page without it is taken for a robot's doing.
    """
    for form in tree.xpath("//form[.//input[@name='nextParams']]"):
        inputs = form.xpath(".//input[@name]")
        fields = {str(one.get("name")): str(one.get("value") or "") for one in inputs}
        start = fields.get("s", "")
        if start.isdecimal() and int(start) > offset:
            return fields
    return None
