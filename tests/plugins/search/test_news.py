"""News of DuckDuckGo: its token and its JSON, through the real ddgs and primp over TLS."""

import json

import pytest

from strap import ActionError
from strap_search.engine import Page, Query
from tests.plugins.search import pages
from tests.plugins.search.conftest import Play, engines, found, pick
from tests.site.tlsproxy import SiteReply

pytestmark = pytest.mark.anyio
NEWS = Query(words="any", kind="news", region="us-en", safe="moderate")
PAGE = SiteReply(body='<script>vqd="4-1"</script>')


def answers(reply: SiteReply):
    """A site that gives a token and answers the query for news with `reply`."""
    return lambda request: PAGE if request.route == "/" else reply


async def test_results_are_exact_in_order_and_dated(play: Play) -> None:
    hits = (await found(engines(play(pages.duckduckgo_news(3))), "duckduckgo", NEWS)).hits
    assert [hit.url for hit in hits] == [pages.link(n) for n in (1, 2, 3)]
    assert hits[0].title == 'Title "1"'
    assert hits[0].snippet == "Excerpt 1 & more"
    assert hits[0].date == "2026-09-21 13:13 UTC"


async def test_pages_follow_each_other_under_one_token(play: Play) -> None:
    proxy = play(pages.duckduckgo_news(70))
    result = await found(engines(proxy), "duckduckgo", NEWS, limit=65)
    assert [hit.url for hit in result.hits] == [pages.link(n) for n in range(1, 66)]
    sent = [(request.route, request.query.get("s")) for request in proxy.requests]
    assert sent == [("/", None), ("/news.js", None), ("/news.js", "30"), ("/news.js", "60")]


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        (NEWS, {"q": "any", "o": "json", "l": "us-en", "p": "-1"}),
        (Query(words="any", kind="news"), {"l": "wt-wt"}),
        (Query(words="any", kind="news", region="gb-en"), {"l": "uk-en"}),
        (Query(words="any", kind="news", time_range="day"), {"df": "d"}),
        (Query(words="any", kind="news", time_range="week"), {"df": "w"}),
        (Query(words="any", kind="news", time_range="month"), {"df": "m"}),
        (Query(words="any", kind="news", safe="strict"), {"p": "1"}),
        (Query(words="any", kind="news", safe="off"), {"p": "-2"}),
        (Query(words="a ü", kind="news", site="x.example"), {"q": "a ü site:x.example"}),
    ],
)
async def test_options_arrive(play: Play, query: Query, fields: dict[str, str]) -> None:
    proxy = play(pages.duckduckgo_news(3))
    await (await pick(engines(proxy), "duckduckgo")).search(query)
    home, news = proxy.requests
    assert home.query == {"q": query.text}
    assert fields.items() <= news.query.items()


@pytest.mark.parametrize("quote", ["vqd='4-1'", 'vqd="4-1"', "vqd=4-1&x"])
async def test_the_token_is_found_in_any_notation(play: Play, quote: str) -> None:
    def site(request):
        if request.route == "/":
            return SiteReply(body=f"<script>{quote}</script>")
        assert request.query["vqd"] == "4-1"
        return SiteReply(body='{"results": []}')

    assert (await found(engines(play(site)), "duckduckgo", NEWS)).hits == ()


async def test_no_results_are_an_empty_page(play: Play) -> None:
    engine = await pick(engines(play(pages.duckduckgo_news(0))), "duckduckgo")
    assert await engine.search(NEWS) == Page()


async def test_a_next_that_leads_back_is_the_end(play: Play) -> None:
    body = json.dumps({"results": [pages.news_item(1)], "next": "news.js?s=0"})
    proxy = play(answers(SiteReply(body=body)))
    assert len((await found(engines(proxy), "duckduckgo", NEWS, limit=50)).hits) == 1
    assert len(proxy.requests) == 2


@pytest.mark.parametrize(
    ("reply", "code", "says"),
    [
        (SiteReply(status=202), "rate_limited", "HTTP 202"),
        (SiteReply(status=403), "blocked", "HTTP 403"),
        (SiteReply(body=pages.CHALLENGE), "blocked", "challenge page"),
        (SiteReply(status=503), "upstream", "HTTP 503"),
        (SiteReply(drop=True), "unreachable", "the connection broke"),
        (SiteReply(body=""), "unreadable", "not its JSON"),
        (SiteReply(body="{}"), "unreadable", "not its JSON"),
        (SiteReply(body="[1]"), "unreadable", "not its JSON"),
        (SiteReply(body='{"results": [1]}'), "unreadable", "not its JSON"),
        (SiteReply(body="[" * 100_000), "unreadable", "not its JSON"),
    ],
)
async def test_failures_are_told_apart(play: Play, reply: SiteReply, code: str, says: str) -> None:
    engine = await pick(engines(play(answers(reply))), "duckduckgo")
    with pytest.raises(ActionError, match=says) as caught:
        await engine.search(NEWS)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("body", "code"),
    [(pages.CHALLENGE, "blocked"), ("<html>Hello</html>", "unreadable"), ("", "unreadable")],
)
async def test_without_a_token_nothing_is_asked(play: Play, body: str, code: str) -> None:
    proxy = play(pages.always(SiteReply(body=body)))
    engine = await pick(engines(proxy), "duckduckgo")
    with pytest.raises(ActionError) as caught:
        await engine.search(NEWS)
    assert caught.value.code == code
    assert len(proxy.requests) == 1


async def test_a_slow_engine_is_given_up(play: Play) -> None:
    opened = engines(play(answers(SiteReply(stall=True))), request_timeout=0.3)
    with pytest.raises(ActionError, match=r"0\.3 s") as caught:
        await (await pick(opened, "duckduckgo")).search(NEWS)
    assert caught.value.code == "timeout"
