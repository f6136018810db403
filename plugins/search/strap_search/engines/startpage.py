"""Google's index without a key, through Startpage."""

import asyncio
import re
from typing import Any, ClassVar

from ddgs.engines.startpage import Startpage as Layout

from strap_search import failures
from strap_search.client import ddgs_layouts
from strap_search.client.browser_pages import Pages
from strap_search.engine import Engine, EngineContext, Features, Page, Query, numbered
from strap_search.terms import SAFE, TIME_RANGES

PER_PAGE = 10
HOME = "https://www.startpage.com/"
_TOKEN = "//input[@name='sc']/@value"  # noqa: S105 - an XPath
_AD = re.compile(r"https?://([^/]+\.)?(google\.[a-z.]+/(aclk|pagead)|googleadservices\.com/)")
_SAFE = {"strict": "on", "moderate": "moderate", "off": "off"}
_ANY = "us-en"
"""A region that the layout wants in any case; it is taken out where none is asked for."""


class _Layout(Layout):
    """The layout of ddgs, with the token fetched by strap and not by a blocking client."""

    token = ""

    def get_sc(self) -> str:
        return self.token


class Startpage(Engine):
    """One query to Startpage, page by page."""

    name = "startpage"
    index = "google"
    remark = "keyless, standing in for engine='google'"
    keyless = True
    features: ClassVar = {
        "web": Features(time_ranges=TIME_RANGES, safe=SAFE, regions=None),
    }
    bot_check = (
        "//form[contains(@action, 'captcha')] | //*[contains(@class, 'blocked_feedback_form')]"
        " | //title[contains(., 'Blocked') or contains(., 'Captcha')]"
    )

    def __init__(self, engines: EngineContext) -> None:
        super().__init__(engines)
        self._layout = _Layout()
        self._pages = Pages(
            name=self.name,
            domain="startpage.com",
            engines=engines,
            headers=self._layout.headers_update,
        )

    async def search(self, query: Query, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        number = int(after.following["page"]) if after and after.following else 1
        if not self._layout.token:
            await self._enter()
        method, url = self._layout.search_method, self._layout.search_url
        text = await self._pages.fetch(method, url, self._fields(query, number))
        return await asyncio.to_thread(self._read, text, number)

    def keep(self, item: Any, url: str) -> str | None:
        """Drop the advertisements."""
        return None if _AD.match(url) else url

    def date(self, item: Any) -> str:
        """Return nothing: dates are a part of the snippet, in the words of the page."""
        return ""

    def _fields(self, query: Query, number: int) -> dict[str, str]:
        fields: dict[str, str] = self._layout.build_payload(
            query.text,
            query.region or _ANY,
            _SAFE[query.safe or "moderate"],
            query.time_range[0] if query.time_range else None,
            number,
        )
        if query.region is None:
            fields.pop("qsr", None)
        return fields

    async def _enter(self) -> None:
        """Get the token that the search form on the home page carries."""
        tree = ddgs_layouts.parse(self._layout, self.name, await self._pages.fetch("GET", HOME))
        if tree.xpath(self.bot_check):
            raise failures.blocked(self.name, "a challenge page")
        self._layout.token = next(iter(tree.xpath(_TOKEN)), "")
        if not self._layout.token:
            raise failures.unreadable(self.name, "a home page without a search form")

    def _read(self, text: str, number: int) -> Page:
        tree = ddgs_layouts.parse(self._layout, self.name, text)
        hits = ddgs_layouts.read(self._layout, self, tree)
        self._layout.token = next(iter(tree.xpath(_TOKEN)), self._layout.token)
        return numbered(hits, number, full=PER_PAGE)
