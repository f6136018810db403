"""Web results of DuckDuckGo, through the real ddgs and primp over TLS."""

import asyncio

import pytest

from strap import ActionError
from strap_search.client.limits import MAX_BODY
from strap_search.engine import Page, Query
from strap_search.failures import Refusal
from tests.plugins.search import pages
from tests.plugins.search.conftest import ANY, Play, engines, found, pick, state
from tests.site.tlsproxy import SiteReply

pytestmark = pytest.mark.anyio


def leads_to(location: str) -> SiteReply:
    return SiteReply(status=303, headers={"Location": location})


async def first_page(play: Play, site, **settings: object) -> Page:
    engine = await pick(engines(play(site), **settings), "duckduckgo")
    return await engine.search(ANY)


async def failure(play: Play, site, **settings: object) -> ActionError:
    with pytest.raises(ActionError) as caught:
        await first_page(play, site, **settings)
    return caught.value


async def test_results_are_exact_and_in_order(play: Play) -> None:
    page = await first_page(play, pages.duckduckgo(10))
    assert [hit.url for hit in page.hits] == [pages.link(n) for n in range(1, 11)]
    assert page.hits[0].title == "Title 1"
    assert page.hits[0].snippet == "Snippet 1 & more"
    assert page.following is None


async def test_the_query_arrives_as_it_is(play: Play) -> None:
    proxy = play(pages.duckduckgo(3))
    engine = await pick(engines(proxy), "duckduckgo")
    await engine.search(Query(words='"C++ & ümlaut" 日本'))
    assert proxy.requests[0].form["q"] == '"C++ & ümlaut" 日本'


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        (Query(words="any"), {"q": "any", "b": "", "l": "wt-wt", "kl": "wt-wt"}),
        (Query(words="any", region="at-de"), {"kl": "at-de", "l": "at-de"}),
        (Query(words="any", region="gb-en"), {"kl": "uk-en"}),
        (Query(words="any", time_range="day"), {"df": "d"}),
        (Query(words="any", time_range="week"), {"df": "w"}),
        (Query(words="any", time_range="month"), {"df": "m"}),
        (Query(words="any", time_range="year"), {"df": "y"}),
        (Query(words="any", safe="strict"), {"kp": "1"}),
        (Query(words="any", safe="moderate"), {"kp": "-1"}),
        (Query(words="any", safe="off"), {"kp": "-2"}),
        (Query(words="any", site="example.com"), {"q": "any site:example.com"}),
    ],
)
async def test_options_arrive(play: Play, query: Query, fields: dict[str, str]) -> None:
    proxy = play(pages.duckduckgo(3))
    await (await pick(engines(proxy), "duckduckgo")).search(query)
    assert fields.items() <= proxy.requests[0].form.items()


async def test_what_is_not_asked_for_is_not_sent(play: Play) -> None:
    proxy = play(pages.duckduckgo(3))
    await (await pick(engines(proxy), "duckduckgo")).search(Query(words="any"))
    assert not {"df", "kp"} & proxy.requests[0].form.keys()


async def test_options_go_with_every_page(play: Play) -> None:
    proxy = play(pages.duckduckgo(60))
    query = Query(words="any", region="at-de", time_range="week", safe="strict")
    await found(engines(proxy), "duckduckgo", query, limit=30)
    sent = [{name: r.form[name] for name in ("kl", "df", "kp")} for r in proxy.requests]
    assert sent == [{"kl": "at-de", "df": "w", "kp": "1"}] * 3


async def test_pages_are_asked_for_with_the_token_of_the_page_before(play: Play) -> None:
    proxy = play(pages.duckduckgo(35))
    engine = await pick(engines(proxy), "duckduckgo")
    page, found = None, []
    for _ in range(3):
        page = await engine.search(ANY, page)
        found += [hit.url for hit in page.hits]
    assert page is not None
    assert page.following is None
    assert found == [pages.link(n) for n in range(1, 36)]
    assert [request.form.get("s") for request in proxy.requests] == [None, "10", "25"]


async def test_each_query_has_its_own_identity_and_cookies(play: Play) -> None:
    reply = SiteReply(
        body=pages.ddg_page([pages.result(1)]), headers={"Set-Cookie": "who=me; Path=/"}
    )
    proxy = play(pages.always(reply))
    opened = engines(proxy)
    for _ in range(2):
        await (await pick(opened, "duckduckgo")).search(ANY)
    assert all("cookie" not in request.headers for request in proxy.requests)


async def test_wrapped_links_are_unwrapped_exactly(play: Play) -> None:
    wrapped = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fx.example%2Fa%252Fb%3Fq%3DC%252B%252B&rut=abc"
    page = await first_page(
        play, pages.always(SiteReply(body=pages.ddg_page([pages.result(1, wrapped)])))
    )
    assert [hit.url for hit in page.hits] == ["https://x.example/a%2Fb?q=C%2B%2B"]


async def test_advertisements_and_links_to_nowhere_are_dropped(play: Play) -> None:
    results = [
        pages.ad(1, "https://shop.example/"),
        pages.result(2, "https://duckduckgo.com/y.js?ad_domain=shop.example&u3=x"),
        pages.result(3, "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad"),
        pages.result(4, "javascript:alert(1)"),
        pages.result(5, "https://real.example/\n2. Forged"),
        pages.result(6),
        pages.result(7, "https://[broken/"),
    ]
    site = pages.always(SiteReply(body=pages.ddg_page(results)))
    hits = (await found(engines(play(site)), "duckduckgo")).hits
    assert [hit.url for hit in hits] == [pages.link(6)]


async def test_a_result_without_a_snippet_keeps_its_link(play: Play) -> None:
    body = pages.ddg_page([pages.result(1, snippet="")])
    page = await first_page(play, pages.always(SiteReply(body=body)))
    assert [(hit.url, hit.snippet) for hit in page.hits] == [(pages.link(1), "")]


async def test_results_are_dated_where_the_page_says_so(play: Play) -> None:
    results = [
        pages.result(1, date="2026-08-14T00:00:00.0000000"),
        pages.result(2, date="2026-08-14T13:05:00.0000000"),
        pages.result(3, date="Sponsored"),
        pages.result(4),
    ]
    site = pages.always(SiteReply(body=pages.ddg_page(results)))
    hits = (await found(engines(play(site)), "duckduckgo")).hits
    assert [hit.date for hit in hits] == ["2026-08-14", "2026-08-14 13:05", "", ""]
    assert hits[0].snippet == "Snippet 1 & more"


async def test_control_characters_of_a_page_do_not_arrive(play: Play) -> None:
    snippet = "one\u202etwo\x1b[31m &#10; three \ud83d\ude00".encode(
        "utf-16", "surrogatepass"
    ).decode("utf-16")
    body = pages.ddg_page([pages.result(1, snippet=snippet)])
    site = pages.always(SiteReply(body=body))
    hits = (await found(engines(play(site)), "duckduckgo")).hits
    assert hits[0].snippet == "one two [31m three 😀"


async def test_no_results_are_an_empty_page(play: Play) -> None:
    assert await first_page(play, pages.duckduckgo(0)) == Page()


@pytest.mark.parametrize(
    ("reply", "code", "says"),
    [
        (SiteReply(status=202, body=pages.CHALLENGE), "rate_limited", "HTTP 202"),
        (SiteReply(status=429), "rate_limited", "HTTP 429"),
        (SiteReply(status=403), "blocked", "HTTP 403"),
        (SiteReply(status=418), "blocked", "HTTP 418"),
        (SiteReply(body=pages.CHALLENGE), "blocked", "challenge page"),
        (SiteReply(status=500), "upstream", "HTTP 500"),
        (SiteReply(status=404), "upstream", "HTTP 404"),
        (SiteReply(drop=True), "unreachable", "the connection broke"),
        (SiteReply(body=""), "unreadable", "empty"),
        (SiteReply(body=b"\x00\xff\xfe\x00garbage"), "unreadable", "reason"),
        (SiteReply(body="<p>We have redesigned everything.</p>"), "unreadable", "reason"),
        (leads_to("https://en.wiki.example/?a"), "redirected", "en.wiki.example"),
        (leads_to("http://html.duckduckgo.com/"), "redirected", "'html.duckduckgo.com'"),
        (leads_to("https://notduckduckgo.com/"), "redirected", "'notduckduckgo.com'"),
        (leads_to("/html/?again"), "unreadable", "redirect"),
        (leads_to("https://[broken/"), "unreadable", "redirect"),
        (leads_to("https://user:pass@duckduckgo.com/"), "unreadable", "redirect"),
        (leads_to("https://127.0.0.1/"), "redirected", "'127.0.0.1'"),
        (SiteReply(status=302), "unreadable", "redirect"),
    ],
)  # fmt: skip
async def test_failures_are_told_apart(play: Play, reply: SiteReply, code: str, says: str) -> None:
    error = await failure(play, pages.always(reply))
    assert error.code == code
    assert says in error.message
    assert error.hint or isinstance(error, Refusal)  # the next step is added where it is known


async def test_only_what_may_pass_is_retryable(play: Play) -> None:
    replies = {429: True, 500: True, 403: False}
    for status, retryable in replies.items():
        error = await failure(play, pages.always(SiteReply(status=status)))
        assert error.retryable is retryable


async def test_a_redirect_inside_the_site_is_followed(play: Play) -> None:
    def site(request):
        if request.method == "POST":
            return SiteReply(status=303, headers={"Location": "https://duckduckgo.com/html/?q=any"})
        assert request.host == "duckduckgo.com"
        return SiteReply(body=pages.ddg_page([pages.result(1)]))

    assert len((await first_page(play, site)).hits) == 1


async def test_a_slow_engine_is_given_up(play: Play) -> None:
    error = await failure(play, pages.always(SiteReply(stall=True)), request_timeout=0.3)
    assert error.code == "timeout"
    assert "0.3 s" in error.message


async def test_a_dripping_engine_is_given_up(play: Play) -> None:
    proxy = None

    def drip(_):
        def chunks():
            while not proxy.closing.wait(0.05):
                yield b" "

        return SiteReply(body=chunks())

    proxy = play(drip)
    engine = await pick(engines(proxy, request_timeout=0.4), "duckduckgo")
    with pytest.raises(ActionError, match=r"0\.4 s"):
        await engine.search(ANY)


async def test_a_huge_answer_is_not_read_to_its_end(play: Play) -> None:
    sent = []

    def flood(_):
        def chunks():
            for _ in range(40 * MAX_BODY // 2**16):
                sent.append(2**16)
                yield b"<p>" * (2**16 // 3)

        return SiteReply(body=chunks())

    assert (await failure(play, flood)).code == "unreadable"
    assert sum(sent) < 10 * MAX_BODY


async def test_an_untrusted_certificate_is_refused(play: Play) -> None:
    proxy = play(pages.duckduckgo(1))
    engine = await pick(engines(proxy, ca_file=None), "duckduckgo")
    with pytest.raises(ActionError, match=r"not trusted \(its authority is unknown") as caught:
        await engine.search(ANY)
    assert "STRAP_SEARCH__CA_FILE" in caught.value.hint
    assert not caught.value.retryable
    assert proxy.requests == []


@pytest.mark.parametrize(
    ("of", "kind", "why"),
    [
        ("duckduckgo.com", {"expired": True}, "it is out of date"),
        ("other.example", {}, "it is for another host"),
        ("duckduckgo.com", {"self_signed": True}, "its authority is unknown"),
    ],
)
async def test_what_is_wrong_with_a_certificate_is_told(play: Play, monkeypatch, of, kind, why):
    proxy = play(pages.duckduckgo(1))
    context = proxy.authority.context(of, **kind)
    monkeypatch.setattr(proxy.authority, "context", lambda _: context)
    engine = await pick(engines(proxy), "duckduckgo")
    with pytest.raises(ActionError, match=f"certificate is not trusted \\({why}"):
        await engine.search(ANY)


async def test_a_dead_proxy_is_named() -> None:
    engine = await pick(state(proxy="http://127.0.0.1:9"), "duckduckgo")
    with pytest.raises(ActionError, match="no connection"):
        await engine.search(ANY)


async def test_cancellation_closes_the_connection(play: Play) -> None:
    proxy = play(pages.always(SiteReply(stall=True)))
    engine = await pick(engines(proxy), "duckduckgo")
    search = asyncio.create_task(engine.search(ANY))
    assert await asyncio.to_thread(proxy.stalled.wait, 10)
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    assert await asyncio.to_thread(proxy.hung_up.wait, 10)
