"""Invisible content is told as such, or not at all; visible content is not."""

import re

import pytest

from .conftest import lines_of

pytestmark = pytest.mark.anyio
UNSEEN = "position:absolute;opacity:0"


@pytest.mark.parametrize(
    "style",
    [
        "opacity:0",
        "font-size:0",
        "position:absolute;left:-9999px",
        "display:inline-block;height:0;overflow:hidden",
        "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)",
    ],
)
async def test_what_nobody_sees_is_told_as_such(outline, style):
    assert await outline(f"<p style='{style}'>Secret</p><p>Seen</p>") == [
        "text invisible: Secret",
        "text: Seen",
    ]
    assert await outline(f"<p>Seen <span style='{style}'>secret <b>words</b></span> seen</p>") == [
        "text: Seen (invisible) secret words seen"
    ]
    tick, link = await outline(
        f"<div style='{style}'><label><input type=checkbox>Tick</label><a href=#x>Go</a></div>"
    )
    hidden = not re.search("font-size|width:1px", style)  # by what is small alone none is
    assert tick == 'checkbox "Tick" #' + " invisible" * hidden
    assert link in ('link "Go" # invisible', 'link "Go" invisible')


@pytest.mark.parametrize("transform", ["scale(0)", "scaleY(0)", "rotateX(90deg)"])
async def test_what_a_transform_leaves_no_size_is_not_seen(outline, one_page, transform):
    shrunk = f"<div style='transform:{transform}'><p>Secret</p><a href=#x>Go</a></div>"
    lines = await outline(f"{shrunk}<p>Seen</p>")
    assert lines == ["text invisible: Secret", 'link "Go" invisible', "text: Seen"]
    assert (await one_page("text")).endswith("/\nSeen")


@pytest.mark.parametrize(
    "field",
    [
        "<input type=checkbox id=a {0}><label for=a>Tick</label>",
        "<label><span {0}><input type=checkbox></span>Tick</label>",
        "<label style='width:0;height:0'><input type=checkbox {0}>Tick</label>",
        "<input type=checkbox aria-label=Tick {0}><i>drawn</i>",
        "<label {0}>Tick<input type=file></label>",
        "<label {0}>Tick<input type=checkbox></label><i>drawn</i>",
        "<p style='width:1px;height:1px;overflow:hidden'>t<input type=range aria-label=Tick></p>",
        "<div class=helpers><textarea aria-label=Tick {0}></textarea></div><p>terminal</p>",
    ],
)
async def test_a_field_that_is_drawn_by_what_is_around_it_is_seen(outline, field):
    lines = await outline(field.format("style='position:absolute;opacity:0'"))
    assert [line for line in lines if re.search('"Tick".*invisible', line)] == []


async def test_what_is_clicked_and_nobody_sees_is_told_as_such(outline, one_page):
    clicked = "<div id=a style='opacity:0' onclick='style.opacity=1'>Late <b>words</b></div>"
    assert await outline(clicked) == ['clickable "Late words" # invisible']
    assert '~ clickable "Late words"' in await one_page("click", selector="#a")


@pytest.mark.parametrize(
    "field",
    [
        "<input aria-label=Mail {0}>",
        "<label {0}>Mail <input></label>",
        "<label for=a {0}>Mail</label><input id=a {0}>",
        "<textarea aria-label=Mail {0}></textarea>",
        "<input type=submit value=Mail {0}>",
        "<input type=button aria-label=Mail {0}>",
        "<button aria-label=Mail {0}></button>",
    ],
)
@pytest.mark.parametrize("away", ["left:-9999px", "top:-999px"])
async def test_a_field_that_is_moved_away_is_told_as_such(outline, field, away):
    """As one that is there for robots, which give themselves away by filling it."""
    lines = await outline(field.format(f"style='position:absolute;{away}'") + "<p>Seen</p>")
    assert [line for line in lines if "Seen" not in line and "invisible" not in line] == []
    assert any(re.search('"Mail".* invisible', line) for line in lines)


async def test_a_text_field_whose_label_is_seen_is_seen(outline):
    """It is drawn by what is around it, as a field with a mask may be."""
    field = "<label for=a>Mail</label><input id=a style='position:absolute;left:-999px'>"
    assert await outline(field) == ['textbox "Mail" #']


async def test_a_field_in_what_nobody_sees_is_not(outline):
    body = "<input aria-label=Words><select aria-label=Size><option>L</select><button>Go</button>"
    lines = await outline(f"<div style='height:0;overflow:hidden'>{body}</div><p>Seen")
    assert ["invisible" in line for line in lines] == [True, True, True, False]


async def test_what_nobody_sees_is_not_in_the_text(one_page, serve_site):
    body = "<p style='opacity:0'>Secret</p><p>Seen <i style='font-size:0'>secret</i></p>"
    await one_page("navigate", url=serve_site({"/": body}))
    assert "ecret" not in await one_page("text")
    framed = "<iframe srcdoc=Secret></iframe>"
    body = f"<p>Seen<div style='position:absolute;left:-9999px'>{framed}</div>"
    await one_page("navigate", url=serve_site({"/": body}))
    assert "iframe invisible: Secret" in await one_page("snapshot")
    assert "ecret" not in await one_page("text")


async def test_what_has_a_size_of_its_own_is_seen(outline, one_page, serve_site):
    items = "".join(f"<li style='display:inline-block;font-size:9px'>{at}</li>" for at in "ab")
    body = f"<ul style='font-size:0'>tiny{items}</ul><i style='font-size:0'>no</i>"
    assert await outline(body) == ["text invisible: tiny", "- a", "- b", "text invisible: no"]
    await one_page("navigate", url=serve_site({"/": body}))
    assert (await one_page("text")).splitlines()[1:] == ["- a", "- b"]


async def test_a_field_for_the_keyboard_alone_has_a_ref(outline):
    field = "<input type=range aria-label=Size value=3 style='pointer-events:none'>"
    assert await outline(field) == ['slider "Size" #: 3']
    shadow = f"<x-y><template shadowrootmode=open>{field}</template></x-y>"
    assert await outline(shadow) == ['slider "Size" #: 3']
    assert await outline(f"<div style='pointer-events:none'>{field}") == ['slider "Size": 3']


@pytest.mark.parametrize("field", ["<input {}>", "<textarea {}></textarea>"])
async def test_a_field_that_the_mouse_reaches_by_its_widget_alone(outline, field):
    code = field.format("aria-label=Code style='pointer-events:none'")
    assert await outline(f"<div>{code}</div>") == ['textbox "Code" #']
    assert await outline(f"<div style='pointer-events:none'>{code}") == ['textbox "Code"']
    unreached = field.format("tabindex=-1 aria-label=Code style='pointer-events:none'")
    assert await outline(f"<div>{unreached}</div>") == ['textbox "Code"']


SLIDES = """<div style="overflow: hidden; width: 400px">
<div style="display: flex; width: 400px; transform: translateX(-1600px)">
<p style="flex: none; width: 400px">one</p><p style="flex: none; width: 400px">two</p>
<p style="flex: none; width: 400px">three</p><p style="flex: none; width: 400px">four</p>
<p style="flex: none; width: 400px"><a href=#x>Five</a> is seen</p></div></div>"""


async def test_what_has_no_box_cuts_nothing_off(one_page):
    """As the slots of a panel, which have styles for their fallbacks."""
    await one_page.show("<i style='display:contents;overflow:hidden'><b>Seen</b></i>")
    assert "text: Seen" in await one_page("snapshot")
    assert "Seen" in await one_page("text")


NAV = "".join(f"<li><a href=/{n}>Page {n}</a></li>" for n in range(20))


@pytest.mark.parametrize(
    "body",
    [
        f"<nav style='position:absolute;left:-999px;width:300px'><h2>Menu</h2><ul>{NAV}</ul></nav>",
        "<div style='position:absolute;left:-9999px'><p style='display:contents'>Away</p></div>",
        "<div style='position:absolute;left:-9999px;width:9px'><input value=Away><s>x</s></div>",
    ],
)
async def test_what_is_off_is_in_no_text(one_page, body):
    await one_page.show(f"<p>Seen</p>{body}")
    assert (await one_page("text")).splitlines()[1:] == ["Seen"]


async def test_much_that_is_off_is_read_soon(one_page):
    """Each element is asked once, however deep it is."""
    nested = "<div>" * 100 + "<b style='position:absolute;left:6000px'>Seen</b>" + "<b>off</b>" * 99
    many = "".join(f"<div>{'<b>off</b>' * 20}</div>" for _ in range(100))
    await one_page.show(
        f"<div style='position:absolute;left:-5000px;width:9px'>{nested}{many}</div>"
    )
    assert (await one_page("text")).splitlines()[1:] == ["Seen"]


async def test_what_is_moved_back_to_where_it_is_seen(one_page):
    """As the slides of a carousel are, whose strip is moved out of sight."""
    await one_page.show(SLIDES)
    shown = await one_page("snapshot")
    assert re.search(r"\[link .Five. e\d+\] is seen", shown)
    assert shown.count("invisible") == 4
    text = await one_page("text")
    assert "is seen" in text
    assert "two" not in text


WIDE = """<!doctype html>{}<p>Start</p><div style="width: 3000px; position: relative">
<p style="position: absolute; left: 0">far left <button>Reached</button></p></div>
<p style="position: absolute; right: -9999px">far right</p>"""


@pytest.mark.parametrize("root", ["<html dir=rtl>", "<body dir=rtl>", "<body style=direction:rtl>"])
async def test_what_is_reached_by_scrolling_to_the_left(one_page, serve_site, root):
    """As in a wide page that is written from right to left."""
    shown = await one_page("navigate", url=serve_site({"/": WIDE.format(root)}))
    assert re.search(r"far left \[button .Reached. e\d+\]", shown)
    assert "invisible: far right" in shown
    assert "far left" in await one_page("text")


async def test_the_field_that_a_widget_replaces_is_not_told(outline):
    hidden = "tabindex=-1 aria-hidden=true"
    small = "position:absolute;width:1px;height:1px;overflow:hidden;border:0;padding:0"
    select = f'<select {hidden} style="{small}"><option>Apple<option>Pear</select>'
    entry = f'<input {hidden} value=a style="{UNSEEN}">'
    seen = "<div role=combobox tabindex=0 aria-label=Fruit>Apple</div>"
    assert await outline(select + entry + seen) == ['combobox "Fruit" #: Apple']
    inner = "<label>Fruit<select tabindex=-1><option>Apple</select></label>"
    assert await outline(f'<div aria-hidden=true style="{small}">{inner}</div>{seen}') == [
        'combobox "Fruit" #: Apple'
    ]
    over = "<select tabindex=-1 style='opacity:0;pointer-events:none'><option>Apple</select>"
    assert (await outline(f"<label>Fruit{over}</label>{seen}"))[-1] == 'combobox "Fruit" #: Apple'
    reached = f'<input aria-label=Code style="{UNSEEN}">'
    assert await outline(reached) == ['textbox "Code" #']
    for kind in ("file", "checkbox"):
        own = f"<div aria-hidden=true><input type={kind} tabindex=-1 style='opacity:0'></div>"
        assert len(await outline(own)) == 1  # the mouse finds it
    called = f'<label>Small<input type=radio tabindex=-1 style="{UNSEEN}"></label>'
    assert await outline(f"<div aria-hidden=true>{called}</div>") == ['radio "Small" #']


SCROLLED = """<body style="margin:0"><div id=s style="{}"><p>First <button>One</button></p>
<div style="flex:none;width:{}px;height:{}px"></div><p>Last <button>Two</button></p></div>"""
ROW, COLUMN = "display:flex;width:300px;", "display:flex;flex-direction:column;height:200px;"


@pytest.mark.parametrize(
    ("style", "size", "place"),
    [
        ("height:90vh;overflow:auto", (9, 4000), (0, 900)),
        ("height:90vh;overflow-y:scroll", (9, 4000), (0, 3000)),
        (f"{ROW}overflow:auto", (9000, 9), (0, 0)),
        (f"{ROW}overflow:auto", (9000, 9), (8000, 0)),
        (f"{ROW}overflow:hidden", (9000, 9), (8000, 0)),  # as a carousel's script does
        (f"{ROW}overflow:auto;direction:rtl", (9000, 9), (0, 0)),
        (f"{ROW}overflow:auto;flex-direction:row-reverse", (9000, 9), (0, 0)),
        (f"{ROW}overflow:auto;writing-mode:vertical-rl", (9, 9000), (0, 0)),
        (f"{COLUMN}overflow:auto;flex-direction:column-reverse", (9, 4000), (0, 0)),
    ],
)
async def test_what_is_reached_by_scrolling_a_part_of_the_page(one_page, style, size, place):
    await one_page.show(SCROLLED.format(style, *size))
    x, y = place
    scroll = f"s.scrollTo({x}, {y}); [s.scrollLeft, s.scrollTop]"
    assert await one_page("evaluate", text=scroll) == f"[{x},{y}]"
    shown = await one_page("snapshot")
    assert "invisible" not in shown
    text = await one_page("text")
    assert "First One" in text
    assert "Last Two" in text


OFF = {
    "to the side": "<p style='position:absolute;left:-9999px;width:99px'>Away</p>",
    "held by what is around": "<p style='position:absolute;top:-700px'>Away</p>",
    "fixed": "<p style='position:fixed;top:-700px'>Away</p>",
    "a drawer": "<p style='position:fixed;left:-300px;width:200px'>Away</p>",
}


@pytest.mark.parametrize("scrolls", ["document.scrollingElement", "s"], ids=["document", "part"])
@pytest.mark.parametrize("away", OFF.values(), ids=OFF)
async def test_what_is_off_in_what_scrolls_stays_unseen(one_page, away, scrolls):
    """Scrolling moves what the place of an element is held by, and nothing else."""
    if scrolls == "s":
        body = f"<div id=s style='height:90vh;overflow:auto'>{away}<p>First</p>"
    else:
        body = away.replace("absolute;top", "fixed;top") + "<p>First</p><div>"
    await one_page.show(f"{body}<p style='height:3000px;width:3000px'>")
    place = f"{scrolls}.scrollTo(999, 999); {scrolls}.scrollTop"
    assert await one_page("evaluate", text=place) == "999"
    assert "invisible: Away" in await one_page("snapshot")
    assert "Away" not in await one_page("text")


@pytest.mark.parametrize("style", ["zoom:2", "transform:scale(2);transform-origin:0 0", "zoom:.5"])
async def test_what_is_scrolled_away_where_all_is_drawn_larger(one_page, style):
    rows = "".join(f"<p>Row {number}</p>" for number in range(60))
    await one_page.show(f"<div id=s style='height:200px;overflow:auto;{style}'>{rows}</div>")
    await one_page("evaluate", text="s.scrollTop = 9999")
    assert "invisible" not in await one_page("snapshot")


async def test_what_is_placed_in_a_shadow_root_that_scrolls(one_page):
    rows = "".join(f"<b style='position:absolute;top:{40 * n}px'>{n}</b>" for n in range(60))
    part = "<div id=s style='position:relative;overflow:auto;height:200px'><slot></slot></div>"
    await one_page.show(f"<x-a>{rows}</x-a>")
    root = "h = document.querySelector('x-a').attachShadow({mode: 'open'})"
    script = f"{root}; h.innerHTML = {part!r}"
    scroll = "h.firstChild.scrollTop = 9999; h.firstChild.scrollTop > 999"
    assert await one_page("evaluate", text=f"{script}; {scroll}") == "true"
    assert "invisible" not in await one_page("snapshot")


async def test_what_is_off_above_a_page_whose_body_scrolls(one_page, serve_site):
    """The body holds no place unless it is placed itself."""
    styles = "<style>html { overflow: hidden; height: 100% } body { overflow: auto; height: 100% }"
    away = "<p style='position:absolute;top:-1000px'>Away</p><p style='height:3000px'>"
    site = serve_site({"/": f"<!doctype html>{styles}</style>{away}"})
    await one_page("navigate", url=site)
    assert await one_page("evaluate", text="document.body.scrollTop = 1500") == "1500"
    assert "invisible: Away" in await one_page("snapshot")


async def test_what_is_off_above_a_page_from_right_to_left(one_page, serve_site):
    away = "<p style='position:absolute;top:-1000px'>Away</p><p style='height:3000px'>"
    part = f"<main style='position:relative;overflow:auto;height:300px'>{away}</main>"
    site = serve_site({"/": f"<!doctype html><body dir=rtl>{part}"})
    assert "invisible: Away" in await one_page("navigate", url=site)


async def test_parts_that_scroll_in_each_other(one_page):
    inner = "<div id=t style='height:300px;overflow:auto'>In<p style='height:2000px'>Tall</div>"
    outer = f"<div id=s style='height:400px;overflow:auto'>Out{inner}<p style='height:999px'></div>"
    await one_page.show(outer)
    scrolled = "s.scrollTop = 700, t.scrollTop = 1500, [s.scrollTop, t.scrollTop]"
    assert await one_page("evaluate", text=scrolled) == "[700,1500]"
    assert "invisible" not in await one_page("snapshot")
    assert (await one_page("text")).splitlines()[1:] == ["Out", "In", "", "Tall"]


async def test_closed_details_whose_style_sheet_shows_them_are_told(outline):
    style = "<style>::details-content { content-visibility: visible; display: block }</style>"
    told = await outline(f"{style}<details><summary>More</summary><button>Go</button></details>")
    assert told == ['clickable "More" #', 'button "Go" #']


CUT = "height:0;overflow:hidden"
OUT = "<div style='position:{}'>Words <a href=#x>Go</a></div>"


@pytest.mark.parametrize("placed", ["absolute", "fixed"])
@pytest.mark.parametrize(
    "box",
    [
        f"<div style='{CUT}'>cut {{}}</div>",
        f"<div style='{CUT}'><i style='width:0;{CUT}'>cut {{}}</i></div>",
        f"<div style='position:relative'><div style='{CUT}'>cut {{}}</div></div>",
        f"<x-y><template shadowrootmode=open><p style='{CUT}'><slot></slot></p></template>{{}}",
        f"<style>body {{{{ {CUT} }}}}</style>{{}}",
    ],
)
async def test_what_is_placed_outside_of_a_box_is_not_cut_off_by_it(outline, one_page, box, placed):
    lines = await outline(box.format(OUT.format(placed)))
    seen = [line for line in lines if "cut" not in line]
    assert re.sub(r"[][]", "", " ".join(seen)) == 'text: Words link "Go" #'
    assert all("invisible" in line for line in lines if "cut" in line)
    assert (await one_page("text")).split("\n", 1)[1] == "Words Go"
    assert "Go" in await one_page("extract", selector="a")


@pytest.mark.parametrize(
    ("box", "placed"),
    [
        (f"<div style='position:relative;{CUT}'>{{}}</div>", "absolute"),
        (f"<div style='{CUT}'><div style='position:relative'>{{}}</div></div>", "absolute"),
        (f"<div style='transform:translate(0);{CUT}'>{{}}</div>", "fixed"),
        (f"<div style='opacity:0;{CUT}'>{{}}</div>", "absolute"),
        (f"<div style='{CUT}'><div style='opacity:0'>{{}}</div></div>", "fixed"),
        (f"<div style='clip-path:inset(50%);{CUT}'>{{}}</div>", "fixed"),
        (f"<div style='{CUT}'>{{}}</div>", "relative"),
        ("<div style='opacity:0'>{}</div>", "fixed"),
    ],
)
async def test_what_is_placed_in_a_box_is_cut_off_by_it(outline, one_page, box, placed):
    lines = await outline(box.format(OUT.format(placed)) + "<p>Seen")
    assert lines == ["text invisible: Words", 'link "Go" # invisible', "text: Seen"]
    assert (await one_page("text")).split("\n", 1)[1] == "Seen"


async def test_a_dialog_is_not_cut_off(outline, one_page):
    script = "<script>document.querySelector('dialog').showModal()</script>"
    lines = await outline(f"<div style='{CUT}'><dialog>Sure?</dialog></div>{script}")
    assert lines == ["dialog: Sure?"]
    assert "Sure?" in await one_page("text")


async def test_a_field_outside_of_the_box_that_it_is_in_is_seen(outline):
    fields = "<input aria-label=Name><select aria-label=Size><option>L</select>"
    lines = await outline(f"<div style='{CUT}'><p>cut</p><b style='position:fixed'>{fields}</b>")
    assert lines == ["text invisible: cut", 'textbox "Name" #', 'combobox "Size" #: L (L)']


async def test_a_control_without_a_name_is_told_by_what_it_shows_for_eyes_alone(one_page):
    """As a switch that says whether it is on."""
    flip = "this.ariaChecked = 'true'; this.firstChild.textContent = 'On'"
    await one_page.show(
        f'<b role=switch tabindex=0 aria-checked=false onclick="{flip}">'
        "<i aria-hidden=true>Off</i></b> "
        "<button aria-label=Close><i aria-hidden=true>x</i></button>"
    )
    assert lines_of(await one_page("snapshot")) == ["switch #: Off", 'button "Close" #']
    assert "checked focused: On" in await one_page("click", selector="b")
