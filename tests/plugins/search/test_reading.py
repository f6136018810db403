"""`read`: passages of the pages that were found, through the real `http.fetch`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from strap import count_tokens, testing
from tests.plugins.search import pages
from tests.plugins.search.conftest import Play, through
from tests.plugins.search.services import as_json
from tests.site.server import Reply, Site, serve
from tests.site.tlsproxy import SiteReply

pytestmark = pytest.mark.anyio
OPEN = {"resource": "search", "action": "query", "engine": "searxng"}
HAY = "".join(
    f"<p>In the year {n} the weather on the river was as in all years." for n in range(99)
)
MILL = f"<title>Mill</title><main>{HAY}<p>The mill grinds rye on Monday.{HAY}</main>"
FORD = f"<title>Ford</title><main>{HAY}<p>At the ford nobody grinds: 1. Title 9{HAY}</main>"
ROUTES = {
    "/mill": MILL,
    "/ford": FORD,
    "/gone": Reply(status=404, body="<p>grinds rye"),
    "/hay": f"<main>{HAY}</main>",
}


@pytest.fixture
def opened(tmp_path: Path):
    """A router, and an engine on this machine that finds the pages of the site at these paths."""

    @asynccontextmanager
    async def open_(site: Site, *paths: str, **config: object) -> AsyncIterator[testing.Web]:
        results = [
            {"title": f"Title {number}", "url": f"{site}{path}", "content": f"Snippet {number}"}
            for number, path in enumerate(paths, 1)
        ]
        with serve({"/search": as_json({"results": results})}) as engine:
            plugins = {"search": {"searxng_url": str(engine)}}
            async with testing.router(home=tmp_path, plugins=plugins, **config) as web:
                yield web

    return open_


async def test_the_first_results_come_with_their_passages(opened) -> None:
    with serve(ROUTES) as site:
        async with opened(site, "/mill", "/ford", "/hay") as web:
            result = await web(**OPEN, query="grinds rye", read=2)
            passage = result.data["results"][0]["passages"][0]
            onward = {"url": f"{site}/mill", "start": passage["start"]}
            further = await web(resource="http", action="fetch", **onward)
        assert sorted(request.path for request in site.requests) == ["/ford", "/mill"]
    first, second, third = result.text.split("\n1. ")[1].replace("\n3. ", "\n2. ").split("\n2. ")
    assert f"   [start={passage['start']}] The mill grinds rye on Monday." in first
    assert "   [start=" in second
    assert "At the ford nobody grinds" in second
    assert "[start=" not in third
    assert "passages" not in result.data["results"][2]
    assert further.text.split("\n\n")[1].startswith("The mill grinds rye")


async def test_operators_of_engines_are_no_words_of_pages(opened) -> None:
    with serve(ROUTES) as site:
        async with opened(site, "/mill") as web:
            query = 'site:127.0.0.1 ("grinds rye" OR) -oats'
            result = await web(**OPEN, query=query, read=1)
    assert "The mill grinds rye" in result.text


async def test_what_cannot_be_read_says_why_and_harms_no_other(opened) -> None:
    with serve(ROUTES) as site:
        async with opened(site, "/gone", "/mill", "/hay") as web:
            result = await web(**OPEN, query="grinds rye", read=10)
    notes = [one["note"] for one in result.data["results"]]
    assert notes[0] == "not read: HTTP status 404"
    assert notes[1] == ""
    assert notes[2].endswith("characters have none of the words")
    assert f"({notes[2]})" in result.text


async def test_an_engine_of_the_internet_does_not_have_this_machine_asked(
    play: Play, tmp_path: Path
) -> None:
    with serve(ROUTES) as site:
        listed = pages.ddg_page([pages.result(1, f"{site}/mill")])
        plugins = {"search": through(play(pages.always(SiteReply(body=listed))))}
        async with testing.router(home=tmp_path, plugins=plugins) as web:
            asked = {"resource": "search", "action": "query", "query": "grinds rye"}
            result = await web(**asked, read=1)
            fetched = await web(resource="http", action="fetch", url=f"{site}/mill")
        assert len(site.requests) == 1
    assert "more private network" in result.data["results"][0]["note"]
    assert "The mill grinds rye" in fetched.text


async def test_the_policy_decides_whether_pages_are_read(opened) -> None:
    with serve(ROUTES) as site:
        async with opened(site, "/mill", deny=["http.fetch"]) as web:
            result = await web(**OPEN, query="grinds rye", read=1)
        assert site.requests == []
    assert "not read: " in result.text
    assert result.data["results"][0]["url"] == f"{site}/mill"


@pytest.mark.parametrize("max_tokens", [400, 1_000])
async def test_an_answer_with_passages_keeps_to_its_budget(opened, max_tokens: int) -> None:
    text = "".join(f"<p>Entry {n} grinds rye {'and wheat ' * 40}" for n in range(40))
    with serve({"/a": text, "/b": text}) as site:
        async with opened(site, "/a", "/b") as web:
            result = await web(**OPEN, query="grinds rye", read=2, max_tokens=max_tokens)
    assert result.text.count("Entry") >= 2
    assert count_tokens(result.text) <= max_tokens * 1.2
