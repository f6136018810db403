"""Dragging: what is dropped, drawn or slid, and nothing after a cancellation."""

import asyncio
import json

import pytest

from tests.support.waiting import eventually

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def test_onto_another_element(page):
    opened = await page.open("drag.html")
    card = ref_in(opened, 'button "Card"')
    slot = ref_in(await page("snapshot", text="Slot"), 'group "Slot"')
    answer = await page("drag", ref=card, value=slot)
    assert answer.startswith(f'Dragged button "Card" {card} to group "Slot" {slot}.')
    assert "~ status: Dropped the card on slot" in answer


async def test_onto_an_element_far_down(page):
    await page.open("drag.html")
    answer = await page("drag", selector="#card", value="#far")
    assert "Dropped the card on far" in answer


@pytest.mark.parametrize(
    ("moved", "onto", "order"),
    [
        ("Two", "Five", "One Three Four Five Two"),
        ("Five", "Two", "One Five Two Three Four"),
        ("Three", "Four", "One Two Four Three Five"),
        ("Three", "Two", "One Three Two Four Five"),
    ],
)
async def test_in_a_list_that_is_sorted_by_hand(page, moved, onto, order):
    await page.open("sortable.html")
    await page("drag", selector=f"text={moved}", value=f"text={onto}")
    assert await page("evaluate", text="list.innerText.split(/\\s+/).join(' ')") == f'"{order}"'


HOLDS = """<div id=held style='width: 90px'>Held</div><p id=goal>Goal</p><p id=said></p>"""
BEGINS = """let timer, begun = false;
held.onmousedown = () => { timer = setTimeout(() => { begun = true; }, 250); };
onmousemove = () => { if (!begun) clearTimeout(timer); };
onmouseup = (event) => { if (begun) said.textContent = `Dropped on ${event.target.id}`; }; 0"""


async def test_what_has_to_be_held_before_it_is_dragged(page):
    await page.show(HOLDS)
    await page.run(BEGINS)
    assert "Dropped on goal" in await page("drag", selector="#held", value="#goal")


TWO = """<ul id=from><li draggable=true>One<li>Two<li>Three</ul><ul id=to><li>Four</ul>"""
LOOKS_AWAY = """const one = from.firstElementChild; let moved = -1000;
addEventListener("dragover", (event) => {
  const over = event.target.closest("li");
  if (!over || over === one || event.timeStamp < moved + 150) return;
  moved = event.timeStamp;
  over.after(one);
}); 0"""


async def test_onto_a_list_that_looks_away_while_items_give_way(page):
    await page.show(TWO)
    await page.run(LOOKS_AWAY)
    await page("drag", selector="#from [draggable]", value="#to li")
    assert await page.run("to.innerText.split(/\\s+/).join(' ')") == "Four One"


@pytest.mark.parametrize("onto", ["A", "B", "C", "D", "F", "G", "H", "I"])
async def test_in_a_grid_that_is_sorted_by_hand(page, onto):
    await page.open("sortable.html")
    before = "ABCDEFGHI".index(onto)
    await page("drag", selector="#grid li >> text=E", value=f"#grid li >> text={onto}")
    order = json.loads(await page("evaluate", text="grid.innerText.replace(/\\s+/g, '')"))
    assert order.index("E") == before


async def test_slider(page):
    await page.open("drag.html")
    answer = await page("drag", selector="#volume", x=8, y=8, value="100,0")
    assert "by 100, 0 px" in answer
    volume = int(await page("evaluate", text="+volume.value"))
    assert 45 < volume < 65


@pytest.mark.parametrize(
    ("style", "by", "more"),
    [
        ("width: 216px", "60,0", 30),
        ("width: 216px; direction: rtl", "-60,0", 30),
        ("writing-mode: vertical-lr; height: 216px", "0,60", 30),
        ("writing-mode: vertical-lr; direction: rtl; height: 216px", "0,-60", 30),
    ],
)
@pytest.mark.parametrize("value", [20, 0, 70])
async def test_a_slider_is_dragged_by_its_thumb(page, style, by, more, value):
    await page.show(f"<input type=range id=much value={value} style='{style}'>")
    await page("drag", selector="#much", value=by)
    assert abs(int(await page("evaluate", text="+much.value")) - value - more) <= 1


HIDDEN = {
    "clipped": "clip: rect(0 0 0 0); position: absolute; width: 100%; height: 100%",
    "cut": "clip-path: inset(50%); position: fixed; width: 20px; height: 20px; overflow: hidden",
    "small": "clip-path: inset(50%); position: absolute; width: 1px; height: 1px; margin: -1px",
    "untouchable": "pointer-events: none; opacity: 0; width: 100%",
}
HANDLE = """<div style='margin: 50px; width: 200px; position: relative'><span id=handle
style='position: absolute; left: 20px; width: 20px; height: 20px; background: teal'>
<input type=range aria-label=Much style='{style}'></span></div><p id=said></p>"""
SLIDES = """let from = null;
handle.onpointerdown = (event) => { from = event.clientX; };
onpointermove = (event) => { if (from) said.textContent = `By ${event.clientX - from}`; }; 0"""


@pytest.mark.parametrize("style", HIDDEN.values(), ids=HIDDEN)
async def test_slider_whose_field_is_in_its_handle_for_the_keyboard(page, style):
    await page.show(HANDLE.format(style=style))
    await page.run(SLIDES)
    ref = await page.ref('slider "Much"')
    assert "text: By 60" in await page("drag", ref=ref, value="60,0")
    assert "Pressed ArrowRight" in await page("press", ref=ref, key="ArrowRight")


@pytest.mark.parametrize("at", ["top: -6px; left: -6px", "transform: translate(-50%, -50%)"])
async def test_slider_whose_handle_is_drawn_by_a_style_sheet_alone(page, at):
    knob = "content: ''; position: absolute; width: 12px; height: 12px; background: teal"
    style = f"<style>#handle::before {{ {knob}; {at} }}</style>"
    field = HIDDEN["clipped"] + "' readonly tabindex='-1"
    tip = "<b role=tooltip style='position: absolute; top: -40px'>20</b></span>"
    handle = HANDLE.replace("width: 20px; height: 20px", "").replace("<span", "<span tabindex=0")
    handle = handle.replace("</span>", tip).format(style=field)
    await page.show(style + handle)
    await page.run(SLIDES)
    ref = await page.ref('slider "Much"')
    assert "text: By 60" in await page("drag", ref=ref, value="60,0")
    assert "Pressed ArrowRight" in await page("press", ref=ref, key="ArrowRight")
    error = await page.fails("fill", ref=ref, value="30")
    assert "is read-only" in str(error)
    assert error.hint == "Arrow keys move it: use `press`, or `drag`."


@pytest.mark.parametrize("width", ["1px", "200px", ""])
async def test_slider_whose_handle_is_beside_its_field(page, serve_site, width):
    small = "position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)"
    drawn = "position: relative; width: 16px; height: 30px; background: teal; display: block"
    both = f"""<input type=range aria-label=Width style='{small}'>
        <span onpointerdown='from = event.clientX' style='{drawn}'><i></i></span>"""
    around = f"<div style='width: {width}; position: relative'>{both}</div>"
    body = around if width else f"<a-b><template shadowrootmode=open>{both}</template></a-b>"
    script = """<script>let from = 0; onpointermove = (event) => {
        if (from) said.textContent = `By ${event.clientX - from}` }</script>"""
    html = f"<!doctype html><p>Text</p>{body}<p id=said></p>{script}"
    shown = await page("navigate", url=str(serve_site({"/": html})))
    answer = await page("drag", ref=ref_in(shown, 'slider "Width"'), value="60,0")
    assert "text: By 60" in answer


COVERS = "position: absolute; inset: 0"
BESIDE = """<div style='margin: 50px; width: 60px; height: 60px; position: relative'>
<input type=range aria-label=Much style='width: 60px; pointer-events: none'>
{}</div><p id=said></p>"""
OTHERS = [
    f"<button style='{COVERS}' onclick='said.textContent = `Muted`'>Mute</button>",
    f"<input type=range style='{COVERS}; width: 60px' onclick='said.textContent = `Most`'>",
]


@pytest.mark.parametrize("other", OTHERS)
async def test_a_small_box_with_another_control_is_no_handle(page, other):
    await page.show(BESIDE.format(other))
    await page.fails("click", ref=await page.ref('slider "Much"'))
    assert await page.run("said.textContent") == ""


async def test_path_on_a_drawing(page):
    await page.open("drag.html")
    answer = await page("drag", selector="#canvas", x=10, y=10, value="50,0 50,50")
    assert "Drew 10,10 to 60,60 over" in answer


async def test_from_a_place_on_the_page(page):
    await page.open("drag.html")
    box = await page("evaluate", text="const r = canvas.getBoundingClientRect(); [r.left, r.top]")
    left, top = map(float, box.strip("[]").split(","))
    answer = await page("drag", x=left + 10, y=top + 10, value="30,0")
    assert "Drew 10,10 to 40,10" in answer


async def test_what_is_dropped_on_nothing(page):
    await page.open("drag.html")
    answer = await page("drag", selector="#card", value="400,0")
    assert "Nothing has changed so far." in answer


async def test_cancelled_drag_lets_go_where_it_began(page):
    await page.open("drag.html")
    await page("evaluate", text="pointer.addEventListener('pointerdown', () => fetch('/held')); 0")
    path = " ".join(f"{400 + n % 2},{n % 300}" for n in range(200))
    dragging = asyncio.ensure_future(page.result("drag", selector="#pointer", value=path))
    await eventually(lambda: any(asked.path == "/held" for asked in page.site.requests))
    dragging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dragging
    assert "is there" in await page("wait", text="Let go at pointer", timeout=20)


async def test_bad_input(page):
    await page.open("drag.html")
    assert "'value' is missing" in str(await page.fails("drag", selector="#card"))
    assert "where to begin" in str(await page.fails("drag", value="#slot"))
    assert "not both" in str(await page.fails("drag", ref="e1", selector="#card", value="#slot"))
    assert (await page.fails("drag", selector="#card", value="#none")).code == "not_found"
    assert (await page.fails("drag", selector="#card", value="e999")).code == "unknown_ref"
    assert (await page.fails("drag", selector="#none", value="#slot")).code == "not_found"
    assert "needs value" in str(await page.fails("drag", selector="#card", value=""))


FLIES = """<p id=said>Held</p><div id=card tabindex=0 role=button style='width: 90px'>Card</div>
<p id=goal>Goal</p>"""
DROPS = """card.onmousedown = () => onmouseup = () => {
  said.textContent = 'Dropping';
  card.style.cssText += 'transition: transform .4s; transform: translateY(9px)';
  card.ontransitionend = () => { said.textContent = 'Dropped'; };
}; 0"""


async def test_what_is_dropped_is_waited_for_on_its_way(page):
    await page.show(FLIES)
    await page.run(DROPS)
    assert "~ text: Dropped" in await page("drag", selector="#card", value="#goal")
