"""Several callers of one router: isolated over HTTP, sharing the logins elsewhere."""

import asyncio

import pytest

from strap import ActionError
from tests.plugins.browser.lifecycle.machine import browser_pid, gone
from tests.site.server import Reply
from tests.support.caller import Caller

pytestmark = pytest.mark.anyio
NAMES = ("ann", "ben", "cy", "other")


@pytest.fixture
def home(common_home):
    return common_home


@pytest.fixture
async def web(newcomer):
    yield newcomer
    for name in NAMES:
        await newcomer.router.end_session(f"local/{name}")


@pytest.fixture
def site(serve_site):
    return serve_site(
        {
            "/": "<title>Home</title>",
            "/set": lambda request: Reply(
                headers={"Set-Cookie": f"who={request.query['who'][0]}"}, body="<title>Set</title>"
            ),
        }
    )


def caller(web, name, transport="http"):
    return Caller(web.as_caller(name, transport=transport)).result


async def test_callers_over_http_have_pages_and_cookies_of_their_own(web, site):
    callers = [caller(web, name) for name in NAMES[:3]]
    await callers[0]("launch")
    pages = []
    for who, call in zip("abc", callers, strict=True):
        visited = await call("visit", url=f"{site}/set?who={who}")
        pages.append(visited.text.split()[0])
    assert len(set(pages)) == 3
    cookies = await asyncio.gather(*(call("run", text="document.cookie") for call in callers))
    assert [result.text for result in cookies] == ["who=a", "who=b", "who=c"]
    for page, call in zip(pages, callers, strict=True):
        lines = (await call("list_pages")).text.splitlines()
        assert [line.split()[0] for line in lines] == [page]
        assert (await call("status")).data["profiles"][0]["page_count"] == 1
    with pytest.raises(Exception, match=f"No page '{pages[0]}' in profile 'nebo'"):
        await callers[1]("run", text="1", target_id=pages[0])
    sizes = await asyncio.gather(*(call("run", text="innerWidth") for call in callers))
    assert [result.text for result in sizes] == ["1280"] * 3


async def test_close_leaves_the_browser_to_other_callers(web, home, site):
    ann, ben = caller(web, "ann"), caller(web, "ben")
    await ann("launch")
    await ann("visit", url=site)
    await ben("visit", url=site)
    pid = browser_pid(home)
    assert (await ann("close")).text == (
        "Closed 1 page. The browser of profile 'nebo' keeps running: another caller uses it."
    )
    assert (await ben("run", text="document.title")).text == "Home"
    assert "stopped" in (await ben("close")).text
    await gone(home, pid)


async def test_the_pages_of_a_caller_go_with_its_session(web, site):
    ann, ben = caller(web, "ann"), caller(web, "ben")
    await ann("launch")
    await ann("visit", url=f"{site}/set?who=ann")
    await ben("visit", url=site)
    await web.router.end_session("local/ann")
    assert (await ann("status")).data["profiles"][0]["page_count"] == 0
    await ann("visit", url=site)
    assert (await ann("run", text="document.cookie")).text == ""
    assert (await ben("run", text="document.title")).text == "Home"


async def test_local_callers_share_logins_but_not_pages(web, browse, site):
    other = caller(web, "other", transport="stdio")
    await browse("launch")
    await browse("visit", url=f"{site}/set?who=me")
    page = (await other("visit", url=site)).text.split()[0]
    assert (await other("run", text="document.cookie")).text == "who=me"
    assert (await other("list_pages")).text == f"{page} (current) {site}/ Home"


async def test_calls_on_one_page_wait_for_each_other_and_others_do_not(browse, site):
    await browse("launch")
    first_page = (await browse("visit", url=site)).text.split()[0]
    second_page = (await browse("another")).text
    slow = "new Promise(done => setTimeout(done, 400)).then(() => window.order = 'slow')"
    first = asyncio.create_task(browse("run", text=slow, target_id=first_page))
    await asyncio.sleep(0.1)
    assert (await browse("run", text="'quick'", target_id=second_page)).text == "quick"
    assert not first.done()
    assert (await browse("run", text="window.order", target_id=first_page)).text == "slow"
    await first


async def test_concurrent_first_calls_open_one_page(browse, site):
    await browse("launch")
    await asyncio.gather(*(browse("visit", url=site) for _ in range(3)))
    assert (await browse("status")).data["profiles"][0]["page_count"] == 1


async def test_a_cancelled_launch_does_not_spoil_the_next(browse, site):
    await browse("close")
    call = asyncio.create_task(browse("launch"))
    await asyncio.sleep(0.1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await browse("launch")
    assert (await browse("visit", url=site)).text.endswith("\nHome")


async def test_concurrent_launches_start_one_browser(browse):
    await browse("close")
    statuses = await asyncio.gather(*(browse("launch") for _ in range(3)))
    assert len({result.text for result in statuses}) == 1


async def test_no_caller_closes_the_pages_of_another(web, site, monkeypatch):
    from strap_browser.pages import profile

    monkeypatch.setattr(profile, "MAX_ISOLATED", 2)
    ann, ben, cy = (caller(web, name) for name in ("ann", "ben", "cy"))
    await ann("launch")
    for call in (ann, ben):
        await call("visit", url=site)
    with pytest.raises(ActionError, match="2 callers") as refused:
        await cy("visit", url=site)
    assert (refused.value.code, refused.value.retryable) == ("busy", True)
    assert (await ann("status")).data["profiles"][0]["page_count"] == 1
    await ben("close_page")
    await cy("visit", url=site)  # who has no page takes no room
    monkeypatch.setattr(profile, "FORGOTTEN", 0.0)
    await ben("visit", url=site)
    assert (await ann("status")).data["profiles"][0]["page_count"] == 0
