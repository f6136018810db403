"""Requests of a run's pages: a person sees them before they are sent."""

from dataclasses import replace

import pytest

from strap import testing
from tests.site.server import Reply, Request, serve
from tests.support.model_server import act, done
from tests.support.person import Person

from .lab import click, laboratory

pytestmark = pytest.mark.anyio
SHOP = """<title>Shop</title><form method=post action=/order><input name=item value=spade>
<button>Buy</button></form>"""


@pytest.fixture(scope="module")
def shop():
    with serve({"/": SHOP, "/order": "<title>Ordered</title>Ordered"}) as served:
        yield served


@pytest.fixture(scope="module")
async def lab(tmp_path_factory, shop):
    home = tmp_path_factory.mktemp("home")
    async with laboratory(home, shop, confirm_requests=["127.0.0.1"]) as opened:
        yield opened


@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.parametrize("place", ["own", "profile"])
async def test_what_the_agent_sends(lab, shop, answer, place):
    shop.requests.clear()
    person = Person(answer)
    asking = replace(lab.web.caller, confirm=person)
    lab = replace(lab, web=testing.Web(lab.web.router, asking, lab.web.calls))
    fields = {}
    if place == "profile":
        await lab.web(resource="browser", action="launch")
        lab, fields = replace(lab, profile="nebo"), {"profile": "nebo"}
    run = await lab.run(click("Buy"), act("wait", seconds=1), done("42"), **fields)
    assert run["status"] == "success"
    [asked] = person.asked
    assert asked.url == f"{shop}/order"
    assert dict(asked.fields) == {"Method": "POST", "Sends": '"item": "spade"'}
    posted = [each.body for each in shop.requests if each.method == "POST"]
    assert posted == ([b"item=spade"] if answer else [])
    if place == "profile":
        await lab.web(resource="browser", action="close")


@pytest.mark.parametrize("place", ["own", "profile"])
async def test_the_settings_of_pages_hold_for_a_run(tmp_path, place):
    def members(request: Request) -> str | Reply:
        if "authorization" in request.headers:
            return f"<title>In</title><p>{request.headers['authorization']}<img src=/ads/a.gif>"
        return Reply(status=401, headers={"WWW-Authenticate": 'Basic realm="Shop"'}, body="Who?")

    with serve({"/in": members, "/ads/a.gif": "x"}) as site:
        secrets = {"shop": {"value": "pa:ss w0rd", "origins": [str(site)]}}
        rules = {"block": ["/ads/"], "basic_auth": ["ada:{{shop}}"]}
        async with laboratory(tmp_path, site, secrets=secrets, **rules) as opened:
            lab, fields = opened, {}
            if place == "profile":
                await lab.web(resource="browser", action="launch")
                lab, fields = replace(lab, profile="nebo"), {"profile": "nebo"}
            run = await lab.run(act("wait", seconds=1), done("42"), path="/in", **fields)
        assert run["status"] == "success"
        assert site.requests[-1].headers["authorization"] == "Basic YWRhOnBhOnNzIHcwcmQ="
        assert not [each for each in site.requests if each.path.startswith("/ads")]
