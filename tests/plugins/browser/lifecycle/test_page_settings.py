"""Settings for all pages: blocked requests, emulation, scripts and logins."""

import base64
import json

import pytest

from strap import StartupError, testing
from tests.site.server import Reply
from tests.support.browser import ANY_BROWSER
from tests.support.caller import Caller

pytestmark = pytest.mark.anyio
SHOP = """<title>Shop</title><script>document.write(window.early)</script>
<script src=/ads/a.js></script><script src=/app.js></script>"""
WORKER = """new Promise((r) => {
  const worker = new SharedWorker("/worker.js");
  worker.port.onmessage = (e) => r(e.data);
})"""
ASKING = "fetch('/ads/x').then(() => 'came', () => 'blocked')"


def logged_in(request):
    sent = request.headers.get("authorization", "")
    if sent == "Basic " + base64.b64encode(b"ada:pa:ss w0rd").decode():
        return "<title>In</title><h1>Welcome</h1>"
    return Reply(
        status=401, headers={"WWW-Authenticate": 'Basic realm="Shop"'}, body="<h1>Who are you?</h1>"
    )


@pytest.fixture
def site(serve_site):
    script = {"Content-Type": "text/javascript"}
    worker = f"onconnect = (e) => {ASKING}.then((x) => e.ports[0].postMessage(x))"
    return serve_site(
        {
            "/": SHOP,
            "/ads/a.js": Reply(headers=script, body="document.title = 'Ad'"),
            "/ads/x": "x",
            "/app.js": Reply(headers=script, body="document.body.append('App')"),
            "/worker.js": Reply(headers=script, body=worker),
            "/in": logged_in,
        }
    )


@pytest.fixture
def visit(tmp_path, site):
    """The answers to calls after each other in a browser with settings."""

    async def visited(*calls, secrets=None, **settings):
        tables = {"browser": {**ANY_BROWSER, **settings}}
        kit = testing.router(home=tmp_path, network="local", plugins=tables, secrets=secrets or {})
        async with kit as web:
            caller = Caller(web)
            await caller("launch")
            return [await caller(action, **fields) for action, fields in calls]

    return visited


def go(url):
    return "navigate", {"url": url}


def run(script):
    return "evaluate", {"text": script}


async def test_what_is_blocked_is_not_asked_for(visit, site):
    said = await visit(
        go(f"{site}/"),
        run("document.title"),
        run(ASKING),
        ("wait", {"text": "App"}),
        ("network", {}),
        block=["/ads/"],
    )
    assert "Shop" in said[1]
    assert "blocked" in said[2]
    assert "App" in said[0]
    assert "BLOCKED_BY_CLIENT" in said[-1]
    assert not [each for each in site.requests if each.path.startswith("/ads")]


async def test_a_worker_that_pages_share_is_blocked_too(visit, site):
    said = await visit(
        go(f"{site}/"),
        run(WORKER),
        block=["||127.0.0.1^*/ads/"],
    )
    assert "blocked" in said[1]
    assert "/worker.js" in [each.path for each in site.requests]


async def test_pages_are_emulated_from_the_first_document_on(visit, site):
    width = "[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, navigator.language]"
    said = await visit(
        go(f"{site}/"),
        run(width),
        ("new_page", {"url": f"{site}/"}),
        run(width),
        ("emulate", {}),
        ("emulate", {"value": "off"}),
        run(width),
        emulate="390x844, dark, locale=de-DE",
    )
    assert [json.loads(each.splitlines()[0]) for each in (said[1], said[3])] == [
        [390, True, "de-DE"]
    ] * 2
    assert "390 x 844" in said[4]
    assert json.loads(said[6].splitlines()[0])[1:] == [False, "en-US"]
    assert site.requests[0].headers["accept-language"].startswith("de-DE")


async def test_a_profile_has_its_own(visit, site):
    width = run("innerWidth")
    said = await visit(
        ("launch", {"profile": "phone"}),
        go(f"{site}/"),
        width,
        ("new_page", {"profile": "nebo", "url": f"{site}/"}),
        width,
        profiles={"phone": {"emulate": "iPhone 15"}},
    )
    assert said[2].splitlines()[0] != said[4].splitlines()[0]


async def test_scripts_run_before_those_of_a_page(visit, site, tmp_path):
    (tmp_path / "early.js").write_text("window.early = 'Early bird';")
    said = await visit(go(f"{site}/"), init_scripts=[str(tmp_path / "early.js")])
    assert "Early bird" in said[0]


async def test_a_server_that_asks_gets_the_password(visit, site):
    secrets = {"shop": {"value": "pa:ss w0rd", "origins": [str(site)]}}
    said = await visit(
        go(f"{site}/in"),
        ("network", {"ref": "r1"}),
        secrets=secrets,
        basic_auth=["ada:{{shop}}"],
    )
    assert "Welcome" in said[0]
    assert "w0rd" not in "".join(said)


async def test_another_site_does_not_use_it(visit, site):
    secrets = {"shop": {"value": "pa:ss w0rd", "origins": [str(site)]}}
    there = "http://localhost:" + site.rpartition(":")[2]
    ask = f"fetch('{site}/in', {{mode: 'no-cors'}}).then(() => 0)"
    await visit(go(f"{there}/"), run(ask), secrets=secrets, basic_auth=["ada:{{shop}}"])
    [asked] = [each for each in site.requests if each.path == "/in"]
    assert "authorization" not in asked.headers


async def test_another_server_gets_none(visit, site):
    secrets = {"shop": {"value": "pa:ss w0rd", "origins": ["https://shop.example"]}}
    said = await visit(go(f"{site}/in"), secrets=secrets, basic_auth=["ada:{{shop}}"])
    assert "401" in said[0]
    assert "authorization" not in site.requests[-1].headers


async def test_nobody_decides_on_what_is_held(visit, site):
    post = "fetch('/ads/x', {method: 'POST'}).then(() => 'sent', () => 'dropped')"
    said = await visit(
        go(f"{site}/"), ("mock", {"value": "hold"}), run(post), ("snapshot", {}), hold_seconds=0.3
    )
    assert "dropped" in said[2]
    assert "h1 was held for 0.3 s and is dropped: not sent." in said[2] + said[3]
    assert not [each for each in site.requests if each.method == "POST"]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"block": ["a.example##.ad"]}, "EasyList"),
        ({"emulate": "iFone 77"}, "emulate knows no device or word"),
        ({"init_scripts": ["/nowhere/x.js"]}, "init_scripts"),
        ({"basic_auth": ["ada:{{nobody}}"]}, "There is no secret 'nobody'"),
        ({"basic_auth": ["ada:plain"]}, "basic_auth"),
        ({"profiles": {"fox": {"driver": "firefox", "emulate": "dark"}}}, "does not go with"),
    ],
)
async def test_settings_that_are_wrong(tmp_path, settings, why):
    with pytest.raises(StartupError, match=why):
        async with testing.router(
            home=tmp_path, network="local", plugins={"browser": {**ANY_BROWSER, **settings}}
        ) as web:
            await Caller(web)("status")
