"""Web results of html.duckduckgo.com, read with the XPaths of ddgs."""

import asyncio
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from ddgs.engines.duckduckgo import Duckduckgo

from strap_search.client import ddgs_layouts
from strap_search.client.browser_pages import Pages
from strap_search.common import regions
from strap_search.engine import EngineContext, Page, Query

SAFE = {"strict": "1", "moderate": "-1", "off": "-2"}
"""Values of `kp`, https://duckduckgo.com/duckduckgo-help-pages/settings/params."""
_BESIDE_ADDRESS = ".//*[contains(@class, 'result__extras__url')]/span//text()"
_DATE = re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+")
_WRAPPED = re.compile(r"[?&]uddg=([^&]*)")


class Web:
    """One query, page by page, under one browser identity."""

    bot_check = "//form[@id='challenge-form'] | //*[contains(@class, 'anomaly-modal')]"

    def __init__(self, name: str, engines: EngineContext) -> None:
        self.name = name
        self._layout = Duckduckgo()
        self._pages = Pages(
            name=name,
            domain="duckduckgo.com",
            engines=engines,
            headers=self._layout.headers_update,
        )

    async def search(self, query: Query, after: Page | None) -> Page:
        """Return the page that follows `after`."""
        layout, filters = self._layout, _filters(query)
        if after is not None and after.following is not None:
            fields = {**after.following, **filters}
        else:
            fields = layout.build_payload(query.text, filters["kl"], "moderate", None) | filters
        text = await self._pages.fetch(layout.search_method, layout.search_url, fields)
        return await asyncio.to_thread(self._read, text, int(fields.get("s", 0)))

    def keep(self, item: Any, url: str) -> str | None:
        """Unwrap the redirects that DuckDuckGo puts around some links; drop advertisements."""
        if item.xpath("ancestor-or-self::*[contains(@class, 'result--ad')]"):
            return None
        wrapped = _WRAPPED.search(url) if _own_path(url) == "/l/" else None
        target = unquote(wrapped.group(1)) if wrapped else url
        return None if _own_path(target) is not None else target

    def date(self, item: Any) -> str:
        """Return the date that stands beside the address of some results."""
        match = _DATE.search("".join(item.xpath(_BESIDE_ADDRESS)))
        return match.group() if match else ""

    def _read(self, text: str, offset: int) -> Page:
        tree = ddgs_layouts.parse(self._layout, self.name, text)
        hits = ddgs_layouts.read(self._layout, self, tree)
        return Page(hits=hits, following=_next_form(tree, offset) if hits else None)


def _filters(query: Query) -> dict[str, str]:
    """Return the fields that narrow a query; they go with every page of it."""
    fields = {"kl": regions.duckduckgo(query.region)}
    if query.safe:
        fields["kp"] = SAFE[query.safe]
    if query.time_range:
        fields["df"] = query.time_range[0]
    return fields


def _own_path(url: str) -> str | None:
    """Return the path of a redirect page of DuckDuckGo's own, None for any other URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    own = parts.netloc in ("", "duckduckgo.com", "html.duckduckgo.com", "www.duckduckgo.com")
    return parts.path if own and parts.path in ("/l/", "/y.js") else None


def _next_form(tree: Any, offset: int) -> dict[str, str] | None:
    """Return the fields behind "Next" at `offset`, with the token that tells no robot asks."""
    for form in tree.xpath("//form[.//input[@name='nextParams']]"):
        inputs = form.xpath(".//input[@name]")
        fields = {str(field.get("name")): str(field.get("value") or "") for field in inputs}
        start = fields.get("s", "")
        if start.isdecimal() and int(start) > offset:
            return fields
    return None
