"""Browsers that a grid lends: a real Chromium for each session of a hub of the test's own."""

import asyncio
import subprocess
import sys

import pytest

from strap import StartupError, testing
from strap_browser.drivers.leasing.leftovers import LeaseNotes, abandoned
from tests.support.grid import Hub
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio
TEXT = "<title>Home</title><p>Home</p>"


@pytest.fixture
async def hub(tmp_path):
    async with Hub(tmp_path / "grid").running() as hub:
        yield hub


@pytest.fixture
def site(serve_site):
    return serve_site({"/": TEXT, "/two": "<title>Two</title>"})


def grid(hub, **more):
    table = {"driver": "cdp", "provider": "selenium", "cdp_url": hub.url}
    return {"profiles": {"grid": table | more}, "auto_launch": True}


def calls(web, session):
    async def call(action, **fields):
        return await web(
            resource="browser", action=action, profile="grid", session=session, **fields
        )

    return call


async def fails(web, session, action, **fields):
    return await web.fails(
        resource="browser", action=action, profile="grid", session=session, **fields
    )


async def test_each_caller_has_a_browser_which_goes_back_when_it_closes(open_web, hub, site, home):
    async with open_web(**grid(hub)) as web:
        one, two = calls(web, "one"), calls(web, "two")
        (entry,) = (await one("status")).data["profiles"]
        assert (entry["driver"], entry["running"], entry["leases"]) == ("lease", False, 0)
        assert hub.asked == []
        for call in (one, two):
            assert "Home" in (await call("navigate", url=site)).text
        await one("evaluate", text="document.cookie = 'a=b'; 1")
        assert "a=b" not in (await two("evaluate", text="document.cookie")).text
        assert hub.made() == 2
        (entry,) = (await one("status")).data["profiles"]
        assert (entry["running"], entry["leases"], entry["page_count"]) == (True, 2, 1)
        assert entry["guard"] == "navigations only"
        assert entry["cdp_url"] == hub.url
        port = hub.sessions["s1"] and json_port(hub, "s1")
        refused = await fails(web, "two", "navigate", url=f"http://127.0.0.1:{port}/json")
        assert refused.code in ("own_port", "denied")
        closed = await one("close")
        assert closed.text == "Closed 1 page and stopped the browser of profile 'grid'."
        assert hub.ended() == ["s1"]
        assert "Home" in (await one("navigate", url=site)).text
        assert hub.made() == 3
        await web.router.end_session("local/local/two")
        assert "s2" in hub.ended()
    assert hub.sessions == {}
    assert list((home / "leases").iterdir()) == []


def json_port(hub, name):
    port = (hub.folder / name / "DevToolsActivePort").read_text().split()[0]
    return int(port)


async def test_one_browser_for_all_callers(open_web, hub, site):
    async with open_web(**grid(hub, share="profile")) as web:
        for session in ("one", "two"):
            assert "Home" in (await calls(web, session)("navigate", url=site)).text
        assert hub.made() == 1
    assert hub.sessions == {}


async def test_a_call_waits_for_a_browser_and_then_says_that_there_is_none(open_web, hub, site):
    async with open_web(**grid(hub, max_browsers=1, queue_s=0.5)) as web:
        one = calls(web, "one")
        await one("navigate", url=site)
        error = await fails(web, "two", "navigate", url=site)
        assert (error.code, error.retryable) == ("full", True)
        assert "1 browsers of profile 'grid' are lent" in str(error)
    async with open_web(**grid(hub, max_browsers=1)) as web:
        one = calls(web, "one")
        await one("navigate", url=site)
        waiting = asyncio.ensure_future(calls(web, "two")("navigate", url=site))
        await asyncio.sleep(0.1)
        await one("close")
        assert "Home" in (await waiting).text


async def test_a_grid_that_is_full_or_broken(open_web, hub, site):
    async with open_web(**grid(hub)) as web:
        hub.most = 0
        error = await fails(web, "one", "navigate", url=site)
        assert (error.code, error.retryable) == ("full", True)
        for answer, said in (
            ((500, {}), "answered 500"),
            ((401, {}), "answered 401"),
            ((200, b"<html>"), "gave no browser's address"),
            ((200, b"x" * 100_000), "gave no browser's address"),
            ((200, {"value": {"sessionId": "x", "capabilities": {}}}), "gave no browser's address"),
        ):
            hub.answers = {("POST", "/session"): answer}
            error = await fails(web, "one", "navigate", url=site)
            assert said in str(error), answer
            assert error.code == "lease"
        hub.answers, hub.most = {}, 9
        assert "Home" in (await calls(web, "one")("navigate", url=site)).text


@pytest.mark.parametrize(
    "address",
    ["ws://browsers.example:9/x?token=hidden", "http://127.0.0.1:9/x", "ws://10.0.0.1:80/hidden"],
)
async def test_an_address_of_somebody_else_is_not_connected_to(open_web, hub, site, address):
    told = {"value": {"sessionId": "s7", "capabilities": {"se:cdp": address}}}
    hub.answers = {("POST", "/session"): (200, told)}
    async with open_web(**grid(hub)) as web:
        error = await fails(web, "one", "navigate", url=site)
        assert error.code == "lease"
        assert "hidden" not in str(error)
        assert hub.ended() == ["s7"]


async def test_a_session_that_expired_costs_one_call(open_web, hub, site):
    async with open_web(**grid(hub)) as web:
        call = calls(web, "one")
        await call("navigate", url=site)
        await hub.expire("s1")
        error = await eventually_fails(web, "snapshot")
        assert error.code == "page_lost"
        assert "Home" in (await call("navigate", url=site)).text
        assert hub.made() == 2
    assert hub.sessions == {}


async def eventually_fails(web, action):
    for _ in range(100):
        try:
            await calls(web, "one")(action)
        except Exception as error:  # noqa: BLE001 - whatever it is
            return error
        await asyncio.sleep(0.05)
    raise AssertionError(web.transcript)


async def test_a_browser_that_nobody_uses_goes_back(open_web, hub, site):
    async with open_web(**grid(hub, idle_s=3)) as web:
        await calls(web, "one")("navigate", url=site)
        await becomes(lambda: hub.sessions, {})
        error = await fails(web, "one", "snapshot")
        assert error.code == "page_lost"
        assert "Home" in (await calls(web, "one")("navigate", url=site)).text


async def test_it_is_kept_alive(open_web, hub, site):
    recipe = {
        "create": {"path": "/session", "json": {"for": "{seconds}"}},
        "address": "/value/capabilities/se:cdp",
        "id": "/value/sessionId",
        "keep_alive": {"path": "/session/{id}/url", "every": 1},
        "release": {"method": "DELETE", "path": "/session/{id}"},
    }
    headers = {"Authorization": "Bearer let-me-in-now"}
    more = {"provider": "custom", "lease": recipe, "headers": headers}
    async with open_web(**grid(hub, **more)) as web:
        await calls(web, "one")("navigate", url=site)
        await eventually(lambda: ("GET", "/session/s1/url") in hub.asked)
        assert all(each["authorization"] == "bearer let-me-in-now" for each in hub.headers)


async def test_a_call_that_is_given_up_leaves_no_browser(open_web, hub, site):
    hub.slow = 1.0
    async with open_web(**grid(hub)) as web:
        error = await fails(web, "one", "navigate", url=site, timeout=0.3)
        assert error.code == "timeout"
        await web.router.end_session("local/local/one")
        await eventually(lambda: hub.made() == 1)
    await becomes(lambda: hub.sessions, {})


async def test_a_grid_that_hangs_keeps_nobody(open_web, hub, site):
    hub.hangs = True
    async with open_web(**grid(hub)) as web:
        error = await fails(web, "one", "navigate", url=site, timeout=0.5)
        assert error.code == "timeout"


async def test_what_a_killed_process_had_is_given_back_at_the_next_start(
    open_web, hub, site, home, tmp_path
):
    program = """
import asyncio, os, signal, sys, json
from pathlib import Path
from strap import testing
async def main(home, url, site):
    table = {"driver": "cdp", "provider": "selenium", "cdp_url": url}
    plugins = {"browser": {"auto_launch": True, "profiles": {"grid": table}}}
    async with testing.router(home=Path(home), network="local", plugins=plugins) as web:
        await web(resource="browser", action="navigate", profile="grid", url=site)
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main(*sys.argv[1:]))
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(home), hub.url, str(site)
    )
    assert await process.wait() == -9
    assert list(hub.sessions) == ["s1"]
    (left,) = (home / "leases").iterdir()
    with left.open("a") as file:
        file.write('{"torn')
    async with open_web(**grid(hub)) as web:
        await web(resource="browser", action="status")
        await becomes(lambda: (hub.sessions, hub.ended()), ({}, ["s1"]))
        await becomes(lambda: list((home / "leases").iterdir()), [])


def test_what_is_lent_is_still_noted_where_a_disk_is_full(tmp_path):
    """A process may be killed as it notes what is left, too."""
    program = """
import resource, sys
from pathlib import Path
from strap_browser.drivers.leasing.leftovers import abandoned
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
with abandoned(Path(sys.argv[1])) as left:
    left.discard(("grid", "s1"))
"""
    notes = LeaseNotes(tmp_path)
    for lease_id in ("s1", "s2", "s3"):
        notes.add("grid", lease_id)
    notes.close()
    (path,) = tmp_path.iterdir()
    ended = subprocess.run(
        [sys.executable, "-c", program, path], check=False, stderr=subprocess.PIPE, text=True
    )
    assert "File too large" in ended.stderr
    with abandoned(path) as left:
        assert left == {("grid", "s1"), ("grid", "s2"), ("grid", "s3")}
        left.discard(("grid", "s1"))
    with abandoned(path) as left:
        assert left == {("grid", "s2"), ("grid", "s3")}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"provider": "grid"}, "profiles.grid.provider"),
        ({"max_browsers": 3}, "'max_browsers' needs a provider"),
        ({"provider": "custom"}, "provider 'custom', and no other, has a table 'lease'"),
        ({"provider": "steel", "lease": {"create": {"path": "/x"}}}, "and no other"),
        ({"provider": "browserless"}, "has to begin with ws"),
        ({"provider": "custom", "lease": {"create": {"path": "x"}}}, "profiles.grid.lease.create"),
        ({"driver": "nebo", "provider": "steel"}, "does not go with driver 'nebo'"),
    ],
)
async def test_bad_settings_are_named(tmp_path, table, said):
    cdp_url = {} if table.get("driver") == "nebo" else {"cdp_url": "http://a:1"}
    profiles = {"grid": {"driver": "cdp"} | cdp_url | table}
    with pytest.raises(StartupError, match=said):
        async with testing.router(home=tmp_path, plugins={"browser": {"profiles": profiles}}):
            pass
