"""The options of `search.query`: what is refused before anything is asked, and paging."""

import pytest

from strap import UsageError
from tests.plugins.search import pages
from tests.plugins.search.conftest import OpenWeb, Play, through
from tests.plugins.search.services import BY_NAME
from tests.site.server import serve
from tests.site.tlsproxy import SiteReply

pytestmark = pytest.mark.anyio
OPEN = {"resource": "search", "action": "query", "query": "any"}
ALL = {
    "brave_key": "k",
    "tavily_key": "k",
    "searxng_url": "https://searxng.example",
}
CSE = {"google_key": "k", "google_cx": "c"}


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        (
            {},
            {"engine": "google", "kind": "news"},
            (
                "engine='google' (startpage) cannot do kind='news' (only 'web'). "
                "Change that or leave it out. Or use engine='duckduckgo'."
            ),
        ),
        (
            {},
            {"kind": "news", "time_range": "year"},
            (
                "engine='duckduckgo' cannot do time_range='year' (only 'day', 'week', 'month'). "
                "Change that or leave it out."
            ),
        ),
        (
            {},
            {"region": "us-de"},
            (
                "engine='duckduckgo' cannot do region='us-de'. "
                "Change that or leave it out. Or use engine='google'."
            ),
        ),
        (
            {"serper_key": "k"},
            {"engine": "google", "safe": "moderate"},
            (
                "engine='google' (serper) cannot do safe='moderate'. "
                "Change that or leave it out. Or use engine='duckduckgo'."
            ),
        ),
        (
            CSE,
            {"engine": "google", "safe": "moderate"},
            (
                "engine='google' (programmable search) cannot do safe='moderate' "
                "(only 'strict', 'off'). Change that or leave it out. Or use engine='duckduckgo'."
            ),
        ),
        (
            ALL,
            {"engine": "tavily", "region": "at-de", "safe": "off", "limit": 30},
            (
                "engine='tavily' cannot do safe='off'; region='at-de'; "
                "page=1 with limit=30 (its results end at 20). Change that or leave it out. "
                "Or use engine='brave' or 'duckduckgo' or 'google' or 'searxng'."
            ),
        ),
        (
            ALL,
            {"engine": "brave", "query": "x" * 390, "site": "example.com"},
            (
                "engine='brave' cannot do a query of 407 characters (at most 400). "
                "Change that or leave it out. Or use engine='duckduckgo' or 'google' or 'searxng'."
            ),
        ),
        (
            {},
            {"page": 11},
            (
                "engine='duckduckgo' cannot do page=11 with limit=10 (its results end at 100). "
                "Change that or leave it out."
            ),
        ),
    ],
)
async def test_what_an_engine_cannot_do_is_one_error_before_any_request(
    play: Play, open_web: OpenWeb, settings: dict, options: dict, message: str
) -> None:
    proxy = play(pages.duckduckgo(10))
    async with open_web(**through(proxy, **settings)) as web:
        error = await web.fails(**{**OPEN, **options})
    assert isinstance(error, UsageError)
    assert (error.code, str(error)) == ("unsupported", message)
    assert proxy.requests == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "videos"}, "'kind' must be 'web', 'news' or 'images', not 'videos'"),
        ({"time_range": "hour"}, "'time_range' must be 'day', 'week', 'month' or 'year'"),
        ({"safe": "on"}, "'safe' must be 'strict', 'moderate' or 'off'"),
        ({"region": "english"}, "'region': must be country-language"),
        ({"site": "a b"}, "'site': must be a host"),
        ({"page": 0}, "'page' must be greater than or equal to 1"),
        ({"engine": "gogle"}, "Unknown engine: 'gogle' (valid: brave, duckduckgo, google, "),
        ({"engine": "gogle"}, "Did you mean 'google'?"),
    ],
)
async def test_wrong_values_are_named(
    play: Play, open_web: OpenWeb, options: dict, says: str
) -> None:
    proxy = play(pages.duckduckgo(10))
    async with open_web(**through(proxy)) as web:
        error = await web.fails(**OPEN, **options)
    assert isinstance(error, UsageError)
    assert says in str(error)
    assert proxy.requests == []


async def test_help_lists_what_the_options_take(open_web: OpenWeb) -> None:
    async with open_web() as web:
        text = (await web(resource="search", action="help", value="query")).text
    for line in (
        "- engine (brave|duckduckgo|google|searxng|tavily, default 'duckduckgo')",
        "- kind (web|news|images, default 'web')",
        "- time_range (day|week|month|year)",
        "- safe (strict|moderate|off)",
        "- page (integer, default 1)",
    ):
        assert f"\n{line}" in text


async def test_options_arrive_at_duckduckgo(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.duckduckgo(3))
    options = {"region": "en-GB", "time_range": "week", "safe": "off", "site": "EXAMPLE.com/"}
    async with open_web(**through(proxy)) as web:
        await web(**OPEN, **options)
    form = proxy.requests[0].form
    assert (form["kl"], form["df"], form["kp"]) == ("uk-en", "w", "-2")
    assert form["q"] == "any site:example.com"


async def test_the_operators_region_is_the_default(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.duckduckgo(3))
    async with open_web(**through(proxy, region="de-AT")) as web:
        await web(**OPEN)
        await web(**OPEN, region="wt-wt")
    assert [request.form["kl"] for request in proxy.requests] == ["at-de", "wt-wt"]


async def test_a_default_region_that_an_engine_does_not_know_is_left_out(
    open_web: OpenWeb,
) -> None:
    service = BY_NAME["brave"]
    with serve(service.routes(service.answer(3))) as site:
        async with open_web(**service.settings(site), region="gr-el") as web:
            await web(**OPEN, engine="brave")
    assert site.requests[0].query["country"] == ["ALL"]


async def test_safe_search_is_moderate_unless_given(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.duckduckgo(3))
    async with open_web(**through(proxy)) as web:
        await web(**OPEN)
    assert proxy.requests[0].form["kp"] == "-1"


async def test_news_say_that_they_are_and_when_they_are_from(play: Play, open_web: OpenWeb) -> None:
    async with open_web(**through(play(pages.duckduckgo_news(2)))) as web:
        result = await web(**OPEN, kind="news")
    assert result.text == (
        "duckduckgo news (index: bing): 2 results for 'any'\n"
        f'1. Title "1"\n{pages.link(1)}\n2026-09-21 13:13 UTC: Excerpt 1 & more\n'
        f'2. Title "2"\n{pages.link(2)}\n2026-09-21 12:13 UTC: Excerpt 2 & more'
    )
    assert result.data["kind"] == "news"
    assert result.data["results"][0]["date"] == "2026-09-21 13:13 UTC"


async def test_results_of_other_sites_are_left_out_and_counted(
    play: Play, open_web: OpenWeb
) -> None:
    hrefs = ["https://a.example/1", "https://docs.a.example/2", "https://evil.example/a.example"]
    body = pages.ddg_page(pages.result(n, href) for n, href in enumerate(hrefs, 1))
    async with open_web(**through(play(pages.always(SiteReply(body=body))))) as web:
        result = await web(**OPEN, site="a.example")
    assert [item["url"] for item in result.data["results"]] == hrefs[:2]
    assert result.text.startswith("duckduckgo (index: bing): 2 results for 'any site:a.example'\n")
    assert result.text.endswith("\n[Left out, because not of a.example: 1]")


async def test_several_sites_and_those_that_are_left_out(play: Play, open_web: OpenWeb) -> None:
    hrefs = [f"https://{host}.example/" for host in ("a", "b", "old.a", "c")]
    body = pages.ddg_page(pages.result(n, href) for n, href in enumerate(hrefs, 1))
    proxy = play(pages.always(SiteReply(body=body)))
    async with open_web(**through(proxy)) as web:
        result = await web(**OPEN, site="A.example, b.example/,-old.a.example")
        rest = await web(**OPEN, site="-a.example")
    assert [item["url"] for item in result.data["results"]] == hrefs[:2]
    asked = "any (site:a.example OR site:b.example) -site:old.a.example"
    assert proxy.requests[0].form["q"] == asked
    assert [item["url"] for item in rest.data["results"]] == [hrefs[1], hrefs[3]]


async def test_an_engine_that_ignores_the_site_is_not_asked_forever(
    play: Play, open_web: OpenWeb
) -> None:
    proxy = play(pages.duckduckgo(1000))
    async with open_web(**through(proxy)) as web:
        result = await web(**OPEN, site="nowhere.example")
    assert result.data["results"] == []
    assert "no results for" in result.text
    assert "[Left out, because not of nowhere.example: 145]" in result.text
    assert len(proxy.requests) == 10


async def test_a_later_page_continues_where_the_one_before_stopped(
    play: Play, open_web: OpenWeb
) -> None:
    proxy = play(pages.duckduckgo(33))
    async with open_web(**through(proxy)) as web:
        texts = [(await web(**OPEN, page=page)).text for page in (1, 2, 3, 4)]
        sent = len(proxy.requests)
        beyond = await web(**OPEN, page=5)
    assert texts[1].startswith("duckduckgo (index: bing): results 11 to 20 for 'any'\n11. Title 11")
    assert "\n20. Title 20\n" in texts[1]
    assert texts[3].startswith("duckduckgo (index: bing): results 31 to 33 for 'any'\n31. Title 31")
    assert sent == 3  # 10, 15 and 8 results: none is asked for twice
    assert beyond.text == "duckduckgo (index: bing): no more than 33 results for 'any'."
    assert not beyond.is_error


async def test_a_later_page_alone_gives_the_same(play: Play, open_web: OpenWeb) -> None:
    async with open_web(**through(play(pages.duckduckgo(60)))) as web:
        result = await web(**OPEN, page=3, limit=15)
    assert [item["url"] for item in result.data["results"]] == [
        pages.link(n) for n in range(31, 46)
    ]
    assert result.data["skipped"] == 30


async def test_the_first_page_is_always_asked_anew(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.duckduckgo(10))
    async with open_web(**through(proxy)) as web:
        await web(**OPEN)
        await web(**OPEN)
    assert len(proxy.requests) == 2


async def test_other_options_are_another_search(play: Play, open_web: OpenWeb) -> None:
    proxy = play(pages.duckduckgo(60))
    async with open_web(**through(proxy)) as web:
        await web(**OPEN)
        await web(**OPEN, page=2, region="de-de")
    assert [request.form.get("s") for request in proxy.requests] == [None, None, "10"]


async def test_a_failure_does_not_lose_what_was_there(play: Play, open_web: OpenWeb) -> None:
    well, failing = pages.duckduckgo(60), []

    def site(request):
        return SiteReply(status=500) if failing else well(request)

    proxy = play(site)
    async with open_web(**through(proxy)) as web:
        await web(**OPEN)
        failing.append(True)
        assert (await web.fails(**OPEN, page=2)).code == "upstream"
        failing.clear()
        result = await web(**OPEN, page=2)
    assert result.data["results"][0]["url"] == pages.link(11)
    assert [request.form.get("s") for request in proxy.requests] == [None, "10", "10"]
