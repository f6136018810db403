"""robots.txt, where the operator wants it respected."""

import asyncio

import pytest

from strap import ActionError, PolicyDenied
from strap_http.pipeline import robots
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

RULES = """User-agent: *
Disallow: /private
Disallow: /*.pdf$
Allow: /private/open

User-agent: strap
Disallow: /strapless
"""


def rules(text=RULES, status=200):
    return Reply(status=status, headers={"Content-Type": "text/plain"}, body=text)


async def fetch(web, site, path):
    return await web(resource="http", action="fetch", url=f"{site}{path}")


async def refused(web, site, path):
    return await web.fails(resource="http", action="fetch", url=f"{site}{path}")


async def test_it_is_not_asked_for_unless_wanted(web):
    with serve({"/robots.txt": rules("User-agent: *\nDisallow: /"), "/": "ok"}) as site:
        assert (await fetch(web, site, "/")).data["status"] == 200
        assert [request.path for request in site.requests] == ["/"]


async def test_what_is_disallowed_is_not_fetched(named_web):
    web = await named_web("a", robots=True, user_agent="other/1")
    with serve({"/robots.txt": rules(), "/": "ok", "/private/open": "ok"}) as site:
        for path in ("/private", "/private/x?y", "/a/b.pdf"):
            error = await refused(web, site, path)
            assert isinstance(error, PolicyDenied)
            assert str(error).startswith(f"'{site}/robots.txt' does not allow 'other' to fetch")
            assert error.code == "robots"
        for path in ("/", "/private/open"):
            assert (await fetch(web, site, path)).data["status"] == 200
        asked = [request.path for request in site.requests]
        assert asked == ["/robots.txt", "/", "/private/open"]


async def test_a_byte_order_mark_hides_no_group(named_web):
    web = await named_web("a", robots=True, user_agent="other/1")
    with serve({"/robots.txt": rules("\ufeff" + RULES), "/": "ok"}) as site:
        assert (await refused(web, site, "/private")).code == "robots"


@pytest.mark.parametrize(
    "path", ["/open/../private/x", "/./private/x", "/open/%2e%2E/private/x", "/a/b/.%2e/../private"]
)
async def test_dots_lead_round_no_rule(named_web, path):
    web = await named_web("a", robots=True, user_agent="other/1")
    with serve({"/robots.txt": rules(), "/private/x": "ok"}) as site:
        assert (await refused(web, site, path)).code == "robots"
        assert [request.path for request in site.requests] == ["/robots.txt"]


async def test_the_rules_for_strap_win(named_web):
    web = await named_web("a", robots=True)
    with serve({"/robots.txt": rules(), "/private": "ok"}) as site:
        assert (await fetch(web, site, "/private")).data["status"] == 200
        assert (await refused(web, site, "/strapless")).code == "robots"
        assert (await fetch(web, site, "/robots.txt")).text.endswith("/strapless")


@pytest.mark.parametrize("status", [404, 403, 410])
async def test_without_a_file_all_is_allowed(named_web, status):
    web = await named_web("a", robots=True)
    with serve({"/robots.txt": rules("User-agent: *\nDisallow: /", status), "/": "ok"}) as site:
        assert (await fetch(web, site, "/")).data["status"] == 200


async def test_a_server_that_fails_gets_nothing_asked(named_web):
    web = await named_web("a", robots=True, retries=0)
    with serve({"/robots.txt": rules(status=500), "/": "ok"}) as site:
        error = await refused(web, site, "/")
        assert isinstance(error, ActionError)
        assert "cannot be read, so nothing of that site is fetched. Try again later." in str(error)
        assert [request.path for request in site.requests] == ["/robots.txt"]


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_server_that_has_enough_or_fails_is_left_alone(named_web, status):
    web = await named_web("a", robots=True, retries=0)
    with serve({"/robots.txt": rules(status=status), "/": "ok"}) as site:
        assert (await refused(web, site, "/")).code == "robots"


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: strap\nMade-up-line: x\nUser-agent: *\nDisallow: /",
        "User-agent: *\nCrawl-delay: 1\n\nUser-agent: Googlebot\nDisallow: /",
        "User-agent: *\nRequest-rate: 1/5\nVisit-time: 0600-0845\nUser-agent: b\nDisallow: /",
        "User-agent: *\ncrawl delay 1\nUser-agent: b\nDisallow: /",
        "User-agent: Strap Bot\nDisallow: /",
        "User-agent: strap/1.0 (+https://a.example)\nDisallow: /",
        "User-agent: strap # ours\r\nDisallow: /\r\n",
        "user agent : strap\rdisalow:/",
        "User-agent: *\nDisallow: /*.html$\nAllow: /",
        "User-agent: *\nDisallow: /p*/x\nDisallow: /private",
    ],
)
async def test_rules_are_kept_to_however_they_are_written(named_web, text):
    web = await named_web("a", robots=True)
    with serve({"/robots.txt": rules(text), "/private/x.html": "ok"}) as site:
        assert (await refused(web, site, "/private/x.html")).code == "robots"


async def test_rules_for_others_are_not_those_of_strap(named_web):
    web = await named_web("a", robots=True)
    text = "User-agent: strap2\nUser-agent: strapper bot\nDisallow: /\nUser-agent: *\nAllow: /"
    with serve({"/robots.txt": rules(text), "/x": "ok"}) as site:
        assert (await fetch(web, site, "/x")).data["status"] == 200


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: a\nDisallow: /x\nCrawl-delay: 9\nUser-agent: *\nCrawl-delay: 2\nDisallow: /y",
        "User-agent: *\nCrawl-delay: 2\nUser-agent: a\nSitemap: /s\nDisallow: /y",
        "User-agent: a\nDisallow: /x\nUser-agent: *\nCrawl-delay: 2",
        "User-agent: *\nDisallow: /y\nCrawl-delay: 2",
    ],
)
async def test_delays_are_those_of_their_group(text):
    async def load(url):
        return robots.Response(status=200, url=url, headers={}, body=text.encode())

    target = robots.VettedURL(url="http://h/x", scheme="http", host="h", port=80, addresses=())
    kept = robots.Robots("strap/1")
    assert (await kept.rules(target, load)).crawl_delay("strap") == 2
    await kept.check(target, load)


async def test_redirects_are_held_to_it_as_well(named_web):
    web = await named_web("a", robots=True)
    with serve({"/robots.txt": rules("User-agent: *\nDisallow: /b")}) as other:
        moved = Reply(status=302, headers={"Location": f"{other}/b"})
        with serve({"/a": moved}) as site:
            assert (await refused(web, site, "/a")).code == "robots"
        assert [request.path for request in other.requests] == ["/robots.txt"]


async def test_calls_at_once_ask_once(named_web):
    web = await named_web("a", robots=True)
    with serve({"/robots.txt": rules(), "/": "ok"}) as site:
        await asyncio.gather(*(fetch(web, site, "/") for _ in range(8)))
        assert [request.path for request in site.requests].count("/robots.txt") == 1


async def test_files_are_asked_for_again_after_a_while_and_forgotten(monkeypatch):
    monkeypatch.setattr(robots, "MAX_ORIGINS", 2)
    now, asked = [0.0], []
    kept = robots.Robots("strap/1", clock=lambda: now[0])

    async def load(url):
        asked.append(url)
        return robots.Response(status=404, url=url, headers={})

    async def check(host):
        target = robots.VettedURL(
            url=f"http://{host}/", scheme="http", host=host, port=80, addresses=()
        )
        await kept.check(target, load)

    for host in ("a", "a", "b", "c", "a"):
        await check(host)
    assert len(asked) == 4
    now[0] = robots.KEPT + 1
    await check("a")
    assert len(asked) == 5
    assert len(kept._locks) <= 2
