"""Confinement of the agent: it opens pages of the web, and nothing else of the browser."""

import json

import pytest

from strap_browser.common.urls import unopened
from tests.site.server import Reply, serve
from tests.support.model_server import act, done

from .lab import click

pytestmark = pytest.mark.anyio
WAIT = act("wait", seconds=0)
STEAL = "fetch('/stolen?'+document.cookie)"
FORMS = [
    f"javascript:{STEAL}",
    f"JaVaScRiPt:{STEAL}",
    f" \n\tjava\nscr\tipt:{STEAL}",
    f"\x01\x00javascript:{STEAL}",
    "data:text/html,<h1>made up</h1>",
    "view-source:http://127.0.0.1/",
    "chrome://version",
    "chrome://crash",
    "about:version",
    "intent://x#Intent;scheme=http;end",
    "file:///etc/passwd",
]


OUTSIDE = {
    "javascript": f"javascript:{STEAL}",
    "file": "file:///etc/passwd",
    "chrome": "chrome://version",
    "data": "data:text/html,<h1>made up</h1>",
    "view-source": "view-source:http://127.0.0.1/",
    "mailto": "mailto:a@b.example",
}
"""Targets outside the web to which a server leads, by scheme."""


@pytest.mark.parametrize("url", FORMS)
def test_addresses_that_are_not_opened(url):
    scheme = "".join(url.split()).strip("\x00\x01").partition(":")[0].lower()
    assert unopened(url) == f"{scheme}: addresses are not opened, only http: and https:."


@pytest.mark.parametrize(
    "url", ["http://a/", " HTTPS://a/", "ht\ntp://a/", "about:blank", "About:Blank#x"]
)
def test_addresses_that_are_opened(url):
    assert unopened(url) == ""


@pytest.mark.parametrize("url", ["javascript%3Aalert(1)", "example.com", "localhost:3000/a", ""])
def test_what_is_no_whole_address(url):
    assert unopened(url) == "An address begins with http:// or https://."


@pytest.fixture
def lab(quick_lab):
    return quick_lab


@pytest.fixture(scope="module")
def guarded():
    blob = """<title>Blob</title><h1>Blob</h1>
    <button onclick="location = window.URL.createObjectURL(
    new Blob(['<title>made</title><h1>made up</h1>'], {type: 'text/html'}))">Leave</button>"""
    popup = blob.replace("location =", "window.open(").replace("'text/html'})", "'text/html'}))")
    links = """<title>Links</title><h1>Links</h1>
    <a href="javascript:void(document.querySelector('h1').textContent = 'Own script')">Own</a>
    <a href="chrome://version" target="_blank">Inner</a>"""
    home = "<title>Home</title><h1>Home</h1>"
    pages = {"/": home, "/blob": blob, "/popup": popup, "/links": links}
    led = {f"/to/{k}": Reply(status=302, headers={"Location": v}) for k, v in OUTSIDE.items()}
    with serve({**pages, **led}) as site:
        yield site


async def test_the_agent_opens_pages_of_the_web_only(lab, guarded):
    asked = len(lab.model.asked)
    steps = [act("navigate", url=url, new_tab=number % 2 == 1) for number, url in enumerate(FORMS)]
    # Failures in a row would end the run.
    script = [entry for step in steps for entry in (step, WAIT)]
    answer = await lab.run(*script, done("kept in"), url=f"{guarded}/", max_steps=40, budget_s=120)
    assert (answer["status"], answer["page"]["title"]) == ("success", "Home")
    assert not [r for r in guarded.requests if r.path == "/stolen"]
    told = str([body["messages"] for body in lab.model.asked[asked:]])
    assert "javascript: addresses are not opened" in told
    assert "site unavailable" not in told
    assert "made up" not in told.replace("<h1>made up</h1>", "")
    failed = await lab.events(answer, event_types=["agent"], has_error=True)
    assert len(failed) == len(FORMS)
    assert all("addresses are not opened" in event["summary"] for event in failed)
    assert "addresses are not opened" in answer["errors_top"][0]["summary"]


async def test_redirects_out_of_the_web_are_refused_by_name(lab, guarded):
    asked = len(lab.model.asked)
    steps = [act("navigate", url=f"{guarded}/to/{scheme}") for scheme in OUTSIDE]
    script = [entry for step in steps for entry in (step, WAIT)]
    answer = await lab.run(*script, done("kept in"), url=f"{guarded}/", max_steps=20, budget_s=120)
    told = str([body["messages"] for body in lab.model.asked[asked:]])
    events = await lab.events(answer, event_types=["network"], has_error=True)
    for scheme in OUTSIDE:
        why = f"{scheme}: addresses are not opened, only http: and https:."
        assert f"as it redirects: {why}" in told
        assert f"GET {guarded}/to/{scheme} redirect refused: {why}" in {
            e["summary"] for e in events
        }
    assert not [r for r in guarded.requests if r.path == "/stolen"]


@pytest.mark.parametrize("path", ["/blob", "/popup"])
async def test_a_page_that_leads_elsewhere_is_taken_back(lab, guarded, path):
    asked = len(lab.model.asked)
    answer = await lab.run(
        click("Leave"), act("wait", seconds=2), act("go_back"), WAIT, done("ok"),
        url=f"{guarded}{path}",
    )  # fmt: skip
    assert answer["status"] == "success"
    back = [e for e in await lab.events(answer, event_types=["agent"]) if e["step"] == 3]
    assert "blob: addresses are not opened" in back[0]["summary"]
    told = [str(body["messages"][-1]["content"]) for body in lab.model.asked[asked:]]
    assert any("blob: addresses are not opened" in text for text in told)
    assert "made up" not in told[-1]
    events = await lab.events(answer, event_types=["network"], has_error=True)
    assert sum("refused by strap: blob:" in event["summary"] for event in events) == 1
    shots = await lab.web(
        resource="browser", action="get_screenshots", session_id=answer["session_id"]
    )
    assert {shot["url"] for shot in json.loads(shots.text)["screenshots"]} == {
        f"{guarded}{path}",
        "about:blank",
    }


async def test_links_are_those_of_the_page(lab, guarded):
    asked = len(lab.model.asked)
    answer = await lab.run(click("Own"), click("Inner"), WAIT, done("ok"), url=f"{guarded}/links")
    told = str([body["messages"] for body in lab.model.asked[asked:]])
    assert "Own script" in told
    assert "Chromium" not in told
    assert answer["status"] == "success"
