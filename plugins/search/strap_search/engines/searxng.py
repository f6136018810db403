"""`engine="searxng"`: an instance of the SearXNG metasearch engine that the operator names.

https://docs.searxng.org/dev/search_api.html
"""

import re
from typing import Any, ClassVar

from strap import ActionError
from strap_search import failures
from strap_search.apis import Api, Reply
from strap_search.common.text import strip_markup
from strap_search.engine import Engine, EngineContext, Features, Page, Picture, Query
from strap_search.listing import hits, picture_at
from strap_search.settings import SearchSettings
from strap_search.terms import SAFE, TIME_RANGES, Kind

_CATEGORIES: dict[Kind, str] = {"web": "general", "news": "news", "images": "images"}
_SIZE = re.compile(r"\s*(\d+)\s*[x\u00d7*]\s*(\d+)")
_FEATURES = Features(time_ranges=TIME_RANGES, safe=SAFE, regions=None)


class SearXNG(Engine):
    """One query to `GET {searxng_url}/search`."""

    name = "searxng"
    index = "several"
    features: ClassVar = dict.fromkeys(_CATEGORIES, _FEATURES)

    @classmethod
    def resolve(cls, settings: SearchSettings) -> type[Engine]:
        """See `Engine.resolve`."""
        if settings.searxng_url is None:
            raise failures.no_way(cls.name, "STRAP_SEARCH__SEARXNG_URL to the URL of an instance")
        return cls

    def __init__(self, engines: EngineContext) -> None:
        super().__init__(engines)
        self._api = Api(self.name, engines)

    async def search(self, query: Query, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        url = (self.engines.settings.searxng_url or "").rstrip("/")
        number = int(after.following["page"]) if after and after.following else 1
        reply = await self._api.ask("GET", f"{url}/search", params=_params(query, number))
        if reply.status != 200:
            raise self._failure(reply)
        picture = _picture if query.kind == "images" else None
        fields: dict[str, Any] = {"url": "url", "snippet": "content", "date": _date}
        results = hits(self._api, reply, "results", **fields, picture=picture, always=True)
        silent = _silent(reply.json)
        if not results and number == 1 and silent:
            raise failures.upstream(self.name, f"none of its engines answered: {silent}")
        return Page(hits=results, following={"page": str(number + 1)} if results else None)

    def _failure(self, reply: Reply) -> ActionError:
        if reply.status == 403:
            fix = "adds json to search.formats in the settings.yml of the instance"
            return failures.misconfigured(self.name, "does not answer in JSON (HTTP 403)", fix)
        return self._api.failure(reply)


def _params(query: Query, number: int) -> dict[str, str | int]:
    params: dict[str, str | int] = {
        "q": query.text,
        "format": "json",
        "categories": _CATEGORIES[query.kind],
        "pageno": number,
        "language": "all",
    }
    if query.region:
        params["language"] = f"{query.language}-{(query.country or '').upper()}"
    if query.safe:
        params["safesearch"] = {"off": 0, "moderate": 1, "strict": 2}[query.safe]
    if query.time_range:
        params["time_range"] = query.time_range
    return params


def _date(item: dict[str, Any]) -> str:
    return str(item.get("publishedDate") or "")


def _picture(item: dict[str, Any]) -> Picture:
    size = _SIZE.match(str(item.get("resolution") or ""))
    return picture_at(item.get("img_src"), *(size.groups() if size else ()))


def _silent(data: dict[str, Any]) -> str:
    """Return which engines of the instance gave no answer, and why."""
    engines = data.get("unresponsive_engines")
    pairs = [": ".join(map(str, engine)) for engine in engines or () if isinstance(engine, list)]
    return strip_markup(", ".join(pairs), 200)
