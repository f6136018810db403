"""A browser that another process runs is joined only where both obey the same network rules."""

import json

import pytest

from tests.plugins.browser.lifecycle.machine import browser_pid
from tests.plugins.browser.lifecycle.test_processes import strap_process

pytestmark = pytest.mark.anyio
PROXY = "http://operator:s3cret-word@127.0.0.1:9"
OTHERS = {
    "a wider mode": {"network": "all"},
    "a narrower mode": {"network": "public"},
    "other servers": {"allow_hosts": ["10.0.0.5:80"]},
    "a proxy": {"browser": {"proxy": PROXY}},
}
FEW = ("a wider mode", "a proxy")


@pytest.mark.parametrize(
    "launcher", [*FEW, *(pytest.param(o, marks=pytest.mark.soak) for o in OTHERS if o not in FEW)]
)
async def test_a_browser_with_other_rules_is_not_joined(home, browse, fails, serve_site, launcher):
    site = serve_site({"/": "<title>Private</title>"})
    async with strap_process(home, **OTHERS[launcher]) as other:
        await other("launch")
        pid = browser_pid(home)
        record = (home / "profiles/nebo/running.json").read_text()
        assert "s3cret" not in record
        assert "operator" not in record
        for call in ({"action": "launch"}, {"action": "visit", "url": str(site)}):
            error = await fails(**call)
            assert error.code == "profile_in_use"
            assert "network" in str(error)
            assert str(json.loads(record)["owner"]) in error.message
            assert "another profile" in error.hint
        (entry,) = (await browse("status", profile="nebo")).data["profiles"]
        assert entry["running"] is True
        assert "cannot be joined" in entry["note"]
        await browse("close")
        assert browser_pid(home) == pid, "it is not ours to end"
        await other("close")
        await browse("launch")
        assert (await browse("visit", url=site)).text == "t1\nPrivate"
        assert site.requests != []


async def test_the_same_rules_in_another_order_are_joined(home, serve_site):
    site = serve_site({"/": "<title>Home</title>"})
    hosts = ["10.0.0.5:80", "10.0.0.6:80"]
    async with (
        strap_process(home, allow_hosts=hosts) as one,
        strap_process(home, allow_hosts=hosts[::-1]) as two,
    ):
        assert await one("launch") == await two("launch")
        assert await two("visit", url=str(site)) == "t1\nHome"


@pytest.mark.parametrize(
    "damage",
    [{"terms": ""}, *(pytest.param({"terms": t}, marks=pytest.mark.soak) for t in (None, ":", 5))],
)
async def test_a_record_without_rules_is_not_joined(home, fails, damage):
    """As those of older versions are, and what somebody made up."""
    async with strap_process(home) as other:
        await other("launch")
        file = home / "profiles/nebo/running.json"
        record = json.loads(file.read_text())
        wrong = record | damage
        if damage["terms"] is None:
            del wrong["terms"], wrong["mode"]
        file.write_text(json.dumps(wrong))
        error = await fails("launch")
        assert error.code == "profile_in_use"
        file.write_text(json.dumps(record))
