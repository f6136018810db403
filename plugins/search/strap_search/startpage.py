"""Google's index without a key, through Startpage."""

import asyncio
import re
from typing import Any

from ddgs.engines.startpage import Startpage as Layout

from strap_search import failures, scraped
from strap_search.engines import Engines, Page
from strap_search.pages import Pages

NAME = "startpage"
HOME = "https://www.startpage.com/"
_TOKEN = "//input[@name='sc']/@value"  # noqa: S105 - an XPath
_AD = re.compile(r"https?://([^/]+\.)?(google\.[a-z.]+/(aclk|pagead)|googleadservices\.com/)")


class _Layout(Layout):
    """The layout of ddgs, with the token fetched by strap and not by a blocking client."""

    token = ""

    def get_sc(self) -> str:
        return self.token


class Startpage:
    """One query to Startpage, page by page."""

    name = NAME
    index = Layout.provider
    remark = "keyless, standing in for engine='google'"
    bot_check = (
        "//form[contains(@action, 'captcha')] | //*[contains(@class, 'blocked_feedback_form')]"
        " | //title[contains(., 'Blocked') or contains(., 'Captcha')]"
    )

    def __init__(self, engines: Engines) -> None:
        self._layout = _Layout()
        self._region = engines.settings.region
        self._pace = engines.pace(NAME)
        self._pages = Pages(
            name=NAME,
            domain="startpage.com",
            settings=engines.settings,
            headers=self._layout.headers_update,
        )

    async def search(self, query: str, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        number = int(after.following["page"]) if after and after.following else 1
        await self._pace.turn()
        if not self._layout.token:
            await self._enter()
        fields = self._layout.build_payload(query, self._region, "moderate", None, number)
        method, url = self._layout.search_method, self._layout.search_url
        text = await self._pages.fetch(method, url, fields)
        return await asyncio.to_thread(self._read, text, number)

    async def _enter(self) -> None:
        """Get the token that the search form on the home page carries."""
        tree = scraped.parse(self._layout, NAME, await self._pages.fetch("GET", HOME))
        if tree.xpath(self.bot_check):
            raise failures.blocked(NAME, "a challenge page")
        self._layout.token = next(iter(tree.xpath(_TOKEN)), "")
        if not self._layout.token:
            raise failures.unreadable(NAME, "a home page without a search form")

    def keep(self, item: Any, url: str) -> str | None:
        """Drop the advertisements."""
        return None if _AD.match(url) else url

    def _read(self, text: str, number: int) -> Page:
        tree = scraped.parse(self._layout, NAME, text)
        hits = scraped.read(self._layout, self, tree)
        self._layout.token = next(iter(tree.xpath(_TOKEN)), self._layout.token)
        return Page(hits=hits, following={"page": str(number + 1)} if hits else None)
