"""`engine="brave"`: the index of Brave, through its API, with a key.

https://api-dashboard.search.brave.com/api-reference/web/search/get
"""

from typing import Any, ClassVar

from strap import ActionError
from strap_search import failures
from strap_search.apis import Api, Reply
from strap_search.engine import Engine, EngineContext, Features, Page, Picture, Query, numbered
from strap_search.listing import hits, picture_at
from strap_search.settings import SearchSettings
from strap_search.terms import MAX_RESULTS, SAFE, TIME_RANGES

PER_PAGE = 20
LAST_PAGE = 10
COUNTRIES = frozenset(
    (
        "ar", "at", "au", "be", "br", "ca", "ch", "cl", "cn", "de", "dk", "es", "fi", "fr",
        "gb", "hk", "id", "in", "it", "jp", "kr", "mx", "my", "nl", "no", "nz", "ph", "pl",
        "pt", "ru", "sa", "se", "tr", "tw", "us", "za",
    )
)  # fmt: skip
# Where Brave's codes of languages are not those of ISO 639-1, by region or by language.
_LANGUAGES = {
    "ja": "jp",
    "no": "nb",
    "zh": "zh-hans",
    "tw-zh": "zh-hant",
    "hk-zh": "zh-hant",
    "gb-en": "en-gb",
    "pt": "pt-pt",
    "br-pt": "pt-br",
}
_FEATURES = Features(time_ranges=TIME_RANGES, safe=SAFE, regions=COUNTRIES, longest=400)
_OF_IMAGES = Features(safe=("strict", "off"), regions=COUNTRIES, longest=400)


class Brave(Engine):
    """One query to `GET {brave_url}/res/v1/web/search`, `/news/search` or `/images/search`."""

    name = "brave"
    index = "brave"
    features: ClassVar = {"web": _FEATURES, "news": _FEATURES, "images": _OF_IMAGES}

    @classmethod
    def resolve(cls, settings: SearchSettings) -> type[Engine]:
        """See `Engine.resolve`."""
        if settings.brave_key is None:
            raise failures.no_way(
                cls.name, "STRAP_SEARCH__BRAVE_KEY to a key of brave.com/search/api"
            )
        return cls

    def __init__(self, engines: EngineContext) -> None:
        super().__init__(engines)
        self._api = Api(self.name, engines, key="STRAP_SEARCH__BRAVE_KEY")

    async def search(self, query: Query, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        settings = self.engines.settings
        number = int(after.following["page"]) if after and after.following else 1
        key = settings.brave_key.get_secret_value() if settings.brave_key else ""
        reply = await self._api.ask(
            "GET",
            f"{settings.brave_url.rstrip('/')}/res/v1/{query.kind}/search",
            params=_params(query, number - 1),
            headers={"X-Subscription-Token": key, "Cache-Control": "no-cache"},
        )
        if reply.status != 200:
            raise self._failure(reply)
        path = "web.results" if query.kind == "web" else "results"
        fields: dict[str, Any] = {"url": "url", "snippet": "description", "date": _date}
        if query.kind == "images":  # which come all at once
            return Page(hits=hits(self._api, reply, path, **fields, picture=_picture))
        results = hits(self._api, reply, path, **fields)
        page = numbered(results, number, full=PER_PAGE)
        last = number == LAST_PAGE or _told_last(reply.json)
        return Page(hits=results) if last else page

    def _failure(self, reply: Reply) -> ActionError:
        """Tell the codes apart that Brave gives with the statuses 403, 422 and 429."""
        error = reply.json.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        if code == "SUBSCRIPTION_TOKEN_INVALID":
            return failures.bad_key(self.name, reply.status, self._api.key)
        if code in ("QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"):
            return failures.used_up(self.name, reply.status, self._api.key)
        return self._api.failure(reply)


def _params(query: Query, offset: int) -> dict[str, str | int]:
    params: dict[str, str | int] = {"q": query.text, "count": PER_PAGE, "offset": offset}
    if query.kind == "images":
        params = {"q": query.text, "count": MAX_RESULTS}
    params["country"] = (query.country or "all").upper()
    if query.region and query.language:
        language = _LANGUAGES.get(query.language, query.language)
        params["search_lang"] = _LANGUAGES.get(query.region, language)
    if query.safe:
        params["safesearch"] = query.safe
    if query.time_range:
        params["freshness"] = f"p{query.time_range[0]}"
    if query.kind == "web":
        params |= {"text_decorations": "false", "result_filter": "web"}
    return params


def _picture(item: dict[str, Any]) -> Picture:
    properties = item["properties"]
    return picture_at(properties.get("url"), properties.get("width"), properties.get("height"))


def _date(item: dict[str, Any]) -> str:
    return str(item.get("page_age") or item.get("age") or "")


def _told_last(data: dict[str, Any]) -> bool:
    """Whether Brave says that there are no more; of news it says nothing."""
    about = data.get("query")
    return isinstance(about, dict) and about.get("more_results_available") is False
