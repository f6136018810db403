"""`engine="tavily"`: the API of Tavily, with a key.

https://docs.tavily.com/documentation/api-reference/endpoint/search
"""

from typing import Any, ClassVar

from strap import ActionError
from strap_search import failures
from strap_search.apis import Api, Reply
from strap_search.engine import Engine, EngineContext, Features, Page, Query
from strap_search.listing import hits
from strap_search.settings import SearchSettings
from strap_search.terms import TIME_RANGES

MOST = 20
_TOPICS = {"web": "general", "news": "news"}
_FEATURES = Features(time_ranges=TIME_RANGES, most=MOST, longest=400)


class Tavily(Engine):
    """One query to `POST {tavily_url}/search`: there is one page of results."""

    name = "tavily"
    index = "tavily"
    features: ClassVar = {"web": _FEATURES, "news": _FEATURES}

    @classmethod
    def resolve(cls, settings: SearchSettings) -> type[Engine]:
        """See `Engine.resolve`."""
        if settings.tavily_key is None:
            raise failures.no_way(cls.name, "STRAP_SEARCH__TAVILY_KEY to a key of tavily.com")
        return cls

    def __init__(self, engines: EngineContext) -> None:
        super().__init__(engines)
        self._api = Api(self.name, engines, key="STRAP_SEARCH__TAVILY_KEY")

    async def search(self, query: Query, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        settings = self.engines.settings
        key = settings.tavily_key.get_secret_value() if settings.tavily_key else ""
        reply = await self._api.ask(
            "POST",
            f"{settings.tavily_url.rstrip('/')}/search",
            headers={"Authorization": f"Bearer {key}"},
            json=_payload(query),
        )
        if reply.status != 200:
            raise self._failure(reply)
        fields: dict[str, Any] = {"url": "url", "snippet": "content", "date": "published_date"}
        results = hits(self._api, reply, "results", **fields, always=True)
        return Page(hits=results)

    def _failure(self, reply: Reply) -> ActionError:
        """432: the plan is used up; 433: what was agreed to pay beyond it is."""
        if reply.status in (432, 433):
            return failures.used_up(self.name, reply.status, self._api.key)
        return self._api.failure(reply)


def _payload(query: Query) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "query": query.words,
        "topic": _TOPICS[query.kind],
        "search_depth": "basic",
        "max_results": MOST,
    }
    if query.time_range:
        payload["time_range"] = query.time_range
    if query.sites:
        payload["include_domains"] = list(query.sites)
    if query.excluded:
        payload["exclude_domains"] = list(query.excluded)
    return payload
