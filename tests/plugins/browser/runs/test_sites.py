"""Runs with a login stay on the sites of their url and task."""

import asyncio
import json
import re
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from strap import PolicyDenied
from strap.network.sites import site_of
from strap_agent.sites import Sites
from strap_browser.cdp.connection import CdpConnection
from tests.site.server import Reply, serve
from tests.support.model_server import act, after_a_wait, done
from tests.support.waiting import becomes

from .lab import begin, click, laboratory, running

pytestmark = pytest.mark.anyio
SITES = [
    ("https://a.shop.co.uk/x", ("https", "shop.co.uk")),
    ("http://shop.co.uk:8080/", ("http", "shop.co.uk")),
    ("https://ada.github.io/", ("https", "ada.github.io")),
    ("https://a.b.shop.example/", ("https", "shop.example")),
    ("https://BÜCHER.example./", ("https", "xn--bcher-kva.example")),
    ("http://127.0.0.1:3000/", ("http", "127.0.0.1:3000")),
    ("http://10.0.0.5/", ("http", "10.0.0.5:80")),
    ("https://[::1]:3000/", ("https", "[::1]:3000")),
    ("http://localhost:3000/", ("http", "localhost:3000")),
    ("http://app.localhost/", ("http", "app.localhost:80")),
    ("about:blank", None),
]
TASKS = [
    ("Compare with carrier.example", "https://track.carrier.example/", True),
    ("Compare with https://carrier.example:8443/a, then stop.", "https://carrier.example/", True),
    ("Open carrier.example.", "http://carrier.example/", False),
    ("Open http://carrier.example!", "https://carrier.example/", True),
    ("Write to ada@carrier.example", "https://carrier.example/", False),
    ("Look at localhost:3000", "http://localhost:3000/", True),
    ("Look at localhost:3000", "http://localhost:3001/", False),
    ("See http://[::1]:81/x", "http://[::1]:81/", True),
    ("", "https://www.shop.example/", True),
    ("", "http://shop.example/", False),
    ("", "https://shop.example.evil.example/", False),
]


@pytest.mark.parametrize(("url", "site"), SITES)
def test_the_site_of_an_address(url, site):
    assert site_of(url) == site


@pytest.mark.parametrize(("task", "url", "named"), TASKS)
def test_which_sites_a_task_names(task, url, named):
    sites = Sites("https://shop.example/", task, ())
    if named:
        sites.check(url)
        assert sites.warnings() == []
    else:
        with pytest.raises(PolicyDenied, match="is another"):
            sites.check(url)
        assert len(sites.warnings()) == 1
        wide = Sites("https://shop.example/", task, ("*",))
        wide.check(url)
        assert wide.warnings() == [f"The run visited another site: {site_of(url)[1]}."]


@pytest.fixture
def places():
    """A shop at 127.0.0.1, and another site at localhost to which all its ways lead."""
    routes = {"/": "<title>Other</title><h1>Other</h1>"}
    with serve(routes) as far:
        other = str(far).replace("127.0.0.1", "localhost")
        page = f"""<title>Shop</title><a href="{other}/?link">Away</a>
        <a href="{other}/?tab" target=_blank>Tab</a><a href="/moved">Moved</a>
        <form action="{other}/"><button>Send</button></form>
        <form action="{other}/" method=post target=f><button>Post</button></form>
        <iframe name=f></iframe><button onclick="open('{other}/?window')">Window</button>"""
        moved = Reply(status=302, headers={"Location": f"{other}/?moved"})
        with serve({"/": page, "/moved": moved}) as shop:
            yield shop, far, other


@pytest.mark.parametrize("login", ["state_id", "profile"])
async def test_no_way_leads_to_another_site(tmp_path, places, login):
    shop, far, other = places
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "ada.json").write_text(json.dumps({"cookies": [], "origins": []}))
    ways = [act("navigate", url=f"{other}/?{n}", new_tab=n) for n in (False, True)]
    for text in ("Away", "Moved", "Send", "Post", "Tab", "Window"):
        back = act("navigate", url=f"{shop}/", new_tab=False)
        ways += [back, after_a_wait(click(text))]
    async with laboratory(tmp_path, shop) as opened:
        lab = opened
        if login == "profile":
            await opened.web(resource="browser", action="launch")
            lab = replace(opened, profile="nebo")
        given = {"state_id": "ada"} if login == "state_id" else {}
        limits = {"budget_s": 300, "max_steps": 60}
        answer = await lab.run(*ways, done("42"), **given, **limits)
        assert not far.requests
        kept = f"The run was kept from localhost:{far.port}: it may have a login"
        assert [each for each in answer["warnings"] if each.startswith(kept)]
        wide = {"urls": [f"localhost:{far.port}"]}
        answer = await lab.run(ways[0], done("42"), **given, **limits, **wide)
        assert far.requests
        assert f"The run visited another site: localhost:{far.port}." in answer["warnings"]
        far.requests.clear()
        answer = await lab.run(
            ways[0], done("42"), task=f"copy it to localhost:{far.port}", **given, **limits
        )
        assert far.requests
        assert not [each for each in answer["warnings"] if "site" in each]


WINDOWS = """<title>Shop</title><style>a, button, iframe { display: block; height: 20px }</style>
<a id=tab href="FAR/?way=tab" target=_blank>Tab</a>
<a id=opener href="FAR/?way=opener" target=_blank rel=opener>Opener</a>
<a id=named href="FAR/?way=named" target=other>Named</a>
<button id=open onclick="window.open('FAR/?way=open')">Open</button>
<button id=lone onclick="window.open('FAR/?way=lone', '', 'noopener')">Lone</button>
<button id=later onclick="window.open().location = 'FAR/?way=later'">Later</button>
<button id=moved onclick="window.open('/moved')">Moved</button>
<button id=popup onclick="window.open('/popup')">Popup</button>
<form action="FAR/" target=_blank><button id=get name=way value=get>Get</button></form>
<form action="FAR/?way=post" target=_blank method=post><button id=post>Post</button></form>
<iframe id=frame srcdoc="<a href='FAR/?way=frame' target=_blank>Framed</a>"></iframe>
<iframe id=remote src="ELSEWHERE/inner"></iframe>
<a id=ctrl href="FAR/?way=ctrl#part">Ctrl</a><a id=shift href="FAR/?way=shift">Shift</a>
<a id=middle href="FAR/?way=middle">Middle</a>
<form action="FAR/"><button id=send name=way value=send>Send</button></form>"""
WAYS = re.findall(r"id=(\w+)", WINDOWS)
MODIFIERS = {"ctrl": 2, "send": 2, "shift": 8}
"""Bits of `modifiers` in `Input.dispatchMouseEvent`."""
PLACE = """(({x, y}) => [x + 12, y + 12])(document.getElementById('%s').getBoundingClientRect())"""


@asynccontextmanager
async def shop_of_windows(tmp_path):
    """A laboratory at a shop all whose ways open a window at another site, and that site."""
    with serve({"/": "<title>Other</title>"}) as far:
        other = str(far).replace("127.0.0.1", "localhost")
        moved = Reply(status=302, headers={"Location": f"{other}/?way=moved"})
        popup = f"<title>Popup</title><a id=inner href={other}/?way=popup target=_blank>x</a>"
        inner = f"<body style='margin:0'><a href={other}/?way=remote target=_blank>Inner</a>"
        routes = {"/moved": moved, "/inner": inner}
        routes["/popup"] = f"{popup}<script>inner.click()</script>"
        with serve(routes) as shop:
            elsewhere = str(shop).replace("127.0.0.1", "localhost")
            routes["/"] = WINDOWS.replace("FAR", other).replace("ELSEWHERE", elsewhere)
            async with laboratory(tmp_path, shop) as lab:
                yield lab, far, elsewhere


async def click_all(lease):
    """Click on everything with a mouse, over a connection of its own."""
    cdp = await CdpConnection.connect(lease.address, lease.headers)
    try:
        target = lease.target
        if target is None:
            pages = (await cdp.call("Target.getTargets"))["targetInfos"]
            [target] = [each["targetId"] for each in pages if each["title"] == "Shop"]
        page = await cdp.attach(target)
        for way in WAYS:
            await page.send("Page.bringToFront")  # each window comes before it
            told = await page.send("Runtime.evaluate", expression=PLACE % way, returnByValue=True)
            x, y = told["result"]["value"]
            button = "middle" if way == "middle" else "left"
            given = {"x": x, "y": y, "button": button, "clickCount": 1}
            for kind in ("mousePressed", "mouseReleased"):
                await page.send(
                    "Input.dispatchMouseEvent",
                    type=kind,
                    modifiers=MODIFIERS.get(way, 0),
                    **given,
                )
            await asyncio.sleep(0.2)  # the next click would be the gesture of this one's window
    finally:
        await cdp.aclose()


@pytest.mark.parametrize(
    ("login", "allowed"),
    [
        ("state_id", [[], ["*"]]),
        ("profile", [[]]),
        ("target_id", [[]]),
        # The same clicks again, to see them all arrive, takes as long as the rest of a case.
        pytest.param("profile", [["*"]], marks=pytest.mark.soak),
        pytest.param("target_id", [["*"]], marks=pytest.mark.soak),
    ],
)
async def test_no_window_begins_at_another_site(tmp_path, login, allowed):
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "ada.json").write_text(json.dumps({"cookies": [], "origins": []}))
    async with shop_of_windows(tmp_path) as (lab, far, elsewhere):
        fields = {"state_id": {"state_id": "ada"}, "profile": {"profile": "nebo"}}.get(login, {})
        if login != "state_id":
            await lab.web(resource="browser", action="launch")
        for free in allowed:
            if login == "target_id":
                opened = await lab.web(resource="browser", action="new_page", url=f"{lab.site}/")
                fields = {"target_id": re.search(r"t[0-9]+", opened.text)[0]}
            run = await begin(lab, act("wait", seconds=30), **fields, urls=[*free, elsewhere])
            await click_all(running(lab).lease)
            if free:
                await becomes(lambda: {*WAYS} - arrived(far), set())
            else:
                await asyncio.sleep(0.5)
                assert arrived(far) == set()
            session_id = running(lab).session_id
            await lab.web(resource="browser", action="cancel_run", session_id=session_id)
            warnings = (await run).data["warnings"]
            what = "was kept from" if not free else "visited another site:"
            assert any(f"The run {what} localhost:{far.port}" in each for each in warnings)


def arrived(far):
    """The ways by which requests came to the other site."""
    return {way for request in far.requests for way in request.query.get("way", ())}
