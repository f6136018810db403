"""Images: where they are, how large, and on which pages; through APIs and the real ddgs."""

import pytest

from strap_search.engine import Hit, Picture, Query
from strap_search.paging import cleaned
from tests.plugins.search import pages
from tests.plugins.search.conftest import OpenWeb, Play, engines, found, through
from tests.plugins.search.services import BY_NAME, Service
from tests.plugins.search.test_apis import ask
from tests.site.server import serve

pytestmark = pytest.mark.anyio
IMAGES = Query(words="any", kind="images", region="us-en", safe="moderate")
SERVICES = [service for name, service in BY_NAME.items() if name != "tavily"]


def picture(number: int) -> Picture:
    return Picture(url=f"https://img.example/{number}.jpg", width=640, height=480)


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
async def test_apis_tell_pictures_and_pages(service: Service) -> None:
    with serve(service.routes(service.answer(3))) as site:
        hits = (await ask(service, site, kind="images")).hits
    assert [hit.url for hit in hits] == [pages.link(n) for n in (1, 2, 3)]
    assert [hit.picture for hit in hits] == [picture(n) for n in (1, 2, 3)]


async def test_duckduckgo_tells_pictures_of_the_same_page_each(play: Play) -> None:
    proxy = play(pages.duckduckgo_images(70))
    hits = (await found(engines(proxy), "duckduckgo", IMAGES, limit=65)).hits
    assert [hit.picture for hit in hits] == [picture(n) for n in range(1, 66)]
    assert hits[2].url == hits[1].url == pages.link(2)
    sent = [(request.route, request.query.get("s")) for request in proxy.requests]
    assert sent == [("/", None), ("/i.js", None), ("/i.js", "30"), ("/i.js", "60")]


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        (IMAGES, {"q": "any", "o": "json", "l": "us-en", "p": "1"}),
        (Query(words="any", kind="images", time_range="year"), {"f": "time:Year,,,,,"}),
        (Query(words="any", kind="images", safe="off"), {"p": "-1"}),
    ],
)
async def test_options_arrive(play: Play, query: Query, fields: dict[str, str]) -> None:
    proxy = play(pages.duckduckgo_images(3))
    await found(engines(proxy), "duckduckgo", query)
    assert fields.items() <= proxy.requests[1].query.items()


async def test_an_answer_names_each_picture_below_its_page(play: Play, open_web: OpenWeb) -> None:
    async with open_web(**through(play(pages.duckduckgo_images(1)))) as web:
        result = await web(resource="search", action="query", query="any", kind="images")
    assert result.text == (
        "duckduckgo images (index: bing): 1 result for 'any'\n"
        f'1. Title "1"\n{pages.link(0)}\nimage: https://img.example/1.jpg (640 x 480)'
    )
    [told] = result.data["results"]
    assert told["url"] == pages.link(0)
    assert (told["image"], told["width"], told["height"]) == (picture(1).url, 640, 480)


@pytest.mark.parametrize("url", ["data:image/png;base64,AA", "javascript:1", "", "/local.png"])
def test_what_is_no_picture_of_the_web_is_none(url: str) -> None:
    hit = cleaned(Hit(title="A", url="https://a.example", picture=Picture(url=url)))
    assert hit is not None
    assert hit.picture is None


async def test_results_without_a_picture_are_left_out() -> None:
    service = BY_NAME["searxng"]
    answer = {
        "results": [
            {"title": "A", "url": "https://a.example/", "img_src": "data:image/png;base64,AA"},
            {"title": "B", "url": "https://b.example/a b", "img_src": "//i.example/b c.png"},
        ]
    }
    from tests.plugins.search.services import as_json

    with serve(service.routes(as_json(answer))) as site:
        hits = (await ask(service, site, kind="images")).hits
    assert [(hit.title, hit.url, hit.picture) for hit in hits] == [
        ("B", "https://b.example/a%20b", Picture(url="https://i.example/b%20c.png"))
    ]
