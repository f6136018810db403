"""`http.map`: which pages a site has, by what it says of itself."""

import gzip
import json

import pytest

from strap import ActionError, PolicyDenied, UsageError, count_tokens
from strap_http.sites import sitemaps
from tests.heartbeat import beating
from tests.site.server import Reply, drip, serve

pytestmark = pytest.mark.anyio

XML = {"Content-Type": "application/xml"}
TEXT = {"Content-Type": "text/plain"}


@pytest.fixture
async def web(named_web):
    """A router that asks sites without pauses."""
    return await named_web("a", "b", crawl_interval=0)


async def mapped(web, site, path="/", **fields):
    return await web(resource="http", action="map", url=f"{site}{path}", **fields)


def urlset(*urls):
    listed = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-01</lastmod></url>" for url in urls)
    return f'<?xml version="1.0"?><urlset xmlns="https://s.example">{listed}</urlset>'


def index(*urls):
    listed = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{listed}</sitemapindex>"


def xml(text):
    return Reply(headers=XML, body=text)


def local(request):
    """The base URL that a request was sent to."""
    return f"http://{request.headers['host']}"


ROUTES = {
    "/robots.txt": lambda r: Reply(headers=TEXT, body=f"Sitemap: {local(r)}/maps/index.xml"),
    "/maps/index.xml": lambda r: xml(index(f"{local(r)}/maps/1.xml.gz", f"{local(r)}/maps/2.txt")),
    "/maps/1.xml.gz": lambda r: Reply(
        headers={"Content-Type": "application/gzip"},
        body=gzip.compress(urlset(f"{local(r)}/a?x=1&amp;y=2", f"{local(r)}/b").encode()),
    ),
    "/maps/2.txt": lambda r: Reply(headers=TEXT, body=f"{local(r)}/c\n{local(r)}/b\n"),
    "/": '<link rel="alternate" type="application/atom+xml" href="/feed"><a href="/d#x">D</a>'
    '<a href="/b?utm_source=x">B</a><a href="https://other.example/">O</a><a href="/p.png">P</a>',
    "/feed": lambda r: xml(
        '<feed><link rel="self" href="/feed"/><entry><link href="/e"/></entry></feed>'
    ),
    "/llms.txt": Reply(headers=TEXT, body="# Site\n- [F](/f.md): about f\n"),
}


async def test_all_sources_are_read_and_named(web):
    with serve(ROUTES) as site:
        result = await mapped(web, site)
    paths = ["/a?x=1&y=2", "/b", "/c", "/", "/d", "/e", "/f.md"]
    head, elsewhere, *urls = result.text.splitlines()
    assert urls == [f"{site}{path}" for path in paths]
    assert head == (f"7 addresses of {site}/ (sitemaps 3, links 2, feeds 1, llms.txt 1)")
    assert elsewhere == "[1 of other sites left out]"
    assert result.data["urls"][2] == {"url": f"{site}/c", "source": "sitemaps"}


async def test_a_site_of_one_page(web):
    with serve({"/": "<p>All there is"}) as site:
        result = await mapped(web, site)
    assert result.text.splitlines()[0] == f"1 address of {site}/ (links 1)"


async def test_sitemaps_may_be_feeds_and_what_they_name_relative_or_broken(web):
    feed = f"<rss><channel><link>/</link><item>{'<link>/f</link>'}</item></channel></rss>"
    robots = "Sitemap: /feed.xml\nSitemap: http://[bad\nSitemap: index.xml"
    routes = {
        "/robots.txt": Reply(headers=TEXT, body=robots),
        "/feed.xml": xml(feed),
        "/index.xml": xml(index("http://[bad", "pages.xml")),
        "/pages.xml": xml(urlset("http://[bad", "/relative")),
        "/": '<link rel=alternate type="application/rss+xml" href=/news>',
        "/news": xml(
            "<rss><item><link>http://[bad</link></item><item><link>/n</link></item></rss>"
        ),
    }
    with serve(routes) as site:
        result = await mapped(web, site)
        paths = [one["url"].removeprefix(site) for one in result.data["urls"]]
        pages = (await web(resource="http", action="crawl", url=f"{site}/")).data["pages"]
    assert paths == ["/", "/f", "/relative", "/n"]
    assert pages[0]["url"] == f"{site}/"


async def test_a_feed_as_sitemap_names_its_entries_from_where_it_is(web):
    feed = "".join(f"<entry><link href='{at}'/></entry>" for at in ("1", "./2", "/maps/3", "?n=4"))
    routes = {
        "/robots.txt": Reply(headers=TEXT, body="Sitemap: /feed"),
        "/feed": Reply(status=302, headers={"Location": "/maps/feed.xml"}),
        "/maps/feed.xml": xml(f"<feed>{feed}</feed>"),
        "/": "hi",
    }
    with serve(routes) as site:
        result = await mapped(web, site, text="maps")
    paths = [one["url"].removeprefix(site) for one in result.data["urls"]]
    assert paths == ["/maps/1", "/maps/2", "/maps/3", "/maps/feed.xml?n=4"]


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ("<!-- see <rss>, <sitemapindex> -->", ""),
        ("<?about <feed> ?>", ""),
        ("", "<title><![CDATA[What a <feed> or an <rss> is]]></title>"),
        ("<!-- not <urlset> but <feed> --><!-- <rss> -->\n", ""),
    ],
)
async def test_what_a_sitemap_is_says_its_first_element(web, above, title):
    def listed(request):
        return xml(f"{above}<urlset><url>{title}<loc>{local(request)}/a</loc></url></urlset>")

    with serve({"/": "hi", "/sitemap.xml": listed}) as site:
        result = await mapped(web, site)
    assert [one["url"] for one in result.data["urls"]] == [f"{site}/a", f"{site}/"]


async def test_long_sitemaps_are_read_as_short_ones_are(web):
    def long(request):
        names = (f"/p/{number}?x=1&amp;y=ä" for number in range(4_000))
        return xml(urlset(f"{local(request)}/first", *names))

    with serve({"/": "hi", "/sitemap.xml": long}) as site:
        result = await mapped(web, site)
    assert result.text.startswith(f"4,002 addresses of {site}/ (sitemaps 4,001, links 1)")
    assert result.data["urls"][1]["url"].startswith(f"{site}/p/0?x=1&y=ä")


async def test_further_calls_filter_and_page_without_asking_again(web):
    pages = [f"/{word}/{n}" for word in ("docs", "blog") for n in range(300)]
    routes = {"/sitemap.xml": lambda r: xml(urlset(*(f"{local(r)}{p}" for p in pages))), "/": "hi"}
    with serve(routes) as site:
        first = await mapped(web, site, max_tokens=500)
        assert count_tokens(first.text) <= 500
        shown = len(first.data["urls"])
        assert first.text.endswith(f"[{601 - shown} more. Next: the same call with start={shown}]")
        second = await mapped(web, site, start=first.data["next_start"], max_tokens=500)
        assert second.data["urls"][0]["url"] == f"{site}{pages[shown]}"
        blog = await mapped(web, site, text="BLOG/29", limit=5)
        assert blog.text.startswith("11 with 'BLOG/29' of 601 addresses of ")
        assert [one["url"] for one in blog.data["urls"]] == [
            f"{site}/blog/{n}" for n in (29, *range(290, 294))
        ]
        assert blog.data["next_start"] == 5
        with pytest.raises(UsageError, match="start=900 is past the end"):
            await mapped(web, site, start=900)
        asked = [request.path for request in site.requests]
    assert asked == ["/robots.txt", "/", "/sitemap.xml", "/llms.txt"]


async def test_an_index_without_end_is_left_at_a_bound(web):
    def deeper(request):
        here = int(request.query.get("n", ["0"])[0])
        return xml(
            index(*(f"{local(request)}/sitemap.xml?n={here * 20 + n + 1}" for n in range(20)))
        )

    with serve({"/": "<a href=/x>X</a>", "/sitemap.xml": deeper}) as site:
        result = await mapped(web, site)
    assert "further sitemaps after 50.]" in result.text
    assert f"{site}/x" in result.text
    assert len(site.requests) < 60


@pytest.mark.parametrize(
    "body",
    [
        b"\x1f\x8b\x08 no gzip",
        b"<urlset><url><loc>not a url</loc></url><loc>https://[/</loc>",
        b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><loc>&b;</loc></urlset>',
        gzip.compress(b"\0" * 30_000_000),
        b"\xff\xfe\x00",
    ],
    ids=["broken", "no urls", "entities", "bomb", "noise"],
)
async def test_a_hostile_sitemap_does_no_harm(web, body):
    with serve({"/": "<a href=/x>X</a>", "/sitemap.xml": Reply(headers=XML, body=body)}) as site:
        result = await mapped(web, site)
    assert [one["url"] for one in result.data["urls"]] == [f"{site}/", f"{site}/x"]


FEEDS = {
    "the same": ("application/rss+xml", "<rss>" + "<link>http://a.example/</link>" * 330_000),
    "nothing": ("application/feed+json", '{"items": [' + "[]," * 3_300_000 + "[]]}"),
}


@pytest.mark.soak
@pytest.mark.parametrize("feed", FEEDS)
async def test_a_flood_of_entries_holds_nothing_up(web, feed):
    media_type, body = FEEDS[feed]
    home = f"<link rel=alternate type='{media_type}' href=/feed><a href=/x>X</a>"
    flood = Reply(headers={"Content-Type": media_type}, body=body)
    with serve({"/": home, "/feed": flood}) as site:
        async with beating():
            result = await mapped(web, site)
    assert f"{site}/x" in result.text


MAPS = {
    "feed in JSON": b'{"a":"<rss ","items":[' + b"[]," * 16_000_000 + b"[]]}",
    "blanks": b"<urlset><loc>" + b" " * 200_000 + b"<",
    "few blanks": b"<urlset><loc>" + b" " * 90_000 + b"<",
    "blanks in a feed": b"<rss><link>" + b" " * 90_000 + b"<",
}


@pytest.mark.parametrize("flood", MAPS)
async def test_a_sitemap_made_to_take_long_holds_nothing_up(web, flood):
    body = gzip.compress(MAPS[flood], 1)
    with serve({"/": "<a href=/x>X</a>", "/sitemap.xml": Reply(headers=XML, body=body)}) as site:
        async with beating():
            result = await mapped(web, site)
    assert [one["url"] for one in result.data["urls"]] == [f"{site}/", f"{site}/x"]


async def test_a_sitemap_that_takes_too_long_is_told(web, monkeypatch):
    monkeypatch.setattr(sitemaps, "SECONDS", 0.05)
    body = b"<urlset>" + b"<" * 20_000_000
    with serve({"/": "hi", "/sitemap.xml": Reply(headers=XML, body=gzip.compress(body))}) as site:
        result = await mapped(web, site)
    assert f"[Not read: '{site}/sitemap.xml' takes too much time or memory to read.]" in result.text


async def test_a_sitemap_that_is_named_and_is_none_is_told(web):
    """A page in its place, nothing in it, or nothing there; where nobody named it, it is none."""
    page = "<!doctype html><title>Not found</title><p>We have no such page."
    named = "".join(f"Sitemap: /{name}\n" for name in ("page", "index", "made.xml"))
    routes = {
        "/robots.txt": Reply(headers=TEXT, body=named),
        "/": "<a href=/a>A</a>",
        "/page": page,
        "/index": lambda r: xml(index(*(f"{local(r)}/{name}" for name in ("empty", "gone")))),
        "/empty": xml(urlset()),
        "/made.xml": lambda r: urlset(f"{local(r)}/b"),  # as a page, but a sitemap
    }
    with serve(routes) as site:
        result = await mapped(web, site)
    found = sorted(one["url"] for one in result.data["urls"])
    assert found == [f"{site}{path}" for path in ("/", "/a", "/b")]
    said = ("page' is a page, no sitemap.", "empty' lists nothing.", "gone' answers with HTTP 404.")
    assert "[Not read: " in result.text
    assert all(f"'{site}/{each}" in result.text for each in said)
    with serve({"/": "<a href=/a>A</a>", "/sitemap.xml": page}) as site:
        assert "Not read" not in (await mapped(web, site)).text


async def test_the_entries_of_a_long_feed(web):
    text = "x" * 200_000

    def feed(request):
        items = [{"url": f"{local(request)}/a", "content_text": text}, {"url": "/b"}]
        kind = {"Content-Type": "application/feed+json"}
        return Reply(headers=kind, body=json.dumps({"items": items}))

    home = "<link rel=alternate type='application/feed+json' href=/feed>"
    with serve({"/": home, "/feed": feed}) as site:
        result = await mapped(web, site)
    assert [one["url"] for one in result.data["urls"]] == [
        f"{site}{path}" for path in ("/", "/a", "/b")
    ]


async def test_what_robots_forbids_is_not_asked_for(web):
    rules = Reply(headers=TEXT, body="User-agent: *\nDisallow: /")
    with serve({"/robots.txt": rules, "/": "hi"}) as site:
        error = await web.fails(resource="http", action="map", url=f"{site}/")
        assert isinstance(error, PolicyDenied)
        assert error.code == "robots"
        assert [request.path for request in site.requests] == ["/robots.txt"]


async def test_a_page_that_is_not_there_is_told_where_sitemaps_name_others(web):
    routes = {"/sitemap.xml": lambda r: xml(urlset(f"{local(r)}/a"))}
    with serve(routes) as site:
        result = await mapped(web, site, "/gone")
        assert f"[Not read: '{site}/gone' answers with HTTP 404.]" in result.text
    with serve({}) as site:
        error = await web.fails(resource="http", action="map", url=f"{site}/")
        assert isinstance(error, ActionError)


async def test_a_page_that_does_not_come_in_time_is_an_error(web):
    slow = Reply(headers=TEXT, body=drip(b"x", every=0.1))
    with serve({"/": slow, "/robots.txt": Reply(status=404)}) as site:
        error = await web.fails(resource="http", action="map", url=f"{site}/", timeout=1)
    assert (error.code, error.message) == ("timeout", f"'{site}/' took longer than this call has.")
