"""Runs with a login stay on the sites of their url and task."""

import json
from dataclasses import replace

import pytest

from strap import PolicyDenied
from strap_browser.agent.sites import Sites, site_of
from tests.site.server import Reply, serve
from tests.support.model_server import act, done

from .lab import click, laboratory

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
    # A window that a page of a running profile opens begins before the run can hold it.
    windows = ("Tab", "Window") if login == "state_id" else ()
    for text in ("Away", "Moved", "Send", "Post", *windows):
        back = act("navigate", url=f"{shop}/", new_tab=False)
        ways += [back, click(text), act("wait", seconds=0)]
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
