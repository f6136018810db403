"""`engine="google"`: the order of the ways, and Startpage through the real ddgs and primp."""

from pathlib import Path

import pytest

from strap import ActionError, testing
from strap_search.engines import Engine, Engines, Page
from strap_search.plugin import strap_diagnose
from strap_search.settings import SearchSettings
from tests.plugins.search import pages
from tests.plugins.search.conftest import Play, engines
from tests.site.tlsproxy import SiteReply

pytestmark = pytest.mark.anyio


async def startpage(play: Play, site) -> Engine:
    return await engines(play(site)).pick("google")


async def pick(**settings: object) -> Engine:
    return await Engines(SearchSettings.model_validate(settings)).pick("google")


async def test_a_key_goes_before_startpage() -> None:
    assert (await pick(serper_key="k", startpage=True)).name == "serper"
    assert (await pick()).name == "startpage"


async def test_every_way_says_whose_index_it_is() -> None:
    for settings in ({"serper_key": "k"}, {}):
        assert (await pick(**settings)).index == "google"
    assert "engine='google'" in (await pick()).remark


async def test_without_any_way_the_error_lists_them() -> None:
    with pytest.raises(ActionError) as caught:
        await pick(startpage=False)
    assert caught.value.code == "not_configured"
    assert "STRAP_SEARCH__SERPER_KEY" in caught.value.hint
    assert "STRAP_SEARCH__STARTPAGE=true" in caught.value.hint


@pytest.mark.parametrize(
    ("settings", "way"),
    [
        ({"serper_key": "secret"}, "Serper"),
        ({}, "Startpage, keyless"),
        ({"startpage": False}, "not set up"),
    ],
)
async def test_the_doctor_says_which_way_is_taken(
    tmp_path: Path, settings: dict[str, object], way: str
) -> None:
    async with testing.router(home=tmp_path, plugins={"search": settings}) as web:
        (diagnosis,) = strap_diagnose(web.router.config)
    assert diagnosis.detail == f"duckduckgo; google: {way}"


async def test_startpage_results_are_exact_in_order_and_without_advertisements(play: Play) -> None:
    engine = await startpage(play, pages.startpage(10))
    page = await engine.search("any")
    assert [hit.url for hit in page.hits] == [pages.link(n) for n in range(1, 11)]
    assert (page.hits[0].title, page.hits[0].snippet) == ("Title 1", "Snippet 1")


async def test_startpage_pages_share_one_token(play: Play) -> None:
    proxy = play(pages.startpage(25))
    engine = await engines(proxy).pick("google")
    page, found = None, []
    for _ in range(4):
        page = await engine.search("any", page)
        found += [hit.url for hit in page.hits]
    assert page == Page()
    assert found == [pages.link(n) for n in range(1, 26)]
    assert [(r.method, r.form.get("page")) for r in proxy.requests] == [
        ("GET", None),
        ("POST", None),
        ("POST", "2"),
        ("POST", "3"),
        ("POST", "4"),
    ]


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
        await engine.search("any")
    assert caught.value.code == code


async def test_a_refused_token_is_a_block(play: Play) -> None:
    well = pages.startpage(10)

    def site(request):
        if request.method == "GET":
            return SiteReply(body='<form><input name="sc" value="stale"/></form>')
        return well(request)

    with pytest.raises(ActionError, match="captcha") as caught:
        await (await startpage(play, site)).search("any")
    assert caught.value.code == "blocked"
