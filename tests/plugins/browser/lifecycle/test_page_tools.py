"""Tools that pages register by WebMCP."""

import pytest

from strap import PolicyDenied, testing
from tests.support.browser import SETTINGS
from tests.support.caller import Caller

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html><title>Shop</title><p id=p>Empty</p><script>
const add = (name, execute, more) => document.modelContext.registerTool({name, execute,
  description: `Does ${name}`, inputSchema: {type: "object", properties: {n: {type: "number"}}},
  ...more});
add("put", async ({ n }) => { p.textContent = `Basket of ${n}`; return `put ${n}`; });
add("count", async () => ({ count: 3 }), { annotations: { readOnlyHint: true } });
add("throws", async () => { throw new Error("No stock"); });
add("large", async () => "x".repeat(2e5));
add("silent", () => new Promise(() => {}));
</script><form toolname=search tooldescription="Searches the shop" toolautosubmit action=/found>
<input name=q toolparamdescription=Words></form>"""


@pytest.fixture
async def shop(tmp_path, serve_site):
    site = serve_site({"/": PAGE, "/found": "<title>Found</title><h1>Found</h1>"})
    plugins = {"browser": {**SETTINGS, "webmcp": True, "channel": "chromium"}}
    async with testing.router(home=tmp_path, network="local", plugins=plugins) as web:
        caller = Caller(web, site)
        await caller("launch")
        yield caller


async def test_tools_are_told_listed_and_called(shop, monkeypatch):
    assert "6 page tools: `tools` lists them." in await shop.open("/")
    assert "6 page tools: `tools` lists them." in await shop("snapshot")
    listed = await shop("tools")
    assert 'put: "Does put" {"type": "object"' in listed
    assert 'count (says that it only reads): "Does count"' in listed
    assert 'search: "Searches the shop"' in listed
    answer = await shop("tools", text="put", value='{"n": 2}')
    assert "The page's tool 'put' answered: \"put 2\"" in answer
    assert "Basket of 2" in answer
    assert '{"count": 3}' in await shop("tools", text="count")
    assert "The page's tool 'throws' failed" in await shop("tools", text="throws")
    assert "characters in all" in await shop("tools", text="large")
    monkeypatch.setattr("strap_browser.actions.page_tools.ANSWER_LIMIT", 0.5)
    assert (await shop.fails("tools", text="silent")).code == "timeout"
    assert "(valid: put, count" in str(await shop.fails("tools", text="buy"))
    assert "no JSON object" in str(await shop.fails("tools", text="put", value="[1]"))
    await shop.open("/found")
    assert "registers no tools" in await shop("tools")


async def test_the_policy_may_forbid_the_tools_of_a_host(tmp_path, serve_site):
    site = serve_site({"/": PAGE})
    plugins = {"browser": {**SETTINGS, "webmcp": True, "channel": "chromium"}}
    deny = [f"browser.tools@127.0.0.1:{site.port}"]
    options = {"home": tmp_path, "network": "local", "plugins": plugins, "deny": deny}
    async with testing.router(**options) as web:
        caller = Caller(web, site)
        await caller("launch")
        await caller.open("/")
        assert isinstance(await caller.fails("tools", text="put", value='{"n": 1}'), PolicyDenied)
        assert await caller.run("p.textContent") == "Empty"
