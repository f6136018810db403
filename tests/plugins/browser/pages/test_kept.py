"""Outlines that are kept: a second look pays for what changed, and tells what a whole one would."""

import json
import random

import pytest

from strap_browser.engine.frames import kept_outlines
from tests.support.kept import compare

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html><title>Kept</title><style>
.hand { cursor: pointer } .off { display: none } .clear { opacity: 0 }
.tail::after { content: " end" }
</style><h1>Kept</h1><label>Name <input id=name></label>
<label><input type=checkbox id=box>Box</label>
<select id=pick><option>One<option value=same>Two<option value=same>Three</select>
<div id=host></div><div id=scroller style="overflow:hidden;width:100px;height:20px">
<div style="display:flex;width:900px"><p style="width:400px;flex:none;translate:0">Slide one</p>
<p style="width:400px;flex:none;translate:0">Slide two</p></div></div>
<button id=open aria-describedby=tip>Open</button><p id=tip hidden>A tip</p>
<iframe srcdoc="<button>Inner</button>"></iframe>
<ul>""" + "".join(f"<li id=n{n}><a href=#{n}>Item {n}</a> <b>some {n}</b></li>" for n in range(100))
UNTRACED = {
    "a rule": "document.styleSheets[0].insertRule('#n3 { display: none }')",
    "a rule of the mouse": "document.styleSheets[0].cssRules[0].selectorText = '#n3 b'",
    "a rule of texts": "document.styleSheets[0].insertRule('#n3 a::after { content: attr(href) }')",
    "a sheet": "document.adoptedStyleSheets = [new CSSStyleSheet()];"
    "document.adoptedStyleSheets[0].replaceSync('#n3 { visibility: hidden }')",
    "a value": "document.querySelector('#name').value = 'Ada'",
    "a tick": "document.querySelector('#box').checked = true",
    "half a tick": "document.querySelector('#box').indeterminate = true",
    "an option of the same value": "document.querySelector('#pick').selectedIndex = 2",
    "a shadow root": "document.querySelector('#host').attachShadow({ mode: 'open' })"
    ".innerHTML = 'In'",
    "a scroll": "document.querySelector('#scroller').scrollLeft = 500",
    "the focus": "document.querySelector('#open').focus()",
    "an attribute": "document.querySelector('#n3 a').ariaLabel = 'Third'",
    "a text": "document.querySelector('#n3 a').firstChild.data = 'Third'",
}


@pytest.fixture
async def page(one_page, serve_site, monkeypatch):
    monkeypatch.setattr(kept_outlines, "KEPT_SIZE", 0)
    await one_page("navigate", url=serve_site({"/": PAGE}))
    await one_page("snapshot", max_tokens=30_000)
    return one_page


@pytest.fixture
def looks(monkeypatch):
    """Questions to the page in looks."""
    asked = []
    outline = kept_outlines.KeptOutlines.outline

    async def noted(self, ask, *args):
        def noting(frame, op, **arguments):
            asked.append(op)
            return ask(frame, op, **arguments)

        return await outline(self, noting, *args)

    monkeypatch.setattr(kept_outlines.KeptOutlines, "outline", noted)
    return asked


async def test_a_page_that_has_not_changed_is_not_looked_through_again(page, looks):
    first = await page("snapshot", max_tokens=30_000)
    looks.clear()
    assert await page("snapshot", max_tokens=30_000) == first
    assert set(looks) == {"unchanged"}


@pytest.mark.parametrize("name", UNTRACED)
async def test_what_changes_without_a_trace(page, name):
    before = await page("snapshot", max_tokens=30_000)
    await page("evaluate", text=f"{UNTRACED[name]}; 0")
    after = await page("snapshot", max_tokens=30_000)
    assert after != before


async def test_lines_with_a_text_are_those_of_a_whole_look(page, monkeypatch):
    texts = ("Item 77", "some 7", "1", "Kept", "nowhere", "tip open")
    kept = [await page("snapshot", text=text) for text in texts]
    monkeypatch.setattr(kept_outlines, "KEPT_SIZE", 10**9)
    assert kept == [await page("snapshot", text=text) for text in texts]


CHANGES = (
    "n.classList.toggle('hand')",
    "n.classList.toggle('off')",
    "n.classList.toggle('clear')",
    "n.classList.toggle('tail')",
    "n.append('!')",
    "n.remove()",
    "n.before(n.cloneNode(true))",
    "n.innerHTML = `<button>Made ${k}</button> text`",
    "n.style.position = 'absolute'; n.style.left = '-9999px'",
    "n.ariaHidden = 'true'",
    "n.attachShadow && !n.shadowRoot && n.localName === 'div' && n.attachShadow({ mode: 'open' })",
    "document.querySelectorAll('input')[k % 2].value = k",
    "document.querySelector('#box').checked = k % 2",
    "document.querySelector('#pick').selectedIndex = k % 3",
    "document.querySelector('#scroller').scrollLeft = k % 2 * 500",
    "document.styleSheets[0].insertRule(`#n${k} { cursor: pointer }`)",
    "document.querySelector('#host').shadowRoot?.append(`Text ${k}`)",
    "document.body.style.zoom = 1 + k % 2 / 10",
    "n.style.contentVisibility = 'hidden'",
    "0",
)


@pytest.mark.parametrize("seed", range(1))
async def test_kept_outlines_are_whole_ones(page, monkeypatch, seed):
    differences = compare(monkeypatch)
    chance = random.Random(seed)
    for k in range(30):
        change = chance.choice(CHANGES)
        pick = f"const all = document.body.querySelectorAll('*'); const k = {k};"
        pick += f"const n = all[{chance.randrange(10_000)} % all.length];"
        if not await page("evaluate", text=f"(() => {{ {pick} {change}; return 1 }})()"):
            continue
        for _ in range(2):
            await page("snapshot")
        if k % 5 == 0:
            await page("snapshot", text=chance.choice(("Item", "some 7", "Made")))
    assert json.dumps(differences) == "[]"
