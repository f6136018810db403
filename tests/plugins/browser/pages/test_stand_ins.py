"""Fields that something else on the page draws, or stands for."""

import re

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


def captioned(kind, more=""):
    """A box to tick under the label beside it, which a script ties to it."""
    unseen = "position:absolute;left:0;opacity:0;z-index:-1"
    ticks = "onclick='previousSibling.checked = !previousSibling.checked'"
    box = (
        f"<input type={kind} style='{unseen}'><label {ticks} style='display:block'>Mail me</label>"
    )
    return f"<div style='position:relative'>{box}{more}</div>"


@pytest.mark.parametrize("kind", ["checkbox", "radio"])
async def test_a_box_is_clicked_at_the_label_beside_it_that_scripts_tie_to_it(page, kind):
    await page.show(captioned(kind))
    answer = await page("click", ref=ref_in(await page("snapshot"), f'{kind} "Mail me"'))
    assert f'~ {kind} "Mail me"' in answer
    assert "checked" in answer


@pytest.mark.parametrize(
    "more", ["<label>Other</label>", "<button>Other</button>", "<input aria-label=Other>"]
)
async def test_a_label_beside_several_things_is_of_none(page, more):
    await page.show(captioned("checkbox", more))
    shown = await page("snapshot")
    assert 'checkbox "' not in shown
    assert (await page.fails("click", ref=ref_in(shown, "checkbox"))).code == "covered"


OPENS = "onclick='title = `Opened`' style='position:relative;width:200px;height:30px'"
SIZELESS = "style='position:relative;left:-300px;width:1px;transform:scale(.01);opacity:0'"


@pytest.mark.parametrize("beside", ["Choose", "<b>Ada <button>Remove</button></b>"])
async def test_a_drop_down_is_clicked_where_it_is_drawn(page, beside):
    hidden = "<input style='display:none'><select style='height:0;width:0;border:0'></select>"
    field = f"<div><input role=combobox aria-label=Pick readonly {SIZELESS}>{hidden}</div>"
    await page.show(f"<div {OPENS}><div>{beside}</div>{field}</div>")
    shown = await page("snapshot")
    assert "invisible" not in shown
    await page("click", ref=ref_in(shown, 'combobox "Pick"'))
    assert await page("evaluate", text="document.querySelector('[title]').title") == '"Opened"'
    assert "Pressed" in await page("press", ref=ref_in(shown, 'combobox "Pick"'), key="ArrowDown")


LEAVING = """<div {0} onclick="o.textContent = 'Open'" style="height:40px"><div>
<input {1} aria-label=Pick style="pointer-events:none;width:100%"></div></div><p id=o></p>"""
LEFT = {
    "nested": LEAVING.format("role=combobox aria-expanded=false", "role=combobox"),
    "plain": LEAVING.format("", "role=combobox readonly"),
}


@pytest.mark.parametrize("name", LEFT)
async def test_a_drop_down_that_leaves_the_mouse_to_its_box_is_clicked_there(page, name):
    await page.show(LEFT[name])
    ref = ref_in(await page("snapshot"), 'combobox "Pick"')
    assert (await page("click", ref=ref)).endswith("+ text: Open")


@pytest.mark.parametrize(
    "html",
    [
        f"<fieldset style='pointer-events:none'>{LEFT['plain']}</fieldset>",
        LEFT["plain"].replace("role=combobox", ""),
    ],
)
async def test_what_takes_no_mouse_is_not_clicked_elsewhere(page, html):
    await page.show(html)
    error = await page.fails("click", selector="[aria-label=Pick]")
    assert "takes no mouse" in str(error)


async def test_a_switch_without_a_size_has_a_ref_and_its_state(page):
    ticks = "onclick='const box = querySelector(`input`); box.checked = !box.checked'"
    unseen = "style='position:absolute;width:0;height:0;opacity:0;margin:0'"
    switch = f"<input type=checkbox role=switch aria-label=Wifi {unseen}><i>Off</i>"
    await page.show(f"<div {ticks} style='width:60px'>{switch}</div>")
    answer = await page("click", ref=ref_in(await page("snapshot"), 'switch "Wifi"'))
    assert '~ switch "Wifi"' in answer
    assert await page("evaluate", text="document.querySelector('input').checked") == "true"


@pytest.mark.parametrize("around", ["<input aria-label=Other>", "<p style='height:200px'>Words"])
async def test_a_field_without_a_size_is_hidden_where_the_box_may_be_of_something_else(
    page, around
):
    await page.show(f"<div><input role=combobox id=f {SIZELESS}>{around}</div>")
    assert (await page.fails("click", selector="#f")).code == "hidden"


HOST = """<script>customElements.define("x-field", class extends HTMLElement {
  static formAssociated = true;
  connectedCallback() {
    const more = this.hasAttribute("more") ? "<input aria-label=More>" : "";
    this.attachShadow({ mode: "open" }).innerHTML = this.dataset.field + more;
  }
})</script>"""


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("<input type=checkbox>", "checkbox"),
        ("<input>", "textbox"),
        ("<select></select>", "combobox"),
    ],
)
async def test_the_label_of_a_custom_element_is_that_of_its_only_field(
    page, serve_site, field, told
):
    host = f"<x-field id=f data-field='{field}'></x-field>"
    for labelled in (f"<label>News {host}</label>", f"<label for=f>News</label>{host}"):
        await page("navigate", url=serve_site({"/": HOST + labelled}))
        assert f'{told} "News" e' in await page("snapshot")
    several = host.replace("<x-field", "<x-field more")
    await page("navigate", url=serve_site({"/": f"{HOST}<label for=f>News</label>{several}"}))
    assert f"{told} e" in await page("snapshot")


async def test_the_clickable_part_that_both_are_in_is_named(page):
    over = "<b style='position:absolute;inset:0'>Ada</b>"
    field = f"<input role=combobox aria-label=Pick>{over}"
    await page.show(f"<div onclick='title = `Opened`' style='position:relative'>{field}</div>")
    shown = await page("snapshot")
    error = await page.fails("click", ref=ref_in(shown, 'combobox "Pick"'))
    assert f"ref={ref_in(shown, 'clickable')}." in error.hint


async def test_a_blank_placeholder_says_nothing(page):
    await page.show("<input aria-label=Name placeholder=' '>")
    assert (await page("snapshot")).splitlines()[1] == f'textbox "Name" {await page.ref("Name")}'


DRAWING = """<div style='position:relative'><canvas width=200 height=80></canvas>
  <div id=over style='position:absolute;{}' onclick='title = event.offsetX'></div></div>"""


async def test_a_drawing_is_clicked_where_what_lies_over_it_takes_the_mouse(page):
    """As the cells of spreadsheets, and the upper one of two canvases."""
    await page.show(DRAWING.format("left:0;top:0;width:200px;height:80px"))
    answer = await page("click", selector="canvas", x=30, y=10)
    assert "<div#over> lies over it, and took the click." in answer
    assert await page("evaluate", text="document.querySelector('#over').title") == '"30"'


@pytest.mark.parametrize("place", ["inset:0", "left:0;top:0;width:90px;height:80px"])
async def test_a_drawing_is_covered_by_what_is_of_another_size(page, place):
    await page.show(DRAWING.format(place))
    assert (await page.fails("click", selector="canvas", x=30, y=10)).code == "covered"


TRACK = "<i style='display:inline-block;width:44px;height:20px;cursor:pointer'></i>"
SMALL = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
OVER = "position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0"
LABELLED = [
    f"<label>{{}} {TRACK}</label>",
    f"<label>{{}} {TRACK} On</label>",
    f"<label>{TRACK}{{}}<b>On</b></label>",
    f"<label><span>{{}} {TRACK}</span> On</label>",
    f"<label><span style='cursor:pointer'>{{}}{TRACK}</span></label>",
    f"{{}}<label for=box>{TRACK}</label>",
]
DRAWN = [(body, style) for body in LABELLED for style in ("display:none", SMALL, OVER)] + [
    (f"{{}} {TRACK}", OVER)
]


@pytest.mark.parametrize(("body", "style"), DRAWN)
async def test_a_box_of_which_only_the_drawing_shows_the_hand_is_told_once(
    outline, one_page, body, style
):
    box = f"<input id=box type=checkbox aria-label=On style='{style}'>"
    around = "<div style='position:relative;display:inline-block'>{}</div>"
    assert await outline(around.format(body.format(box))) == ['checkbox "On" #']
    ref = ref_in(await one_page("snapshot"), 'checkbox "On"')
    assert "checked" in await one_page("click", ref=ref)


async def test_what_is_beside_a_box_that_is_seen_is_told(outline):
    seen = "<label><input type=checkbox>On</label>"
    lines = await outline(f"{seen} {TRACK}<label>{TRACK}<input></label>")
    assert [line.split()[0] for line in lines] == ["checkbox", "clickable", "clickable", "textbox"]


async def test_a_box_and_its_label_in_slots_are_told_once(outline, one_page):
    drawing = "<div style='width:18px;height:18px;cursor:pointer'></div>"
    caption = "<div style='cursor:pointer'><slot name=label></slot><i hidden>*</i></div>"
    inner = f"{drawing}<slot name=input></slot>{caption}"
    style = "<style>:host { position: relative; display: block }</style>"
    shadow = f"<template shadowrootmode=open>{style}{inner}</template>"
    box = "<input slot=input id=box type=checkbox style='position:absolute;opacity:0;top:0'>"
    label = "<label slot=label for=box style='cursor:pointer'>Agree</label>"
    assert await outline(f"<x-box>{shadow}{label}{box}</x-box>") == ['checkbox "Agree" #']
    ref = ref_in(await one_page("snapshot"), "Agree")
    assert "checked" in await one_page("click", ref=ref)


DRAWN_OVER = """<div onclick="event.target === box || box.click()"
style="position: relative; width: 51px; height: 32px">
<input id=box type=checkbox aria-label=On style="width: 51px; height: 32px; margin: 0; {}">
<div style="position: absolute; inset: 0; background: silver"><b style="position: absolute;
inset: -4px 12px -4px -9px">{}</b></div></div>"""


async def test_a_box_that_the_browser_does_not_draw_is_clicked_by_what_lies_over_it(one_page):
    await one_page.show(DRAWN_OVER.format("appearance: none", ""))
    ref = await one_page.ref('checkbox "On"')
    answer = await one_page("click", ref=ref)
    assert answer.splitlines()[1:] == ["Changed:", f'~ checkbox "On" {ref} checked']


@pytest.mark.parametrize(
    ("style", "over"), [("", ""), ("appearance: none", "Wait"), ("appearance: none", "<a href=#x>")]
)
async def test_what_may_be_something_else_over_a_box_is_no_drawing(one_page, style, over):
    await one_page.show(DRAWN_OVER.format(style, over))
    assert (await one_page.fails("click", selector="#box")).code == "covered"


TAKES = "<div{} style='position: absolute; inset: 0'>{}</div>"
ITEM = "<div style='position: relative; width: 90px'><span>Item</span>{}</div>"
SHAPE = """<svg><g><g style="pointer-events: none"><rect width=99 height=50 fill=none></rect>
<text x=20 y=30>Item</text></g><rect id=over width=99 height=50 fill-opacity=0></rect></g>
<g>{}</g></svg>"""


async def _item(page):
    """The ref of the text, or of what it is all of."""
    (ref,) = re.findall(r"\be\d+(?=: Item)|(?<=\"Item\" )e\d+", await page("snapshot", text="Item"))
    return ref


@pytest.mark.parametrize("body", [SHAPE, ITEM.format(TAKES.format(" id=over", "")) + "<p>{}</p>"])
@pytest.mark.parametrize("action", ["click", "drag"])
async def test_a_text_is_met_by_what_takes_the_mouse_for_it(one_page, body, action):
    await one_page.show(body.format("<text x=20 y=90>Other</text>"))
    script = "addEventListener('mousedown', ({ target }) => (document.title = target.id)); 0"
    await one_page("evaluate", text=script)
    where = {"value": "9,9"} if action == "drag" else {}
    answer = await one_page(action, ref=await _item(one_page), **where)
    assert await one_page("evaluate", text="document.title") == '"over"'
    assert action == "drag" or "#over> lies over it, and took the click." in answer


@pytest.mark.parametrize(
    "body",
    [
        ITEM.format(TAKES.format("", "Wait")),
        ITEM.format(TAKES.format(" role=button aria-label=Delete", "")),
        f"<div style='position: relative'><p>Item</p><p>More</p>{TAKES.format('', '')}</div>",
        "<div><p style='pointer-events: none'>Item</p></div>",
    ],
    ids=["says more", "is a control", "is for more", "takes no mouse"],
)
async def test_a_text_is_not_met_by_what_may_be_something_else(one_page, body):
    await one_page.show(body)
    error = await one_page.fails("click", ref=await _item(one_page))
    assert error.code in ("covered", "untouchable")


async def test_what_is_in_a_text_does_not_lie_over_it(one_page):
    await one_page.show("<div><div style='cursor: pointer'><b>Item</b></div></div>")
    assert "lies over" not in await one_page("click", selector="div > div")


async def test_a_box_without_a_name_is_told_once_with_the_label_that_draws_it(outline):
    style = "cursor: pointer; position: relative; display: inline-flex"
    box = "<input type=checkbox style='position: absolute; opacity: 0; width: 100%'>"
    drawing = f"<span><i style='{style}; width: 14px; height: 14px'><svg></svg></i></span>"
    cell = f"<label style='{style}'>{box}{drawing}</label>"
    assert await outline(f"<table><tr><td>{cell}<td>Ada</table>") == ["table row: checkbox # | Ada"]


def grouped(label, field):
    """A group of a form that ties its label to nothing, as many applications do."""
    return f"<div>{label}<div>{field}</div></div>"


UNTIED = "<label style='cursor:pointer'>Model</label>"
LOST = "<label style='cursor:pointer' for=gone>Model</label>"


@pytest.mark.parametrize("label", [UNTIED, LOST, "<label>Model</label>"])
async def test_a_field_has_the_name_of_the_only_label_of_its_group(page, label):
    await page.show(grouped(label, "<input value=Mill>") + grouped(label, "<select></select>"))
    shown = await page("snapshot")
    assert 'textbox "Model" e' in shown
    assert 'combobox "Model" e' in shown
    assert "clickable" not in shown
    assert "text: Model" not in shown


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("<input><input>", ""),
        ("<input aria-label=Kind>", "Kind"),
        ("<input placeholder=Kind>", "Kind"),
    ],
)
async def test_a_label_of_a_group_names_no_more_than_a_lone_nameless_field(page, field, name):
    await page.show(grouped(UNTIED, field))
    shown = await page("snapshot")
    assert 'textbox "Model"' not in shown
    assert "Model" in shown
    assert f'textbox "{name}"' in shown if name else 'textbox "' not in shown
