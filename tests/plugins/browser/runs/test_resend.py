"""Nothing sends a form again: not the agent, a person in the live view, or a page that crashed."""

import asyncio

import pytest

from strap import Guard
from strap_agent.monitor.request_guard import RequestGuard
from strap_agent.monitor.watcher import BrowserMonitor
from strap_browser.cdp.connection import CdpConnection
from tests.site.server import Reply, serve
from tests.support.model_server import act, done
from tests.support.waiting import becomes, eventually

from .lab import click, laboratory
from .test_held import Watched

pytestmark = pytest.mark.anyio
FORM = "<title>Shop</title><form action=/order method=post><button>Buy</button></form>"
BACK = act("go_back")


@pytest.fixture(params=[{}, {"Cache-Control": "no-store"}], ids=["cached", "no-store"])
async def shop(request, tmp_path):
    """A laboratory at a shop that counts its orders."""
    orders = []

    def order(asked):
        orders.append(asked.method)
        told = f"<title>Order {len(orders)}</title><a href=/rest>Rest</a>"
        return Reply(body=told, headers=request.param)

    routes = {"/": FORM, "/order": order, "/rest": "<title>Rest</title><p>Rest</p>"}
    with serve(routes) as site:
        async with laboratory(tmp_path, site) as lab:
            yield lab, orders


async def test_the_agent_goes_back_to_the_answer(shop):
    lab, orders = shop
    answer = await lab.run(
        click("Buy"), click("Rest"), BACK, act("wait", seconds=1), done("ok"), budget_s=120
    )
    assert answer["result"] == "ok"
    assert orders == ["POST"]


async def test_a_person_loads_a_page_of_a_run_again(shop):
    lab, orders = shop
    async with Watched(lab) as watched:
        call, person = await watched.begin(
            click("Buy"), act("wait", seconds=60), first=False, budget_s=120
        )
        await becomes(lambda: orders, ["POST"], within=60)
        await person.viewer.next(
            "place", lambda told: "Order 1" in [p["title"] for p in told["pages"]]
        )
        await person.order("take", "held")
        await person.do("go", to="reload")
        refused = await person.viewer.next("refused")
        said = "It is the answer to a POST, which is not sent again."
        assert refused["text"] == f"The page was not loaded again. {said}"
        await person.do("go", to="url", url=f"{lab.site}/rest")
        await becomes(lambda: person.now["pages"][0]["title"], "Rest")
        rests = len([each for each in lab.site.requests if each.path == "/rest"])
        await person.do("go", to="reload")
        await becomes(
            lambda: len([each for each in lab.site.requests if each.path == "/rest"]), rests + 1
        )
        await person.do("go", to="back")
        await person.viewer.next(
            "place",
            lambda told: any(page["url"].endswith("/order") for page in told["pages"]),
            within=20,
        )
        await asyncio.sleep(0.5)
        assert orders == ["POST"]
        watched.end()
        await call


@pytest.mark.parametrize("path", ["/order", "/"])
async def test_a_page_that_died_is_loaded_again_for_a_picture(shop, path):
    lab, orders = shop
    await lab.web(resource="browser", action="launch")
    await lab.web(resource="browser", action="navigate", url=f"{lab.site}/")
    if path == "/order":
        await lab.web(resource="browser", action="click", selector="button")
    profile = lab.web.router._lifespans["browser"]._ready.result()[0].profiles["nebo"]
    link = await profile.open()
    cdp = await CdpConnection.connect(link.endpoint.address, link.endpoint.headers)
    try:
        [page] = [each.target_id for each in link.pages(link.context) if each.url.endswith(path)]
        guard = Guard("local")
        requests = RequestGuard(guard.check, await guard.check(f"{lab.site}/"))
        monitor = BrowserMonitor(cdp, lambda _: None, requests, page, lent=True)
        await monitor.begin()
        loads = len(lab.site.requests)
        cdp.post("Page.crash", monitor._sessions[page])
        await eventually(lambda: monitor.has_crashed(page))
        await monitor.revive(page)
        assert orders == ["POST"] * (path == "/order")
        assert len(lab.site.requests) - loads == (path == "/")
    finally:
        await cdp.aclose()
