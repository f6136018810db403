"""Google's results through the API of serper.dev, with a key."""

from typing import Any, ClassVar

from strap import ActionError
from strap_search import failures
from strap_search.apis import Api, Reply
from strap_search.engine import Engine, EngineContext, Features, Page, Picture, Query, numbered
from strap_search.listing import hits, picture_at
from strap_search.terms import TIME_RANGES, Kind

PER_PAGE = 10
_LISTS: dict[Kind, tuple[str, str]] = {
    "web": ("search", "organic"),
    "news": ("news", "news"),
    "images": ("images", "images"),
}
"""Path and list of results, by the kind of search."""


class Serper(Engine):
    """One query to `POST {serper_url}/search`, `/news` or `/images`."""

    name = "serper"
    index = "google"
    features: ClassVar = dict.fromkeys(_LISTS, Features(time_ranges=TIME_RANGES, regions=None))

    def __init__(self, engines: EngineContext) -> None:
        super().__init__(engines)
        self._api = Api(self.name, engines, key="STRAP_SEARCH__SERPER_KEY")

    async def search(self, query: Query, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        settings = self.engines.settings
        number = int(after.following["page"]) if after and after.following else 1
        path, name = _LISTS[query.kind]
        key = settings.serper_key.get_secret_value() if settings.serper_key else ""
        reply = await self._api.ask(
            "POST",
            f"{settings.serper_url.rstrip('/')}/{path}",
            headers={"X-API-KEY": key},
            json=_payload(query, number),
        )
        if reply.status != 200:
            raise self._failure(reply)
        picture = _picture if query.kind == "images" else None
        fields: dict[str, Any] = {"url": "link", "snippet": "snippet", "date": "date"}
        results = hits(self._api, reply, name, **fields, picture=picture)
        return numbered(results, number, full=PER_PAGE)

    def _failure(self, reply: Reply) -> ActionError:
        if reply.status in (400, 403) and "credits" in str(reply.json.get("message")):
            return failures.used_up(self.name, reply.status, self._api.key)
        return self._api.failure(reply)


def _picture(item: dict[str, Any]) -> Picture:
    return picture_at(item.get("imageUrl"), item.get("imageWidth"), item.get("imageHeight"))


def _payload(query: Query, number: int) -> dict[str, Any]:
    payload: dict[str, Any] = {"q": query.text, "page": number}
    if query.region:
        payload |= {"gl": query.country, "hl": query.language}
    if query.time_range:
        payload["tbs"] = f"qdr:{query.time_range[0]}"
    return payload
