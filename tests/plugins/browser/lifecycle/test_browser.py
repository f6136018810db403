"""Launch, use and close a browser: one caller, nothing goes wrong."""

import asyncio
import json
import urllib.request

import pytest

from tests.plugins.browser.lifecycle.machine import browser_pid, gone, litter
from tests.site.server import Reply
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio


@pytest.fixture
def home(common_home):
    return common_home


@pytest.fixture
def web(newcomer):
    return newcomer


@pytest.fixture
def site(serve_site):
    return serve_site(
        {
            "/": "<title>Home</title><a href=/two target=_blank>two</a>",
            "/two": "<title>Two</title><script>console.error('bad thing')</script>",
            "/set": Reply(headers={"Set-Cookie": "sid=abc; Max-Age=9999"}, body="set"),
            "/file": Reply(
                headers={"Content-Disposition": 'attachment; filename="../../re port.txt"'},
                body="x" * 2000,
            ),
        }
    )


async def test_from_launch_to_close(web, browse, home, site):
    await browse("close")  # that of an earlier test
    launched = (await browse("launch")).data["profiles"]
    (entry,) = launched
    assert (entry["running"], entry["page_count"]) == (True, 0)
    with pytest.raises(Exception, match="strap"):  # the debugging port is no target
        web.router.guard.check_url(f"{entry['cdp_url']}/json")
    assert "Chrome/" in (await asyncio.to_thread(_version, entry["cdp_url"]))["Browser"]
    assert (await browse("list_pages")).text == "No pages. Open one with navigate."
    page, title = (await browse("visit", url=site)).text.split("\n")
    assert title == "Home"
    assert (await browse("list_pages")).text == f"{page} (current) {site}/ Home"
    assert (await browse("launch")).data["profiles"] == [entry | {"page_count": 1}]
    pid = browser_pid(home)
    closed = await browse("close")
    assert closed.text == "Closed 1 page and stopped the browser of profile 'nebo'."
    await gone(home, pid)
    assert litter(home) == []
    assert (await browse("status")).data["profiles"][0]["running"] is False
    web.router.guard.check_url(f"{entry['cdp_url']}/json")


async def test_the_profile_keeps_its_logins(browse, site):
    await browse("launch")
    await browse("visit", url=f"{site}/set")
    await browse("close")
    await browse("launch")
    await browse("visit", url=site)
    assert (await browse("run", text="document.cookie")).text == "sid=abc"


async def test_logins_of_a_session_outlive_its_last_page(browse, site):
    await browse("launch")
    await browse("visit", url=site)
    await browse("run", text="document.cookie = 'short=1'")
    await browse("drop")
    assert (await browse("list_pages")).text == "No pages. Open one with navigate."
    await browse("visit", url=site)
    assert "short=1" in (await browse("run", text="document.cookie")).text
    assert (await browse("close")).text.startswith("Closed 1 page and stopped")


async def test_pages_have_ids_and_one_is_current(browse, fails, site):
    await browse("launch")
    first = (await browse("visit", url=site)).text.split()[0]
    second = (await browse("another")).text
    assert int(second[1:]) == int(first[1:]) + 1
    await browse("visit", url=f"{site}/two")
    assert (await browse("run", text="document.title", target_id=first)).text == "Home"
    assert (await browse("run", text="document.title")).text == "Home"
    lines = (await browse("list_pages")).text.splitlines()
    assert lines == [f"{first} (current) {site}/ Home", f"{second} {site}/two Two"]
    assert (await browse("drop", target_id=first)).text == first
    assert (await browse("run", text="document.title")).text == "Two"
    error = await fails("run", text="1", target_id=first)
    assert str(error) == f"No page '{first}' in profile 'nebo'. Your pages: {second} {site}/two."


async def test_a_pop_up_belongs_to_its_opener_and_is_reported(browse, site):
    await browse("launch")
    first = (await browse("visit", url=site)).text.split()[0]
    second = f"t{int(first[1:]) + 1}"
    clicked = await browse("run", text="document.querySelector('a').click()")
    news = clicked.data or (await _news(browse))
    assert news == [f"A new page opened: {second} {site}/two (address it with target_id)."]
    assert (await browse("run", text="document.title")).text == "Home"

    async def title():
        return (await browse("run", text="document.title", target_id=second)).text

    await becomes(title, "Two")  # it is told of before it is loaded
    await browse("run", text="void setTimeout(close, 50)")
    news = []

    async def told():
        news.extend((await browse("run", text="1", target_id=first)).data)
        return bool(news)

    await eventually(told)
    assert news == [f"Page {second} ({site}/two) closed itself."]


async def test_console_errors_are_counted(browse, site):
    await browse("launch")
    visited = await browse("visit", url=f"{site}/two")
    assert (visited.data or await _news(browse)) == ["1 console error: bad thing"]


async def test_an_alert_is_acknowledged_and_reported(browse, site):
    await browse("launch")
    await browse("visit", url=site)
    result = await browse("run", text="alert('hello'), 7")
    assert result.text == "7"
    assert result.data == ["An alert said 'hello' (acknowledged)."]


async def test_a_confirm_stays_open_until_it_is_answered(browse, site):
    await browse("launch")
    await browse("visit", url=site)
    result = await browse("run", text="window.yes = confirm('sure?')")
    assert result.text == "(a dialog is open)"
    assert result.data == ["A confirm dialog is open: 'sure?'. Answer it with `dialog`."]
    assert "(a dialog is open)" in (await browse("list_pages")).text
    assert (await browse("reply", text="")).text == "confirm"
    assert (await browse("run", text="window.yes")).text == "True"


@pytest.mark.whole_browser
async def test_leaving_a_page_closes_its_dialog(browse, site):
    await browse("launch")
    await browse("visit", url=site)
    assert (await browse("run", text="confirm('sure?')")).text == "(a dialog is open)"
    assert "\nTwo" in (await browse("visit", url=f"{site}/two")).text
    assert (await browse("run", text="document.title")).text == "Two"
    assert (await browse("reply", text="")).text == "none"


async def test_a_prompt_takes_text(browse, site):
    await browse("launch")
    await browse("visit", url=site)
    await browse("run", text="window.name = prompt('Name?', 'nobody')")
    await browse("reply", text="Ada")
    assert (await browse("run", text="window.name")).text == "Ada"


async def test_a_download_is_saved_under_a_safe_name(browse, home, site):
    await browse("launch")
    await browse("visit", url=site)
    for _ in range(2):
        ran = await browse("run", text=f"void (location.href = '{site}/file')")
        news = ran.data
        while not news or not news[-1].startswith("Downloaded"):
            news = await _news(browse)
    files = list((home / "outputs" / "downloads").iterdir())
    assert {path.name for path in files} == {"_.._re port.txt", "_.._re port (1).txt"}
    assert [path.stat().st_size for path in files] == [2000, 2000]
    assert "_.._re port (1).txt" in news[-1]
    await browse("close")
    assert litter(home) == []


def _version(cdp_url):
    with urllib.request.urlopen(f"{cdp_url}/json/version", timeout=5) as version:
        return json.load(version)


async def _news(browse, **target):
    """Wait for something to have happened on the page."""
    for _ in range(1000):
        if news := (await browse("news", **target)).data:
            return news
        await asyncio.sleep(0.02)
    raise AssertionError("nothing happened")
