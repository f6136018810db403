"""A crawl that another process goes on with: what it knows of the site's traps."""

import asyncio
import json
import math

import pytest

from strap import testing
from strap_http.document.document_cache import Document
from strap_http.sites.addresses import Scope
from strap_http.sites.frontier import Crawl
from strap_http.sites.text_fingerprint import fingerprint
from strap_http.sites.visits import Page
from tests.plugins.http.test_crawl import AnyAddress, crawled, page
from tests.site.server import Reply, serve
from tests.support.small_disk import fill, make_room, small_disk_in

pytestmark = pytest.mark.anyio
QUICK = {"crawl_interval": 0}


def seen(url, text):
    """A page that a crawl has read."""
    told = {"head": "", "status": 200, "media_type": "", "size": 1, "partial": False}
    document = Document(text=text, url=url, **told)
    return Page(url=url, document=document, fingerprint=fingerprint(url, text))


async def test_another_process_knows_what_is_made_up(named_web):
    dead = "".join(f"<a href=/docs/lost-{n}>on</a>" for n in range(6))
    pages = {f"/docs/{n}": page(n, f"/docs/{n + 1}") for n in range(1, 9)}
    routes = {"/robots.txt": Reply(status=404), "/docs/": f"{dead}<a href=1>on</a>", **pages}
    routes |= {"/docs/8": page(8, "/docs/lost-7"), "/docs/9": page(9)}
    with serve(AnyAddress(routes)) as site:
        first = await named_web("a", crawl_interval=0)
        await crawled(first, site, "/docs/", limit=6, output="book")
        before = len(site.requests)
        later = await named_web("a", crawl_interval=0)
        rest = await crawled(later, site, "/docs/", start=6, output="book")
        asked = [request.path for request in site.requests[before:]]
    assert [one["url"].removeprefix(site) for one in rest.data["pages"]] == [*pages][5:]
    assert "/docs/lost-7" in asked
    assert len([path for path in asked if path not in routes]) == 1  # it is not proved again


async def test_a_folder_has_one_crawl_whatever_address_a_call_begins_with(named_web, tmp_path):
    web = await named_web("a", crawl_interval=0)
    pages = {f"/docs/{n}": page(n, f"/docs/{n + 1}") for n in range(1, 8)}
    with serve({**pages, "/docs/8": page(8), "/other/": page(9)}) as site:
        await crawled(web, site, "/docs/1", limit=2, output="book")
        more = await crawled(web, site, "/docs/2", limit=3, output="book", start=2)
        assert len(more.data["pages"]) == 3
        before = len(site.requests)
        rest = await crawled(web, site, "/docs/1", limit=2, output="book", start=5)
        assert [request.path for request in site.requests[before:]] == ["/docs/6", "/docs/7"]
        assert rest.text.startswith(f"7 pages of {site}/docs/, 2 of them new, in")
        assert "; 1 more address is known." in rest.text
        ask = {"resource": "http", "action": "crawl", "output": "book", "start": 7}
        assert (await web.fails(**ask, url=f"{site}/other/")).code == "gone"
        (next(tmp_path.rglob("book")).parent / "file").write_text("x")
        taken = await web.fails(**{**ask, "output": "file", "start": 0}, url=f"{site}/docs/1")
    assert str(taken).endswith("exists already. Name another folder.")


async def test_a_folder_has_one_crawl_at_a_time(web, tmp_path):
    """Two that began at the same moment wrote their pages over each other's."""
    ask = {"resource": "http", "action": "crawl", "output": "book"}
    with serve({f"/{one}/": page(one, f"/{one}/on") for one in "ab"}) as site:
        told = await asyncio.gather(
            *(web(**ask, url=f"{site}/{one}/", limit=1) for one in "ab"), return_exceptions=True
        )
        (error,) = (one for one in told if isinstance(one, Exception))
        assert str(error).endswith("book' now. Name another folder.")
        assert error.code == "output"
        (done,) = (one for one in told if one is not error)
        assert (tmp_path / "outputs" / "book" / "index.md").read_text().count("- [") == 1
        url = done.data["pages"][0]["url"]
        more = await web(**ask, url=url, start=1)
    assert "2 pages of" in more.text or "no more are known" in more.text


@pytest.mark.parametrize("output", ["book", "deep/in/book"])
async def test_a_crawl_that_comes_to_nothing_leaves_no_folder(web, tmp_path, output):
    ask = {"resource": "http", "action": "crawl", "output": output}
    with serve({"/": Reply(status=500)}) as site:
        assert (await web.fails(**ask, url=f"{site}/")).code == "no_pages"
        assert (await web.fails(**ask, url=f"{site}/", start=2)).code == "gone"
    assert [*(tmp_path / "outputs").glob("*")] == []


async def test_what_did_not_fit_on_the_disk_is_read_when_there_is_room(tmp_path):
    """The pages that could not be written were lost to the crawl that went on."""
    routes = {f"/docs/{n}": page(n, f"/docs/{n + 1}") for n in range(1, 8)}
    with small_disk_in(tmp_path) as disk, serve(routes) as site:
        async with testing.router(
            home=tmp_path, network="local", outputs=disk / "out", plugins={"http": QUICK}
        ) as web:
            ask = {"resource": "http", "action": "crawl", "output": "book", "url": f"{site}/docs/1"}
            fill(disk)
            assert "Cannot write" in str(await web.fails(**ask))
            assert not (disk / "out").exists()
            make_room(disk)
            fourth, routes["/docs/4"] = routes["/docs/4"], lambda _: fill(disk) or fourth
            error = await web.fails(**ask)
            assert str(error).endswith("the same call with start=3 goes on.")
            make_room(disk)
            routes["/docs/4"] = fourth
            await web(**ask, start=3)
        named = (disk / "out" / "book" / "index.md").read_text()
        assert [f"/docs/{n}>" in named for n in range(1, 8)] == [True] * 7


def test_another_process_knows_what_has_no_end():
    crawl = Crawl(scope=Scope.below("http://a/"))
    crawl.offer(f"http://a/list?sort={n}" for n in range(9))
    crawl.begin_with("http://a/", seen("http://a/", "The list."))
    for url in [crawl.next() for _ in range(4)]:
        crawl.add(url, seen(url, "The list."))
    again = Crawl.from_json(crawl.to_json())
    assert again.known == 5
    assert again.next() is None
    without = json.loads(crawl.to_json())
    del without["traps"], without["said_anywhere"]
    assert Crawl.from_json(json.dumps(without)).next() == "http://a/list?sort=4"
    for number in ("many", math.inf):
        damaged = json.dumps({**without, "traps": {"copies": {"x": number}}})
        with pytest.raises(ValueError, match=r"invalid literal|infinity"):
            Crawl.from_json(damaged)
