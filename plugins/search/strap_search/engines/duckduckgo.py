"""`engine="duckduckgo"`: without a key, its pages for browsers without JavaScript, news, images."""

from typing import ClassVar

from strap_search.common import regions
from strap_search.engine import Engine, EngineContext, Features, Page, Query
from strap_search.engines.duckduckgo_listing import Listing
from strap_search.engines.duckduckgo_web import Web
from strap_search.terms import SAFE, TIME_RANGES


class DuckDuckGo(Engine):
    """One query to DuckDuckGo."""

    name = "duckduckgo"
    index = "bing"
    keyless = True
    features: ClassVar = {
        "web": Features(time_ranges=TIME_RANGES, safe=SAFE, regions=regions.DUCKDUCKGO),
        "news": Features(time_ranges=TIME_RANGES[:3], safe=SAFE, regions=regions.DUCKDUCKGO),
        "images": Features(time_ranges=TIME_RANGES, safe=SAFE, regions=regions.DUCKDUCKGO),
    }

    def __init__(self, engines: EngineContext) -> None:
        super().__init__(engines)
        self._reader: Web | Listing | None = None

    async def search(self, query: Query, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        if self._reader is None:
            is_web, source = query.kind == "web", (self.name, self.engines)
            self._reader = Web(*source) if is_web else Listing(*source, query.kind)
        return await self._reader.search(query, after)
