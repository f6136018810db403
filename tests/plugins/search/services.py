"""The APIs of search engines as sites: what each answers, written from its documentation."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.plugins.search.pages import link
from tests.site.server import Reply, Request, Site

KEY = "secret-key-of-the-operator"
DATE = "2026-11-20T14:03:00Z"


def as_json(data: object, status: int = 200) -> Reply:
    return Reply(status=status, headers={"Content-Type": "application/json"}, body=json.dumps(data))


def numbers(total: int, start: int, count: int) -> range:
    """The results from `start`, counted from 0, that there are."""
    return range(start + 1, min(total, start + count) + 1)


def item(number: int, **fields: str) -> dict[str, Any]:
    """Result `number`, its values under the names that the API uses."""
    values = {"url": link(number), "snippet": f"Snippet {number}", "date": DATE}
    return {"title": f"Title {number}"} | {name: values[what] for what, name in fields.items()}


def shown_in(number: int, **fields: str) -> dict[str, Any]:
    """Picture `number` of one page, its values under the names that the API uses."""
    values = {"image": f"https://img.example/{number}.jpg", "width": 640, "height": 480}
    return {name: values[what] for what, name in fields.items()}


def serper(total: int) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        asked = json.loads(request.body)
        shown = numbers(total, 10 * (asked["page"] - 1), 10)
        if request.path == "/images":
            named = {"image": "imageUrl", "width": "imageWidth", "height": "imageHeight"}
            pictures = [item(n, url="link") | shown_in(n, **named) for n in shown]
            return as_json({"images": pictures})
        name = "news" if request.path == "/news" else "organic"
        results = [item(n, url="link", snippet="snippet", date="date") for n in shown]
        return as_json({"searchParameters": asked, name: results})

    return answer


def programmable(total: int) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        start, count = int(request.query["start"][0]), int(request.query["num"][0])
        shown = numbers(total, start - 1, count)
        items: list[dict[str, Any]] = [item(n, url="link", snippet="snippet") for n in shown]
        if request.query.get("searchType") == ["image"]:
            sizes = {"width": "width", "height": "height"}
            for n, one in zip(shown, items, strict=True):
                one["image"] = {"contextLink": one["link"], **shown_in(n, **sizes)}
                one.update(shown_in(n, image="link"))
        for one in items:
            one["pagemap"] = {"metatags": [{"article:published_time": DATE}]}
        data: dict[str, Any] = {"kind": "customsearch#search", "queries": {"request": [{}]}}
        if items:
            data["items"] = items
        if start + count <= total:
            data["queries"]["nextPage"] = [{"startIndex": start + count}]
        return as_json(data)

    return answer


def brave(total: int) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        if request.path.endswith("/images/search"):
            named = {"image": "url", "width": "width", "height": "height"}
            shown = numbers(total, 0, int(request.query["count"][0]))
            pictures = [item(n, url="url") | {"properties": shown_in(n, **named)} for n in shown]
            return as_json({"type": "images", "results": pictures})
        offset, count = int(request.query["offset"][0]), int(request.query["count"][0])
        shown = numbers(total, offset * count, count)
        results = [item(n, url="url", snippet="description", date="page_age") for n in shown]
        if request.path.endswith("/news/search"):
            return as_json({"type": "news", "results": results})
        more = {"more_results_available": (offset + 1) * count < total}
        return as_json({"type": "search", "query": more, "web": {"results": results}})

    return answer


def tavily(total: int) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        asked = json.loads(request.body)
        shown = numbers(total, 0, asked["max_results"])
        results = [item(n, url="url", snippet="content", date="published_date") for n in shown]
        return as_json({"query": asked["query"], "results": results, "response_time": 0.1})

    return answer


def searxng(total: int) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        shown = numbers(total, 10 * (int(request.query["pageno"][0]) - 1), 10)
        results = [item(n, url="url", snippet="content", date="publishedDate") for n in shown]
        if request.query["categories"] == ["images"]:
            for n, one in zip(shown, results, strict=True):
                one.update(shown_in(n, image="img_src"), resolution="640 x 480")
        return as_json({"results": results, "unresponsive_engines": []})

    return answer


@dataclass(frozen=True, kw_only=True)
class Service:
    """One engine: its name in a call, how it is set up, how it answers."""

    engine: str
    name: str
    url: str
    paths: tuple[str, ...]
    answer: Callable[[int], Callable[[Request], Reply]]
    setup: dict[str, str] = field(default_factory=dict)
    key: str = ""

    def settings(self, site: Site | str, **more: object) -> dict[str, object]:
        return {**self.setup, self.url: str(site), **more}

    def routes(self, answer: object) -> dict[str, Any]:
        """`answer` at every path of the API."""
        return dict.fromkeys(self.paths, answer)


SERVICES = (
    Service(
        engine="google",
        name="serper",
        url="serper_url",
        paths=("/search", "/news", "/images"),
        answer=serper,
        setup={"serper_key": KEY},
        key="STRAP_SEARCH__SERPER_KEY",
    ),
    Service(
        engine="google",
        name="programmable search",
        url="google_url",
        paths=("/customsearch/v1",),
        answer=programmable,
        setup={"google_key": KEY, "google_cx": "engine-1"},
        key="STRAP_SEARCH__GOOGLE_KEY",
    ),
    Service(
        engine="brave",
        name="brave",
        url="brave_url",
        paths=("/res/v1/web/search", "/res/v1/news/search", "/res/v1/images/search"),
        answer=brave,
        setup={"brave_key": KEY},
        key="STRAP_SEARCH__BRAVE_KEY",
    ),
    Service(
        engine="tavily",
        name="tavily",
        url="tavily_url",
        paths=("/search",),
        answer=tavily,
        setup={"tavily_key": KEY},
        key="STRAP_SEARCH__TAVILY_KEY",
    ),
    Service(
        engine="searxng",
        name="searxng",
        url="searxng_url",
        paths=("/search",),
        answer=searxng,
    ),
)
BY_NAME = {service.name: service for service in SERVICES}
