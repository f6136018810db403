"""A click whose press reached an element that got no click: the answer says so, and why."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio

PRESSED = "It got the press, but no click"
REPLACED = f"{PRESSED}: the page replaced it meanwhile."
AWAY = f"{PRESSED}: the release did not reach it."
COVERED = f'{PRESSED}: <div#cover> "Cover" came under the mouse.'
DISABLED = f"{PRESSED}: the page disabled it meanwhile."
COVER = "<div id=cover style='position:fixed;inset:0;background:#eee'>Cover</div>"
DOUBLE = "It got the first click, but no double click"


@pytest.fixture
def page(one_page):
    return one_page


async def shows(page, serve_site, html, **routes):
    """Open a page that shows this."""
    pages = {"/": f"<!doctype html>{html}", **routes}
    return await page("navigate", url=str(serve_site(pages)))


def saving(does, event="pointerdown", said="Save"):
    """A page with what saves as it is clicked, and `does` something on another event."""
    return f"""<div id=all><button id=save>{said}</button></div><output id=out></output><script>
    const all = document.getElementById("all"), save = document.getElementById("save");
    all.onclick = ({{ target }}) => {{ if (target !== all) out.textContent = "Saved" }};
    save.addEventListener("{event}", (event) => {{ {does} }})</script>"""


LOST = {
    "save.style.marginTop = '60px'": AWAY,
    "save.style.pointerEvents = 'none'": AWAY,
    "document.body.style.height = '3000px'; scrollBy(0, 300)": AWAY,
    f"all.insertAdjacentHTML('beforeend', `{COVER}`)": COVERED,
    "save.outerHTML = save.outerHTML": REPLACED,
    "all.append(save)": f"{PRESSED}.",
    "save.disabled = true": DISABLED,
}
KEPT = [
    "save.setPointerCapture(event.pointerId); save.style.marginTop = '60px'",
    "save.textContent = 'Going'",
    "save.style.translate = '2px 2px'",
    "event.preventDefault(); event.stopPropagation()",
]


@pytest.mark.parametrize("event", ["pointerdown", "mousedown"])
@pytest.mark.parametrize(("does", "note"), LOST.items(), ids=LOST)
async def test_what_got_no_click_is_told_with_the_reason(page, serve_site, event, does, note):
    await shows(page, serve_site, saving(does, event))
    answer = await page("click", selector="#save")
    assert note in answer
    assert "Saved" not in answer


@pytest.mark.parametrize("does", KEPT)
async def test_what_got_the_click_is_clicked(page, serve_site, does):
    await shows(page, serve_site, saving(does))
    answer = await page("click", selector="#save")
    assert "Saved" in answer
    assert PRESSED not in answer


@pytest.mark.parametrize("event", ["pointerdown", "mousedown", "pointerup", "mouseup"])
async def test_what_is_drawn_anew_before_its_click_got_none(page, serve_site, event):
    does = "all.innerHTML = all.innerHTML + '<p>Drawn</p>'"
    await shows(page, serve_site, saving(does, event))
    answer = await page("click", selector="#save")
    assert "Drawn" in answer
    assert REPLACED in answer
    assert "Saved" not in answer


async def test_what_is_drawn_anew_as_it_is_clicked_got_it(page, serve_site):
    await shows(page, serve_site, saving("all.innerHTML = all.innerHTML", "click"))
    assert PRESSED not in await page("click", selector="#save")


async def test_a_part_that_is_drawn_anew_takes_the_click_with_it(page, serve_site):
    again = saving("save.innerHTML = save.innerHTML", said="<b>Save</b>")
    await shows(page, serve_site, again)
    answer = await page("click", selector="#save")
    assert REPLACED in answer
    assert "Saved" not in answer


async def test_what_is_replaced_in_a_shadow_root_got_no_click(page, serve_site):
    again = "onpointerdown='this.innerHTML = this.innerHTML'"
    root = f"<template shadowrootmode=open><div {again}><button>Save</button></div></template>"
    ref = ref_in(await shows(page, serve_site, f"<a-b>{root}</a-b>"), 'button "Save"')
    assert REPLACED in await page("click", ref=ref)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_frame_tells_it_as_well(page, serve_site, host):
    site = serve_site({"/in": saving("save.style.marginTop = '60px'")})
    address = str(site).replace("127.0.0.1", host)
    shown = await shows(page, serve_site, f"<iframe src={address}/in></iframe>")
    answer = await page("click", ref=ref_in(shown, 'button "Save"'))
    assert AWAY in answer


GOES = "<ul><li onmousedown='this.remove(); out.textContent = `Took A`'>A</ul>"
HIDES = GOES.replace("this.remove()", "this.hidden = true")
OPENS = """<div role=combobox aria-expanded=false tabindex=0 onpointerdown=
    "this.ariaExpanded = true; document.body.style.pointerEvents = 'none'">Size</div>"""
WRITTEN = f"""<input role=combobox onfocus="out.innerHTML = '{COVER.replace("'", "&quot;")}'">"""
SLIDES = """<div onpointerdown="this.setPointerCapture(event.pointerId); out.textContent = 'Held'">
    <div role=slider tabindex=0 aria-valuenow=3>Size</div></div>"""
TURNS = """<div onmousedown="this.innerHTML = this.innerHTML.replace('false', 'true')">
    <button aria-pressed=false>Bold</button></div>"""


@pytest.mark.parametrize(
    ("body", "effect"),
    [
        (GOES, "Took A"),
        (HIDES, "Took A"),
        (OPENS, "expanded"),
        (TURNS, "pressed"),
        (WRITTEN, "Cover"),
        (SLIDES, "Held"),
    ],
    ids=["goes", "hides", "opens", "is drawn anew", "takes the focus", "is slid"],
)
async def test_what_answers_its_press_needs_no_click(page, serve_site, body, effect):
    await shows(page, serve_site, f"{body}<output id=out></output>")
    answer = await page("click", selector="li, [role=combobox], [role=slider], button")
    assert effect in answer
    assert PRESSED not in answer


@pytest.mark.parametrize(("value", "event"), [("right", "contextmenu"), ("middle", "auxclick")])
async def test_other_buttons_have_events_of_their_own(page, serve_site, value, event):
    heard = f"<script>save.on{event} = () => {{ out.textContent = 'Heard' }}</script>"
    await shows(page, serve_site, saving("") + heard)
    answer = await page("click", selector="#save", value=value)
    assert "Heard" in answer
    assert PRESSED not in answer
    await shows(page, serve_site, saving("save.style.marginTop = '60px'"))
    assert AWAY in await page("click", selector="#save", value=value)


@pytest.mark.parametrize(
    ("does", "note"),
    [
        ("save.style.marginTop = '60px'", f"{DOUBLE}: the second did not reach it."),
        ("save.disabled = true", f"{DOUBLE}: the page disabled it meanwhile."),
        (f"all.insertAdjacentHTML('beforeend', `{COVER}`)",
         f'{DOUBLE}: <div#cover> "Cover" came under the mouse.'),
        ("all.innerHTML = '<p>Drawn</p>' + all.innerHTML",
         f'{DOUBLE}: <p> "Drawn" came under the mouse.'),
    ],
)  # fmt: skip
async def test_a_double_click_of_which_one_came_is_told(page, serve_site, does, note):
    await shows(page, serve_site, saving(does, "click"))
    answer = await page("click", selector="#save", value="double")
    assert "Saved" in answer or "disabled" in does
    assert note in answer


async def test_a_double_click_needs_both(page, serve_site):
    await shows(page, serve_site, saving("all.dataset.times = event.detail", "dblclick"))
    answer = await page("click", selector="#save", value="double")
    assert "Double-clicked" in answer
    assert "got" not in answer


async def test_a_place_tells_it_as_well(page, serve_site):
    await shows(page, serve_site, saving("save.style.marginTop = '60px'"))
    answer = await page("click", x=20, y=20)
    assert AWAY.replace("It", "What is there", 1) in answer


async def test_a_page_that_leaves_as_it_is_pressed_has_left(page, serve_site):
    await shows(page, serve_site, saving("location.href = '/next'"), **{"/next": "<h1>Next"})
    answer = await page("click", selector="#save")
    assert "Next" in answer
    assert PRESSED not in answer


async def test_what_went_with_the_first_click_is_told_as_removed(page, serve_site):
    await shows(page, serve_site, "<button onclick='this.remove()'>Once</button>")
    answer = await page("click", selector="button", value="double")
    assert f"{DOUBLE}: the page removed it meanwhile." in answer


PANEL = """<div style='margin: 200px; width: 90px; height: 90px' onmouseenter="{}">
<button id=layers onclick="log.textContent = 'Clicked'">Layers</button>
<label hidden><input type=radio name=map onclick="log.textContent = 'Chosen'">Streets</label>
</div><p id=log></p>"""


@pytest.mark.parametrize(
    ("way", "code", "said"),
    [
        ("layers.hidden = true", "missed", "the page took it away as the mouse came over it"),
        ("layers.remove()", "stale_ref", "is from before the page changed"),
    ],
)
async def test_what_the_mouse_opens_in_the_place_of_what_is_clicked(one_page, way, code, said):
    await one_page.open("menu.html")
    await one_page("click", x=1, y=1)
    await one_page.show(PANEL.format(f"{way}; this.lastElementChild.hidden = false"))
    ref = ref_in(await one_page("snapshot"), 'button "Layers"')
    error = await one_page.fails("click", ref=ref)
    assert error.code == code
    assert said in str(error)
    shown = await one_page("snapshot")
    assert 'radio "Streets"' in shown
    assert "Chosen" not in shown
