"""Elements out of sight until they come: beyond an edge, turned away, beside <body>."""

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


BOX = "width:300px;overflow:hidden;margin-left:400px"
SLIDES = "".join(f"<div class=s><button>Buy {n}</button></div>" for n in "123")
CAROUSELS = {
    "moved": (BOX, "transform:translate3d(0,0,0)", ""),
    "moved far from the edge": (f"{BOX};margin-left:0", "transform:translate3d(0,0,0)", ""),
    "moved in a wide strip": (BOX, "width:900px;overflow:hidden;translate:0 0", ""),
    "clipped": (BOX.replace("hidden", "clip"), "", ""),
    "moved one by one": (BOX, "", "transform:translate3d(0,0,0)"),
    "hidden across": (BOX.replace("overflow", "overflow-x"), "will-change:transform", ""),
}


NEXT = "for (const one of t.children) one.style.transform = 'translateX(-300px)'"


def carousel(box, strip, slide):
    return (
        f"<style>.b {{ {box} }} .t {{ display:flex; {strip} }} .s {{ flex:0 0 300px; {slide} }}"
        f"</style><div class=b><div class=t id=t>{SLIDES}</div></div>"
        f'<button id=n onclick="{NEXT}">Next</button>'
    )


@pytest.mark.parametrize("name", CAROUSELS)
async def test_slides_beyond_the_edges_of_their_box(one_page, outline, name):
    lines = await outline(carousel(*CAROUSELS[name]))
    hidden = ['button "Buy 2" # invisible', 'button "Buy 3" # invisible']
    assert lines == ['button "Buy 1" #', *hidden, 'button "Next" #']
    answer = await one_page("click", selector="#n")
    assert lines_of(answer)[1:] == ['~ button "Buy 1" # invisible', '~ button "Buy 2" #']


WIDE = SLIDES.replace("<div", "<div style=flex:none;width:300px")
SEEN = {
    "scrolled by hand": f"<div style='{BOX.replace('hidden', 'auto')}'>"
    f"<div style='display:flex;translate:0 0'>{WIDE}</div></div>",
    "scrolled by a script": f"<div style='{BOX}'><div style='display:flex'>{WIDE}</div></div>",
    "placed beside": f"<div style='{BOX}'><div style='position:absolute;left:800px;translate:0 0'>"
    "<button>Buy 1</button><button>Buy 2</button><button>Buy 3</button></div></div>",
    "scrolled in a box": f"<div style='{BOX}'><div style='overflow:auto;translate:0 0'>"
    f"<div style='display:flex'>{WIDE}</div></div></div>",
}


@pytest.mark.parametrize("name", SEEN)
async def test_what_no_box_cuts_off_for_good_is_seen(outline, name):
    assert await outline(SEEN[name]) == [f'button "Buy {n}" #' for n in "123"]


FIELDS = "<label>Name <input value=a></label><input value=b><p>Text</p>"
DRAWN = {
    "a body without height": f"""<style>body {{ margin: 0; overflow: hidden; height: 0 }}
        main {{ position: absolute; top: 40px }}</style><main>{FIELDS}</main>""",
    "a box without height": f"<div style='position:absolute;top:0;height:0'>{FIELDS}</div>",
    "fixed in a box beyond an edge": f"""<div style="position:absolute;left:-500px;width:200px">
        <p>Away</p><div style="position:fixed;top:0;left:0">{FIELDS}</div></div>""",
}


@pytest.mark.parametrize("place", DRAWN)
async def test_what_is_drawn_is_not_told_as_unseen(outline, place):
    lines = await outline(DRAWN[place])
    assert [line for line in lines if "invisible" in line and "Away" not in line] == []
    assert len([line for line in lines if "textbox" in line]) == 2


@pytest.mark.parametrize("place", ["left:-500px", "top:-500px;height:0", "bottom:-500px"])
async def test_fields_beyond_an_edge_are_unseen(outline, place):
    lines = await outline(f"<div style='position:fixed;width:200px;{place}'>{FIELDS}</div>")
    assert [line for line in lines if "invisible" not in line] == []
