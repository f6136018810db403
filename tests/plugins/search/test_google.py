"""`engine="google"`: the order of the ways, and Startpage through the real ddgs and primp."""

import pytest

from strap import ActionError
from strap_search.engine import Engine, Query
from tests.plugins.search import pages
from tests.plugins.search.conftest import ANY, Play, engines, found, pick, state
from tests.site.tlsproxy import SiteReply

pytestmark = pytest.mark.anyio


SERPER = {"serper_key": "k"}
PROGRAMMABLE = {"google_key": "k", "google_cx": "c"}


async def startpage(play: Play, site) -> Engine:
    return await pick(engines(play(site)), "google")


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({**SERPER, **PROGRAMMABLE, "startpage": True}, "serper"),
        ({**PROGRAMMABLE, "startpage": True}, "programmable search"),
        ({}, "startpage"),
    ],
)
async def test_the_order_of_the_ways(settings: dict[str, object], name: str) -> None:
    engine_class = await state(**settings).resolve("google")
    assert (engine_class.name, engine_class.index) == (name, "google")


async def test_what_stands_in_for_google_says_so() -> None:
    assert (await state().resolve("google")).remark == "keyless, standing in for engine='google'"
    remark = (await state(**PROGRAMMABLE).resolve("google")).remark
    assert remark == "standing in for engine='google'; Google ends it on 2027-01-01"


async def test_without_any_way_the_error_lists_them() -> None:
    with pytest.raises(ActionError) as caught:
        await state(startpage=False).resolve("google")
    assert caught.value.code == "not_configured"
    for setting in ("SERPER_KEY", "GOOGLE_KEY", "GOOGLE_CX", "STARTPAGE=true"):
        assert f"STRAP_SEARCH__{setting}" in caught.value.hint
    assert "2027-01-01" in caught.value.hint


async def test_startpage_results_are_exact_in_order_and_without_advertisements(play: Play) -> None:
    engine = await startpage(play, pages.startpage(10))
    page = await engine.search(ANY)
    assert [hit.url for hit in page.hits] == [pages.link(n) for n in range(1, 11)]
    assert (page.hits[0].title, page.hits[0].snippet) == ("Title 1", "Snippet 1")


async def test_startpage_pages_share_one_token(play: Play) -> None:
    proxy = play(pages.startpage(25))
    engine = await pick(engines(proxy), "google")
    page, urls = None, []
    for _ in range(3):
        page = await engine.search(ANY, page)
        urls += [hit.url for hit in page.hits]
    assert page is not None
    assert page.following == {"page": "4"}
    assert urls == [pages.link(n) for n in range(1, 26)]
    assert [(r.method, r.form.get("page")) for r in proxy.requests] == [
        ("GET", None),
        ("POST", None),
        ("POST", "2"),
        ("POST", "3"),
    ]


async def test_a_page_with_few_results_is_taken_for_the_last(play: Play) -> None:
    proxy = play(pages.startpage(14))
    assert len((await found(engines(proxy), "google", limit=20)).hits) == 14
    assert len(proxy.requests) == 3


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        (Query(words="a b"), {"query": "a b", "cat": "web", "qadf": "moderate"}),
        (Query(words="any", region="at-de"), {"qsr": "de_AT"}),
        (Query(words="any", time_range="day"), {"with_date": "d"}),
        (Query(words="any", time_range="year"), {"with_date": "y"}),
        (Query(words="any", safe="strict"), {"qadf": "heavy"}),
        (Query(words="any", safe="off"), {"qadf": "none"}),
        (Query(words="any", site="example.com/a"), {"query": "any site:example.com/a"}),
    ],
)
async def test_options_arrive_at_startpage(
    play: Play, query: Query, fields: dict[str, str]
) -> None:
    proxy = play(pages.startpage(3))
    await (await pick(engines(proxy), "google")).search(query)
    assert fields.items() <= proxy.requests[1].form.items()


async def test_startpage_is_asked_for_the_whole_world(play: Play) -> None:
    proxy = play(pages.startpage(3))
    await (await pick(engines(proxy), "google")).search(Query(words="any"))
    assert not {"qsr", "with_date"} & proxy.requests[1].form.keys()


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (SiteReply(status=307, headers={"Location": "/sp/captcha-block#?bc=US"}), "blocked"),
        (SiteReply(body="<html><title>Startpage Blocked</title></html>"), "blocked"),
        (SiteReply(status=403), "blocked"),
        (SiteReply(status=429), "rate_limited"),
        (SiteReply(status=503), "upstream"),
        (SiteReply(body="<html><body>Welcome</body></html>"), "unreadable"),
        (SiteReply(body=""), "unreadable"),
        (SiteReply(drop=True), "unreachable"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_startpage_failures_are_told_apart(
    play: Play, reply: SiteReply, code: str, method: str
) -> None:
    well = pages.startpage(10)
    engine = await startpage(play, lambda r: reply if r.method == method else well(r))
    with pytest.raises(ActionError, match="startpage") as caught:
        await engine.search(ANY)
    assert caught.value.code == code


async def test_a_refused_token_is_a_block(play: Play) -> None:
    well = pages.startpage(10)

    def site(request):
        if request.method == "GET":
            return SiteReply(body='<form><input name="sc" value="stale"/></form>')
        return well(request)

    with pytest.raises(ActionError, match="captcha") as caught:
        await (await startpage(play, site)).search(ANY)
    assert caught.value.code == "blocked"
