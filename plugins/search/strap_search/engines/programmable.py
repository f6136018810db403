"""Google's results through the Custom Search JSON API, for who still has a key of it.

https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
"""

from typing import Any, ClassVar

from strap import ActionError
from strap_search import failures
from strap_search.apis import Api, Reply
from strap_search.client.limits import retry_after
from strap_search.engine import Engine, EngineContext, Features, Page, Picture, Query
from strap_search.listing import hits, picture_at
from strap_search.terms import TIME_RANGES

PER_PAGE = 10
_SAFE = {"strict": "active", "off": "off"}
_LIMITS = ("dailyLimitExceeded", "quotaExceeded", "dailyLimitExceededUnreg")


class ProgrammableSearch(Engine):
    """One query to `GET {google_url}/customsearch/v1`."""

    name = "programmable search"
    index = "google"
    remark = "standing in for engine='google'; Google ends it on 2027-01-01"
    features: ClassVar = dict.fromkeys(
        ("web", "images"), Features(time_ranges=TIME_RANGES, safe=("strict", "off"), regions=None)
    )

    def __init__(self, engines: EngineContext) -> None:
        super().__init__(engines)
        self._api = Api(self.name, engines, key="STRAP_SEARCH__GOOGLE_KEY")

    async def search(self, query: Query, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        settings = self.engines.settings
        start = int(after.following["start"]) if after and after.following else 1
        key = settings.google_key.get_secret_value() if settings.google_key else ""
        reply = await self._api.ask(
            "GET",
            f"{settings.google_url.rstrip('/')}/customsearch/v1",
            params={"key": key, "cx": settings.google_cx or "", **_params(query, start)},
        )
        if reply.status != 200:
            raise self._failure(reply)
        fields: dict[str, Any] = {"url": "link", "snippet": "snippet", "date": _published}
        if query.kind == "images":
            fields |= {"url": _shown_at, "picture": _picture}
        results = hits(self._api, reply, "items", **fields)
        return Page(hits=results, following=_next(reply.json))

    def _failure(self, reply: Reply) -> ActionError:
        """Tell the reasons apart that Google gives with the same few statuses."""
        error = reply.json.get("error")
        text = str(error)
        if "API_KEY_INVALID" in text or "keyInvalid" in text:
            return failures.bad_key(self.name, reply.status, self._api.key)
        if any(reason in text for reason in _LIMITS) or "per day" in text:
            return failures.used_up(self.name, reply.status, self._api.key)
        if reply.status == 403 and "ratelimitexceeded" in text.lower():
            return failures.rate_limited(self.name, reply.status, retry_after(reply.headers))
        return self._api.failure(reply)


def _params(query: Query, start: int) -> dict[str, str | int]:
    lone = query.sites[0] if len(query.sites) == 1 and not query.excluded else ""
    words = query.words if lone else query.text
    params: dict[str, str | int] = {"q": words, "num": PER_PAGE, "start": start}
    if query.region:
        params |= {"gl": query.country or "", "hl": query.language or ""}
    if query.safe:
        params["safe"] = _SAFE[query.safe]
    if query.time_range:
        params["dateRestrict"] = f"{query.time_range[0]}1"
    if query.kind == "images":
        params["searchType"] = "image"
    if lone:
        params |= {"siteSearch": lone, "siteSearchFilter": "i"}
    return params


def _shown_at(item: dict[str, Any]) -> str:
    return str(item["image"].get("contextLink") or "")


def _picture(item: dict[str, Any]) -> Picture:
    return picture_at(item.get("link"), item["image"].get("width"), item["image"].get("height"))


def _published(item: dict[str, Any]) -> str:
    try:
        return str(item["pagemap"]["metatags"][0]["article:published_time"])
    except (LookupError, TypeError):
        return ""


def _next(data: dict[str, Any]) -> dict[str, str] | None:
    """Return where the next page starts; the API goes no further than result 100."""
    try:
        start = int(data["queries"]["nextPage"][0]["startIndex"])
    except (KeyError, IndexError, TypeError, ValueError):
        return None
    return {"start": str(start)} if start <= 101 - PER_PAGE else None
