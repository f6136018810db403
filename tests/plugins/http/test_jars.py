"""Cookies: kept for a caller where the operator wants it, and for nobody else."""

import httpx2
import pytest

from strap import VettedURL
from strap_http.message import cookies as jars
from strap_http.message.cookies import CallerCookies, CookieJars
from strap_http.message.response import Response
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio


def login(request):
    if "sid=1" in request.headers.get("cookie", ""):
        return "inside"
    return Reply(headers={"Set-Cookie": "sid=1; Path=/"}, body="outside")


async def fetch(web, site, **fields):
    return (await web(resource="http", action="fetch", url=f"{site}/", **fields)).text


async def test_no_cookies_are_kept_unless_wanted(web):
    with serve({"/": login}) as site:
        for _ in range(2):
            assert (await fetch(web, site)).endswith("outside")


async def test_a_caller_keeps_its_cookies_and_only_its_own(named_web):
    web = await named_web("a", cookies=True)
    with serve({"/": login}) as site:
        assert (await fetch(web, site)).endswith("outside")
        assert (await fetch(web, site)).endswith("inside")
        other = web.as_caller("other")
        assert (await fetch(other, site)).endswith("outside")
        assert (await fetch(other, site)).endswith("inside")
        await web.router.end_session("local/local")
        assert (await fetch(web, site)).endswith("outside")


async def test_where_there_is_no_session_the_answer_names_a_handle(named_web):
    web = (await named_web("a", cookies=True)).as_caller(None)
    with serve({"/": login, "/plain": "ok"}) as site:
        plain = await web(resource="http", action="fetch", url=f"{site}/plain")
        assert "session:" not in plain.text
        text = await fetch(web, site)
        handle = text.rpartition('session: "')[2].partition('"')[0]
        assert handle
        assert (await fetch(web, site, session=handle)).endswith("inside")
        assert "outside" in await fetch(web, site)


async def test_the_cookie_that_a_call_gives_wins(named_web):
    web = await named_web("a", cookies=True)
    with serve({"/": login}) as site:
        await fetch(web, site)
        assert "outside" in await fetch(web, site, headers={"Cookie": "sid=2"})
        assert site.requests[-1].headers["cookie"] == "sid=2"


def target(host, scheme="http"):
    return VettedURL(url=f"{scheme}://{host}/", scheme=scheme, host=host, port=80)


def setting(*cookies):
    headers = httpx2.Headers([("set-cookie", cookie) for cookie in cookies])
    return Response(status=200, url="", headers=headers)


def test_cookies_go_to_the_hosts_that_they_are_for():
    jar = CallerCookies()
    jar.keep(
        target("www.a.test"),
        setting("host=1", "domain=1; Domain=a.test", "foreign=1; Domain=b.test"),
    )
    jar.keep(target("www.a.test", "https"), setting("secure=1; Secure"))
    assert jar.field(target("www.a.test")) == "host=1; domain=1"
    assert jar.field(target("sub.a.test")) == "domain=1"
    assert jar.field(target("sub.www.a.test")) == "domain=1"
    assert jar.field(target("b.test")) is None
    assert "secure=1" in jar.field(target("www.a.test", "https"))
    jar.keep(target("shop.co.uk"), setting("wide=1; Domain=co.uk"))
    assert jar.field(target("other.co.uk")) is None


@pytest.mark.parametrize(
    "cookie", ["name=Stra\u00dfe", "n\u00e4me=x", "=x", "x", "a=b; Domain=\xfc"]
)
def test_unusual_cookies(cookie):
    jar = CallerCookies()
    headers = httpx2.Headers([(b"set-cookie", cookie.encode("latin-1"))])
    jar.keep(target("a.test"), Response(status=200, url="", headers=headers))
    assert jar.field(target("a.test")) in (None, cookie, f"{cookie}=", "=x")


def test_jars_are_bounded(monkeypatch):
    monkeypatch.setattr(jars, "MAX_JARS", 2)
    jar = CallerCookies()
    jar.keep(target("a.test"), setting(*(f"c{n}=1" for n in range(400)), f"long={'x' * 5_000}"))
    assert len(jar) == jars.MAX_COOKIES
    kept = CookieJars()
    first = kept.get("a")
    assert kept.get("a") is first
    kept.get("b")
    kept.get("c")
    assert kept.get("a") is not first
    kept.forget("a")
