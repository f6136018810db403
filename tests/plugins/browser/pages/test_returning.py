"""Content that goes and comes back as a whole, as behind a dialog that hides the page."""

import re

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


FIELDS = "".join(f"<button>Item {number}</button><p>Text {number}</p>" for number in range(15))
PAGE = f"""<!doctype html><title>Shop</title>
<style>[hidden] {{ display: none }}</style>
<main>{FIELDS}<button id=ask onclick="turn(true)">Ask</button></main>
<div id=box hidden><button onclick="turn(false)">Shut</button>
<button onclick="document.querySelector('p').textContent = 'Else'; turn(false)">Change</button>
<button onclick="turn(false); document.querySelectorAll('button')[3].focus()">Go on</button></div>
<script>const turn = (open) => {{
  for (const part of document.querySelector('main').children) part.hidden = open;
  box.hidden = !open;
}};
if (location.search) turn(true)</script>"""


@pytest.fixture
async def asked(page, serve_site):
    await page("navigate", url=serve_site({"/": PAGE}))
    before = await page("snapshot")
    told = await page("click", selector="#ask")
    assert "- main" in told
    return before


def came(told):
    return [re.sub(r" e\d+", "", line) for line in told.splitlines() if line[0] in "+~"]


async def test_what_is_back_as_it_was_is_counted(page, asked):
    told = await page("click", selector="text=Shut")
    assert came(told) == [
        *("+ main", '+   button "Item 0"', "+   text: Text 0", '+   button "Item 1"'),
        *("+   text: Text 1", "+ … 27 more, as they were"),
    ]
    [ref] = re.findall(r'"Item 14" (e\d+)', asked)
    assert f'Clicked button "Item 14" {ref}' in await page("click", ref=ref)


async def test_what_is_not_as_it_was_is_told(page, asked):
    await page("snapshot")
    told = await page("click", selector="text=Change")
    assert came(told) == [
        *("+ main", '+   button "Item 0"', "+   text: Else", '+   button "Item 1"'),
        *("+   text: Text 1", "+ … 27 more, as they were", "~ text: Else"),
    ]


async def test_what_has_the_focus_now_is_told(page, asked):
    told = came(await page("click", selector="text=Go on"))
    assert told[-2:] == ["+ … 26 more, as they were", '~ button "Item 3" focused']


async def test_another_page_has_nothing_that_was_there_before(page, asked):
    await page("evaluate", text="location.search = 'open'")
    assert came(await page("click", selector="text=Shut"))[-2] == "+   text: Text 14"


ROWS = {
    "texts": "".join(f"<p>Service {n}<p>up" for n in range(12)),
    "a list": f"<ul>{''.join(f'<li>Item {n}' for n in range(30))}</ul>",
    "a table": f"<table>{''.join(f'<tr><td>{n}<td>up' for n in range(30))}</table>",
    "links": "".join(f"<a href=/{n}>Link {n}</a> " for n in range(30)),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
async def test_a_change_far_down_is_told_beside_what_is_as_it_was(page, serve_site, rows):
    """It stands after the number, so that nobody takes it for a part of what is told before."""
    change = "[...m.querySelectorAll('p, li, td, a')].at(-7).textContent = 'Changed'"
    html = f"""<button onclick="m.hidden = 1; d.show()">Open</button><div id=m>{rows}</div>
      <dialog id=d><button onclick="{change}; d.close(); m.hidden = 0">Shut</button></dialog>"""
    await page("navigate", url=serve_site({"/": html}))
    await page("snapshot")
    await page("click", selector="text=Open")
    told = came(await page("click", selector="text=Shut"))
    assert re.fullmatch(r"\+ … \d+ more, as they were", told[-2])
    assert re.fullmatch(r"~ .*Changed.*", told[-1])


async def test_what_was_never_shown_is_told(page, serve_site):
    rows = "".join(f"<button>Item {number}</button>" for number in range(60))
    html = f"""<div id=m><h1>{"Long " * 400}</h1><button onclick="m.hidden = 1">Hide</button>
      {rows}</div><button onclick="m.hidden = 0">Back</button>"""
    assert "snapshot" in await page("navigate", url=serve_site({"/": html}))
    await page("click", selector="text=Hide")
    assert "as they were" not in await page("click", selector="text=Back")


async def test_what_takes_no_mouse_for_a_time_is_the_same(page, serve_site):
    body = """<div role=log>One option</div><h2>Title</h2><ul><li>One<li>Two</ul>
    <button onclick="this.hidden = true; document.body.style.pointerEvents = 'none';
      menu.hidden = false">Open</button>
    <div role=menu id=menu hidden style="pointer-events: auto"><button>First</button></div>"""
    await page("navigate", url=str(serve_site({"/": f"<!doctype html>{body}"})))
    answer = await page("click", selector="button")
    assert "First" in answer
    for same in ("log", "Title", "One", "Two"):
        assert same not in answer


async def test_controls_behind_what_bars_the_page_are_counted(page, serve_site):
    fields = "".join(f"<button>Item {number}</button>" for number in range(15))
    body = f"""{fields}<input aria-label=Name><p>Text</p>
    <button id=open onclick="bar('none')">Open</button><div role=menu id=menu hidden
    style="pointer-events: auto"><button onclick="bar('')">First</button></div><script>
    const bar = (by) => {{ document.body.style.pointerEvents = by; menu.hidden = !by }}</script>"""
    await page("navigate", url=str(serve_site({"/": f"<!doctype html>{body}"})))
    await page("snapshot")
    answer = await page("click", selector="#open")
    assert "~ 17 controls take no mouse now" in answer
    assert "Item" not in answer
    answer = await page("click", selector="#menu button")
    assert answer.splitlines()[1:] == ["Changed:", "- menu", "~ 17 controls take the mouse again"]
    assert "Item 3" in await page("snapshot")


async def test_what_follows_from_that_is_not_told(page, serve_site):
    """Labels, tables and what is no control but takes the mouse: they are as they were, too."""
    fields = "".join(f"<label>Name {at} <input></label>" for at in range(6))
    fields += "".join(f"<button>Item {at}</button>" for at in range(9))
    rows = "".join(
        f"<tr tabindex=0><td><button>Take {at}</button><td tabindex=0>Row {at}" for at in range(6)
    )
    hand = "style='display:block; width:9px; height:9px; cursor:pointer'"
    body = f"""{fields}<table>{rows}</table><i class=gone {hand}></i><p id=text>Old</p>
    <div id=free tabindex=0>Free words</div>
    <button id=open onclick="bar('none')">Open</button><div role=menu id=menu hidden
    style="pointer-events: auto"><button onclick="bar('')">First</button></div><script>
    const bar = (by) => {{ document.body.style.pointerEvents = by; menu.hidden = !by;
      text.textContent = by ? 'Name 9' : 'Late' }}</script>"""
    await page("navigate", url=str(serve_site({"/": f"<!doctype html>{body}"})))
    await page("snapshot")
    told = (await page("click", selector="#open")).splitlines()[2:]
    first = ref_in(told[-2], "First")
    assert told == [
        "~ text: Name 9",
        "+ menu",
        f'+   button "First" {first}',
        "~ 24 controls take no mouse now",
    ]
    told = (await page("click", ref=first)).splitlines()[2:]
    assert told == ["~ text: Late", "- menu", "~ 24 controls take the mouse again"]
    told = (await page("click", selector="#open")).splitlines()[2:]
    assert told == ["~ text: Name 9", "+ menu", told[2], "~ 24 controls take no mouse now"]


async def test_what_goes_from_beside_what_is_left_on_one_line_is_told(page, serve_site):
    """As the list that a button in a button opened, of web components."""
    body = """<div role=button tabindex=0 aria-label=Box>
      <button onclick="menu.hidden = false">Open</button>
      <div role=menu id=menu hidden><button onclick="menu.hidden = true">First</button>
      <button>Second</button></div></div>"""
    await page("navigate", url=str(serve_site({"/": f"<!doctype html>{body}"})))
    await page("snapshot")
    opened = await page("click", selector="[role=button] > button")
    told = await page("click", ref=ref_in(opened, "First"))
    assert "- menu" in told.splitlines()
