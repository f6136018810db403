"""What nobody sees until it comes: beyond an edge, turned away, kept back, beside <body>."""

import pytest

from tests.plugins.browser.pages.conftest import lines_of
from tests.site.server import Reply

pytestmark = pytest.mark.anyio
COME = "d.style.cssText += ';inset:0;transform:none;translate:none'"
DRAWERS = {
    "right": "top:0;right:-300px;width:300px;height:300px",
    "bottom": "left:0;bottom:-300px;width:300px;height:300px",
    "left": "top:0;left:-300px;width:300px;height:300px",
    "moved": "top:0;right:0;width:300px;transform:translateX(100%)",
    "moved down": "bottom:0;right:0;width:300px;transform:translateY(110%)",
    "translated": "top:0;right:0;width:300px;translate:100% 0",
    "a window away": "top:0;left:100vw;width:300px",
}
CARD = """<style>.card { transform-style: preserve-3d; width: 9em; height: 9em; position: relative }
.card.turned { TURNED } .side { position: absolute; inset: 0; backface-visibility: hidden }
.back { TURN }</style>
<div class=card id=c><div class=side>Question</div>
<div class="side back">Answer <button>Know</button></div></div>
<p>Below</p><button id=turn onclick="c.classList.toggle('turned')">Turn</button>"""
TURNS = {
    "transform": ("transform: rotateY(180deg)", "transform: rotateY(180deg)"),
    "upwards": ("transform: rotateX(180deg)", "transform: rotateX(-180deg)"),
    "rotate": ("rotate: y 180deg", "rotate: y 180deg"),
    "vector": ("rotate: 0 1 0 180deg", "transform: rotateY(180deg)"),
}
DIALOG = """<button onclick="const d = document.createElement('dialog');
d.innerHTML = '<p>Session expires</p><button>Stay</button>';
document.documentElement.append(d); d.showModal()">Show</button>"""
CONSENT = """<p>In the body</p><script>const box = document.createElement('div');
box.innerHTML = '<p>Cookies?</p><button>Yes</button>'; box.style.cssText = 'position:fixed;top:0';
document.documentElement.append(box)</script>"""


@pytest.mark.parametrize("drawer", DRAWERS)
async def test_a_drawer_beyond_an_edge(one_page, outline, drawer):
    lines = await outline(
        f'<button id=m onclick="{COME}">Menu</button>'
        f"<div id=d style='position:fixed;{DRAWERS[drawer]}'><p>Bare</p><button>Dark</button></div>"
    )
    assert lines == ['button "Menu" #', "text invisible: Bare", 'button "Dark" # invisible']
    answer = await one_page("click", selector="#m")
    assert lines_of(answer) == ["Changed:", "~ text: Bare", '~ button "Dark" #']


async def test_what_is_scrolled_to_in_what_the_window_holds_is_seen(outline):
    lines = await outline(
        "<div style='position:fixed;right:0;top:0;width:200px;height:200px;overflow:auto'>"
        "<div style='height:3000px;width:3000px'></div><button>Last</button></div>"
        "<div style='height:4000px'></div><button>Below</button>"
    )
    assert lines == ['button "Last" #', 'button "Below" #']


@pytest.mark.parametrize("turn", TURNS)
async def test_the_back_of_a_card(one_page, outline, turn):
    card, back = TURNS[turn]
    lines = await outline(CARD.replace("TURNED", card).replace("TURN", back))
    assert "text invisible: Answer" in lines
    assert 'button "Know" # invisible' in lines
    assert "Answer" not in await one_page("text")
    assert "Answer" not in await one_page("text", value="plain")
    answer = await one_page("click", selector="#turn")
    assert "~ text invisible: Question\n~ text: Answer\n~ button" in answer
    assert "Question" not in await one_page("text", value="plain")
    assert "'Answer' is there." in await one_page("wait", text="Answer")


async def test_a_dialog_beside_the_body(one_page, outline):
    await outline(DIALOG)
    answer = await one_page("click", selector="button")
    assert "+ dialog\n+   text: Session expires\n+   button" in answer
    assert "Session expires" in await one_page("text")
    assert "'Session' is there." in await one_page("wait", text="Session")


async def test_a_box_beside_the_body(one_page, outline):
    assert await outline(CONSENT) == ["text: In the body", "text: Cookies?", 'button "Yes" #']
    assert "Cookies?" in await one_page("text", value="plain")


async def test_a_document_that_is_not_well_formed(one_page, serve_site):
    body = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Before</p><b>x</body></html>'
    reply = Reply(body=body, headers={"Content-Type": "application/xhtml+xml"})
    answer = await one_page("navigate", url=serve_site({"/": reply}))
    assert "This page contains the following errors" in answer
    assert "contains the following errors" in await one_page("text")


async def test_what_is_kept_back_is_not_read(one_page, outline):
    shown = await outline(
        "<p>Seen</p><div hidden=until-found>Secret <b>nested</b></div>"
        "<div style='content-visibility:hidden'>Never</div>"
    )
    assert shown == ["text: Seen"]
    assert (await one_page("text")).splitlines()[1:] == ["Seen"]


async def test_levels_of_flat_trees(outline):
    item = "<div role=treeitem tabindex=-1 aria-level={}>{}</div>"
    files = ((1, "src"), (2, "api"), (3, "index.js"), (2, "web"), (3, "index.js"))
    rows = "<tr role=row aria-level={}><td role=gridcell>{}</td></tr>"
    lines = await outline(
        f"<div role=tree>{''.join(item.format(*each) for each in files)}</div>"
        f"<table role=treegrid>{rows.format(1, 'Europe')}{rows.format(2, 'Paris')}</table>"
        "<ul role=tree><li role=treeitem tabindex=0 aria-level=1>A"
        "<ul role=group><li role=treeitem tabindex=0 aria-level=2>B</li></ul></li></ul>"
    )
    assert lines == [
        "tree",
        '  treeitem "src" #',
        '  treeitem "api" # level=2',
        '  treeitem "index.js" # level=3',
        '  treeitem "web" # level=2',
        '  treeitem "index.js" # level=3',
        "treegrid",
        "  row: Europe",
        "  row level=2: Paris",
        "tree",
        '  treeitem "A" #: [treeitem "B" #]',
    ]
