"""Forbidden effects, tried by each of the agent's actions: none is a way round."""

from contextlib import ExitStack
from dataclasses import replace

import pytest

from strap import testing
from strap_agent.person.agent_actions import ACTIONS
from tests.site.server import serve
from tests.support.model_server import act, after_a_wait, done, say
from tests.support.person import Person

from .lab import click, enter, laboratory
from .test_yes import on

pytestmark = pytest.mark.anyio
PAGE = """<!doctype html><title>All</title><body style="height: 4000px"><h1>All</h1>
<button>Pay 10</button> <label>Name <input name=who></label>
<label>Kind <select name=kind><option>a<option>b</select></label>
<div role=combobox aria-haspopup=listbox aria-expanded=false aria-controls=list tabindex=0
  aria-label=Fruit id=fruit>Fruit</div>
<div role=listbox id=list tabindex=0 aria-label=Sort><div role=option>up</div>
<div role=option>down</div></div>
<a href="/blank" target=_blank>Blank</a><p style="margin-top: 3000px">Far below</p>
<script>
const tell = (what) => navigator.sendBeacon('/did/' + what);
const told = {
  click: 'click', mouseover: 'hover', change: 'select', input: 'fill', keydown: 'press'
};
for (const [type, what] of Object.entries(told))
  addEventListener(type, (event) => {
    if (what === 'select' && event.target.tagName !== 'SELECT') return;
    if (what === 'fill' && event.target.tagName !== 'INPUT') return;
    tell(what);
    if (what === 'fill') tell('type');
  }, true);
addEventListener('scroll', () => tell('scroll'), true);
</script>"""
TRIES = {
    "click": [click("Pay 10")],
    "input": [enter("who", "Ada")],
    "select_dropdown": [
        on("select_dropdown", "name=kind", text="b"),
        on("select_dropdown", "aria-label=Sort", text="down"),
    ],
    "dropdown_options": [
        on("dropdown_options", "name=kind"),
        on("dropdown_options", "aria-label=Fruit"),
    ],
    "send_keys": [act("send_keys", keys="Tab"), act("send_keys", keys="Enter")],
    "find_text": [act("find_text", text="Far below")],
    "scroll": [act("scroll", down=True, pages=1.0)],
    "search_page": [act("search_page", pattern="Pay")],
    "find_elements": [act("find_elements", selector="button")],
    "extract": [act("extract", query="what")],
    "screenshot": [act("screenshot")],
    "switch": [act("switch", tab_id="0000")],
    "close": [act("close", tab_id="0000")],
    "wait": [act("wait", seconds=0)],
    "go_back": [act("go_back")],
    "navigate": [act("navigate", url="http://127.0.0.1:9/", new_tab=True)],
}
"""Each action of the agent, on what lets it do as much as it can."""
SEEN = ("click", "hover", "select", "fill", "type", "press", "scroll")
"""Effects that the page notices."""
WAYS = [(way, name) for way in ("deny", "confirm") for name in SEEN]


class No(Person):
    """Says no to all but how a run begins."""

    async def __call__(self, question):
        self.asked.append(question)
        return False


@pytest.fixture(scope="module")
def sites():
    """One for each way and name, and one where everything is allowed."""
    told = {f"/did/{name}": "" for name in SEEN}
    routes = {"/": PAGE, "/blank": "<title>Blank</title>", **told}
    with ExitStack() as stack:
        yield {way: stack.enter_context(serve(routes)) for way in [*WAYS, None]}


@pytest.fixture(scope="module")
async def strict(tmp_path_factory, sites):
    patterns = {"deny": [], "confirm": []}
    for way, name in WAYS:
        patterns[way].append(f"browser.{name}@127.0.0.1:{sites[way, name].port}")
    home = tmp_path_factory.mktemp("home")
    async with laboratory(home, sites[None], **patterns) as opened:
        opened.model.script = [say("what `extract` asks the model for")]
        await opened.web(resource="browser", action="launch", profile="nebo")
        yield replace(opened, profile="nebo")


async def everything(lab, site):
    """Let the agent try all, and return what the page noticed."""
    steps = [after_a_wait(entry) for entries in TRIES.values() for entry in entries]
    answer = await lab.run(*steps, done("42"), url=f"{site}/", max_steps=60, budget_s=200)
    assert answer["status"] == "success", answer["summary"]
    return {each.path.removeprefix("/did/") for each in site.requests if "/did/" in each.path}


def test_each_action_of_the_agent_is_tried():
    assert set(ACTIONS) - {"ask_person", "done", "look"} == set(TRIES)


async def test_all_of_it_happens_where_nothing_is_denied(strict, sites):
    assert await everything(strict, sites[None]) == set(SEEN)


@pytest.mark.parametrize(
    ("way", "name"),
    # A yes is asked for by the same table.
    [
        pytest.param(*each, marks=[pytest.mark.soak] * (each in WAYS[len(SEEN) + 2 :]))
        for each in WAYS
    ],
)
async def test_nothing_does_it_where_it_is_denied(strict, sites, way, name):
    asking = replace(strict.web.caller, transport="python", confirm=No())
    lab = replace(strict, web=testing.Web(strict.web.router, asking, strict.web.calls))
    assert name not in await everything(lab, sites[way, name])
