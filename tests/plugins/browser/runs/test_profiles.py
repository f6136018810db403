"""A run in a profile's running browser: its logins, and nobody else's pages."""

import json

import pytest

from strap_browser.api import read_login
from tests.site.server import Reply, serve
from tests.support.caller import Caller
from tests.support.model_server import act, done
from tests.support.waiting import eventually

from .lab import click

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def members():
    def page(request):
        return f"<title>Club</title><h1>{request.headers.get('cookie', 'nobody')}</h1>"

    login = Reply(headers={"Set-Cookie": "member=ada"}, body="<title>In</title><h1>Hello</h1>")
    popup = '<title>Door</title><a href="/hall" target="_blank" rel="opener">Club</a>'
    with serve(
        {"/login": login, "/club": page, "/door": popup, "/hall": "<title>Hall</title>"}
    ) as served:
        yield served


@pytest.fixture
async def page(lab):
    """Call an action in the browser of the profile; it ends with the test, also if that fails."""

    call = Caller(lab.web, profile="nebo")
    await call("launch")
    yield call
    await call("close")


async def test_it_has_the_logins_and_leaves_the_pages_alone(lab, members, page):
    state = "JSON.stringify([location.href,innerWidth,innerHeight,document.hasFocus(),n=window.n])"
    await page("navigate", url=f"{members}/login")
    await page("evaluate", text="window.n = 42")
    before = await page("evaluate", text=state)
    pages = await page("list_pages")
    asked = len(lab.model.asked)

    result = await lab.raw(
        click("Club"),
        act("navigate", url=f"{members}/club", new_tab=True),
        done("ok"),
        url=f"{members}/door",
        profile="nebo",
    )
    answer = json.loads(result.text)
    assert (answer["status"], answer["result"]) == ("success", "ok"), answer
    seen = str([body["messages"] for body in lab.model.asked[asked:]])
    assert "member=ada" in seen
    assert "/hall" in seen
    assert "/login" not in seen
    assert answer["artifacts"]["screenshots"] >= 2
    assert await page("evaluate", text=state) == before
    assert await page("list_pages") == pages
    status = json.loads(await page("status"))
    assert status["profiles"][0]["page_count"] == 1
    link = lab.web.router._lifespans["browser"]._ready.result()[0].profiles["nebo"]._connection
    await eventually(lambda: len(link.pages(link.context)) == 1)


async def test_a_profile_that_is_not_running(lab):
    answer = await lab.run(done("ok"), profile="nebo", picture=False)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")
    assert "action: launch" in answer["summary"]


async def test_a_saved_login_is_used_and_not_written(lab, members):
    states = lab.home / "states"
    states.mkdir(mode=0o700, exist_ok=True)
    cookie = {
        "name": "member", "value": "grace", "domain": "127.0.0.1", "path": "/", "expires": -1,
        "httpOnly": False, "secure": False, "sameSite": "Lax",
    }  # fmt: skip
    saved = states / "grace.json"
    saved.write_text(json.dumps({"cookies": [cookie], "origins": []}))
    text, asked = saved.read_text(), len(lab.model.asked)
    answer = await lab.run(done("ok"), url=f"{members}/club", state_id="grace")
    assert answer["status"] == "success"
    assert "member=grace" in str([body["messages"] for body in lab.model.asked[asked:]])
    assert read_login(saved) == json.loads(text)
    assert set(states.iterdir()) == {saved, states / "key"}
    answer = await lab.run(done("ok"), url=f"{members}/club")
    assert "member=" not in str(lab.model.asked[-1]["messages"])
