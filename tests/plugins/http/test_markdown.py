"""Markdown where a site has it: by negotiation, as an alternate; and always told."""

import pytest

from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

MARKDOWN = {"Content-Type": "text/markdown; charset=utf-8"}
PAGE = "<!doctype html><title>Bees</title>{}<h1>Bees</h1><p>From HTML."
LINK = '<link rel=alternate type="text/markdown" href="/bees.md">'


async def fetched(web, site, path="/", **fields):
    return (await web(resource="http", action="fetch", url=f"{site}{path}", **fields)).text


def negotiating(request):
    if request.headers["accept"].startswith("text/markdown,"):
        return Reply(headers={**MARKDOWN, "Vary": "Accept"}, body="# Bees\n\nFrom Markdown.")
    return PAGE.format("")


async def test_a_site_that_negotiates_gives_its_markdown(web):
    with serve({"/": negotiating}) as site:
        text = await fetched(web, site)
        page = await fetched(web, site, value="page")
        asked = await fetched(web, site, headers={"Accept": "text/html"})
    assert text.startswith(f"200 text/markdown {site}/ (")
    assert "The site's own Markdown; value=page asks for its HTML.\n\n# Bees\n\nFrom M" in text
    assert "From HTML." in page
    assert "From HTML." in asked


@pytest.mark.parametrize("view", ["page", "raw", "meta", "links"])
async def test_what_only_html_has_is_asked_of_html(web, view):
    with serve({"/": negotiating}) as site:
        await fetched(web, site, value=view)
    assert [request.headers["accept"][:9] for request in site.requests] == ["text/html"]


@pytest.mark.parametrize(
    ("headers", "head"),
    [
        ({}, LINK),
        ({}, "<style>" + "a{}" * 20_000 + "</style><LINK TYPE='text/markdown' HREF=bees.md"
             " REL='nofollow Alternate' />"),
        ({"Link": '</x>; rel=preload, </bees.md>; rel="alternate"; type="text/markdown"'}, ""),
    ],
    ids=["element", "late", "field"],
)  # fmt: skip
async def test_an_alternate_is_taken_and_told(web, headers, head):
    page = Reply(headers={"Content-Type": "text/html", **headers}, body=PAGE.format(head))
    alternate = Reply(headers=MARKDOWN, body="# Bees\n\nFrom Markdown.\n\n" + "More. " * 9_000)
    with serve({"/": page, "/bees.md": alternate}) as site:
        text = await fetched(web, site)
        assert text.startswith(f"200 text/markdown {site}/bees.md (54 KB)")
        assert f"The Markdown that {site}/ names; value=page shows that page." in text
        assert "From Markdown." in text
        await fetched(web, site, start=3_000)
        assert len(site.requests) == 2
        assert "From HTML." in await fetched(web, site, value="page")


@pytest.mark.parametrize(
    "alternate",
    [
        Reply(status=404, headers=MARKDOWN, body="# No"),
        Reply(body="<!doctype html><p>Log in"),
        Reply(headers=MARKDOWN, body="<!doctype html><p>Log in"),
        Reply(headers=MARKDOWN, body=" \n"),
        Reply(headers=MARKDOWN, body=b"%PDF-1.7"),
        Reply(status=302, headers={"Location": "ftp://a.example/"}),
    ],
    ids=["missing", "page", "page named so", "empty", "pdf", "elsewhere"],
)
async def test_an_alternate_that_is_none_leaves_the_page(web, alternate):
    with serve({"/": PAGE.format(LINK), "/bees.md": alternate}) as site:
        text = await fetched(web, site)
    assert text.startswith(f"200 text/html {site}/ (")
    assert "From HTML." in text


@pytest.mark.parametrize(
    "head",
    [
        '<link rel=alternate type="text/markdown" href="https://other.example/bees.md">',
        '<link rel=alternate type="text/markdown" hreflang=de href="/bees.md">',
        '<link rel=alternate type="application/rss+xml" href="/bees.md">',
        '<link rel=edit type="text/markdown" href="/bees.md">',
        '<link rel=alternate type="text/markdown" href="#here">',
        '<link rel=alternate type="text/markdown" href="http://[">',
        '<link rel=alternate type="text/markdown">',
        "<link " * 20_000,
    ],
)
async def test_what_is_no_alternate_of_this_page_is_not_asked_for(web, head):
    with serve({"/": PAGE.format(head)}) as site:
        await fetched(web, site)
    assert len(site.requests) == 1


async def test_what_is_not_read_is_not_looked_for(web):
    with serve({"/": PAGE.format(LINK)}) as site:
        await fetched(web, site, method="POST")
        await fetched(web, site, output="page.html")
    assert len(site.requests) == 2


async def test_the_index_of_a_site_is_told_and_not_taken_for_the_page(web):
    head = '<link rel="alternate" type="text/markdown" href="/llms.txt">'
    index = Reply(headers={"Content-Type": "text/plain"}, body="# A\n\n- [Bees](/bees.md)")
    with serve({"/": PAGE.format(head), "/llms.txt": index}) as site:
        text = await fetched(web, site)
        assert f"The site has an index in Markdown: {site}/llms.txt" in text
        assert "From HTML." in text
        assert len(site.requests) == 1
        assert f"[Bees]({site}/bees.md)" in await fetched(web, site, "/llms.txt", value="links")


async def test_cookies_of_page_and_alternate_are_kept_under_one_handle(named_web):
    web = await named_web("a", cookies=True)
    with serve(
        {
            "/": Reply(headers=[("Set-Cookie", "one=1"), ("Content-Type", "text/html")],
                       body=PAGE.format(LINK)),
            "/bees.md": Reply(headers=[("Set-Cookie", "two=2"), *MARKDOWN.items()], body="# Bees"),
        }
    ) as site:  # fmt: skip
        url = f"http://a.test:{site.port}/"
        anonymous = web.as_caller(None)
        await anonymous(resource="http", action="fetch", url=url)
        assert site.requests[1].headers["cookie"] == "one=1"
