"""Clicks: real, at the right place, and honest about what came of them."""

import io
import wave

import pytest

from tests.site.server import Reply

from .conftest import ref_in

pytestmark = pytest.mark.anyio

SCRIPTED = """new Promise((done) => {
  const look = () => (document.title === "Scripted" ? done() : setTimeout(look, 20)); look();
})"""


@pytest.fixture
def page(one_page):
    return one_page


async def test_answer_shows_what_changed(page):
    ref = ref_in(await page.open("form.html"), 'button "Count"')
    assert await page("click", ref=ref) == (
        f'Clicked button "Count" {ref}.\nChanged:\n~ text: Clicked 1'
    )


async def test_nothing_changed(page):
    ref = ref_in(await page.open("form.html"), 'button "Do nothing"')
    assert await page("click", ref=ref) == (
        f'Clicked button "Do nothing" {ref}.\nNothing has changed so far.'
    )


ITEM = "<li role=treeitem tabindex=-1 onclick='event.stopPropagation(); said(this)'>"


def branch(parts, style=""):
    return (
        f"<ul role=tree>{ITEM}All<ul role=group style={style}>{(ITEM + 'Part</li>') * parts}</ul>"
    )


BRANCHES = {
    "above": branch(3),
    "before": branch(3, "float:right;width:80%"),
    "after": branch(3, "float:left;width:80%;padding:0;margin:0"),
    "below": f"<div style='transform:rotate(180deg)'>{branch(3)}</div>",
    "covered above": "<p style='position:absolute;inset:0 0 auto;height:3em;z-index:1'>Over</p>"
    + branch(9),
    "not first": branch(3, "display:flex;flex-direction:column-reverse;margin:0"),
    "plain": branch(3).replace(" role=treeitem", ""),
    "far": branch(90),
}


@pytest.mark.parametrize("where", BRANCHES)
async def test_an_item_is_clicked_where_no_item_in_it_is(where, page):
    await page.show(BRANCHES[where])
    await page("evaluate", text="said = (item) => { title = item.innerText.split('\\n')[0] }; 0")
    await page("click", selector="[role=tree] > li")
    assert await page("evaluate", text="title") == '"All"'


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("<p>One</p><button onclick=said(this)>Delete</button><p>Two</p>", "card"),
        ("<p>One</p><a href=#x onclick=said(this)>Delete</a><p>Two</p>", "card"),
        ("<button onclick=said(this)>Open</button>", "button"),
        ("<i style='position:absolute;inset:0' role=button onclick=said(this)></i><p>One</p>", "i"),
    ],
    ids=["button", "link", "all that it says", "over all of it"],
)
async def test_a_card_is_clicked_beside_the_button_in_its_middle(inner, said, page):
    style = "position:relative;text-align:center;padding:0 40px"
    await page.show(f"<div id=card style='{style}' onclick=said(this)>{inner}</div>")
    await page(
        "evaluate", text="said = (one) => { title ||= one.id || one.localName }; title = ''; 0"
    )
    await page("click", selector="#card")
    assert await page("evaluate", text="title") == f'"{said}"'


async def test_an_element_of_an_odd_name_in_another_of_it(page):
    await page.show(
        "<x-a.b:c id=all onclick='document.title = 1'>All <x-a.b:c>Part</x-a.b:c></x-a.b:c>"
    )
    await page("click", selector="#all")
    assert await page("evaluate", text="document.title") == '"1"'


async def test_set_by_script_without_a_trace_in_the_dom(page):
    opened = await page.open("form.html")
    await page("fill", ref=ref_in(opened, 'textbox "Comments"'), value="Words")
    answer = await page("click", ref=ref_in(opened, 'button "Reset"'))
    assert '~ textbox "Comments"' in answer


async def test_checkbox(page):
    ref = ref_in(await page.open("form.html"), 'checkbox "Newsletter"')
    assert f'checkbox "Newsletter" {ref} checked' in await page("click", ref=ref)


async def test_link_leads_to_the_page(page):
    ref = ref_in(await page.open("form.html"), 'link "Buttons"')
    answer = await page("click", ref=ref)
    assert f'Now at "Controls" {page.site}/buttons.html' in answer


async def test_kinds_of_clicks(page):
    await page.open("places.html")
    for value, event in (
        (None, "click 0"),
        ("right", "contextmenu 2"),
        ("middle", "auxclick 1"),
        ("double", "dblclick 0"),
    ):
        fields = {"value": value} if value else {}
        assert event in await page("click", selector="#target", **fields)


async def test_modifiers(page):
    await page.open("places.html")
    answer = await page("click", selector="canvas", key="Control+Shift", x=10, y=20)
    assert "click 0 10,20 canvas ctrlKey+shiftKey" in answer
    assert "click 0 10,21 canvas" in await page("click", selector="canvas", x=10, y=21)
    assert "modifiers" in str(await page.fails("click", selector="canvas", key="Control+A"))


async def test_place_on_the_page(page):
    await page.open("places.html")
    answer = await page("click", x=250, y=150)
    assert answer.startswith("Clicked at 250, 150.")
    assert "click 0 250,150 canvas" in answer


async def test_place_in_an_element_that_is_larger_than_the_viewport(page):
    await page.open("places.html")
    await page("evaluate", text="document.querySelector('canvas').height = 4000; 0")
    assert "click 0 10," in await page("click", selector="canvas", x=10, y=3900)


@pytest.mark.parametrize("outer", ["", "overflow:auto;width:300px;height:150px;border:9px solid"])
async def test_place_in_an_element_that_is_larger_than_what_scrolls_it(page, outer):
    await page.open("places.html")
    script = """const canvas = document.querySelector("canvas");
    [canvas.width, canvas.height] = [2000, 4000];
    canvas.style.border = "5px solid";
    canvas.outerHTML = `<div style="${OUTER}"><p style="height:900px;width:2px"></p>
    <div style="overflow:auto;width:200px;height:100px;border:7px solid">
    ${canvas.outerHTML}</div></div>`;
    document.querySelector("canvas").onclick = ({ offsetX, offsetY }) => {
      document.title = `${Math.round(offsetX)},${Math.round(offsetY)}`;
    }; 0"""
    await page("evaluate", text=script.replace("${OUTER}", outer))
    await page("click", selector="canvas", x=1805, y=3905)
    assert await page("evaluate", text="document.title") == '"1800,3900"'


BARS = "<p style='position:fixed;inset:{};margin:0;height:60px;background:red'>"
LARGE = "<p id=large style='margin:0;width:2000px;height:3000px'></p>"


@pytest.mark.parametrize(
    "html",
    [
        f"<div style='overflow:auto;width:800px;height:900px;zoom:.5'>{LARGE}</div>",
        f"<div style='overflow:auto;width:800px;height:900px;scale:.5;translate:-25% -25%'>{LARGE}",
        f"<style>html {{ overflow: hidden }} body {{ height: 5in; overflow: auto }}</style>{LARGE}",
        LARGE.replace("3000", "6000") + BARS.format("0 0 auto") + BARS.format("auto 0 0"),
    ],
    ids=["zoomed", "scaled", "the body scrolls", "between bars"],
)
async def test_place_in_a_large_element(page, serve_site, html):
    said = "<script>onclick = (event) => { title = `${event.target.id} ${event.offsetY}` }</script>"
    await page("navigate", url=serve_site({"/": f"<!doctype html>{html}{said}"}))
    await page("click", selector="#large", x=300, y=1400)
    assert await page("evaluate", text="title") in ('"large 1400"', '"large 2800"')


@pytest.mark.parametrize("content", ["Go on", "<p>Go on</p>"])
async def test_what_has_no_box_of_its_own_is_clicked_between_bars(page, serve_site, content):
    far = "<p style=height:3000px>"
    link = f"<a href=#gone style=display:contents>{content}</a>"
    html = f"{far}</p>{link}{far}{BARS.format('0 0 auto')}{BARS.format('auto 0 0')}"
    await page("navigate", url=serve_site({"/": html}))
    assert "#gone" in await page("click", selector="a")


HOST = """<template shadowrootmode=open><style>:host { display: contents }</style>
<slot></slot></template>"""


@pytest.mark.parametrize(
    "tag",
    ["button style=display:contents", "x-b role=button style=display:contents", f"x-h>{HOST}<i"],
)
async def test_what_has_no_box_of_its_own_is_clicked_where_its_text_is(page, tag):
    await page.open("form.html")
    name = tag.split()[0].partition(">")[0]
    box = "<div id=box style=overflow:auto;height:60px><p style=height:900px>Above</p>"
    html = f"{box}<{tag}>Go on</{name}></div>"
    script = f"""document.body.setHTMLUnsafe({html!r});
    document.querySelector("#box").onclick = (event) => {{
      document.title = event.target.closest("{name}") && "Hit";
    }}; 0"""
    await page("evaluate", text=script)
    await page("click", selector=name)
    assert await page("evaluate", text="document.title") == '"Hit"'
    assert await page("screenshot", selector=name)


@pytest.mark.parametrize(
    "around", ["visibility:hidden", "display:none", "content-visibility:hidden"]
)
async def test_what_has_no_box_of_its_own_is_hidden_with_what_it_is_in(page, around):
    await page.open("form.html")
    html = f"<div style={around}><button style=display:contents>Go on</button></div>"
    await page("evaluate", text=f"document.body.innerHTML = {html!r}; 0")
    assert (await page.fails("click", selector="button")).code == "hidden"


async def test_place_outside_the_element(page):
    await page.open("places.html")
    for x, y in ((-1, 5), (5, 5_000)):
        error = await page.fails("click", selector="canvas", x=x, y=y)
        assert error.code == "outside"
        assert (
            str(error) == "'canvas' has only 300 x 200 px. x and y count from its top left corner."
        )


async def test_a_players_own_controls_take_the_click(page, serve_site):
    """They hand on no event, so that nobody else sees it."""
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 80_000)
    headers = {"Content-Type": "audio/wav"}
    html = "<audio controls src=/a.wav onplay='document.title = `Playing`'></audio>"
    site = serve_site({"/": html, "/a.wav": Reply(body=sound.getvalue(), headers=headers)})
    await page("navigate", url=f"{site}/")
    assert "Clicked 'audio'." in await page("click", selector="audio", x=25, y=27)
    assert await page("evaluate", text="document.title") == '"Playing"'


async def test_form_that_is_not_sent(page):
    await page.open("form-get")
    field = "document.querySelector('input')"
    await page("evaluate", text=f"{field}.required = true; {field}.type = 'email'; 0")
    await page("evaluate", text="document.forms[0].append(document.createElement('button')); 0")
    answer = await page("click", selector="button")
    assert answer.startswith(
        "Clicked 'button'.\nThe page does not take <input> \"Word\": Please fill out this field.\n"
    )
    await page("fill", selector="input", value="Ada")
    answer = await page("press", selector="input", key="Enter")
    assert "The page does not take <input> \"Word\": Please include an '@'" in answer
    await page("fill", selector="input", value="ada@b.c")
    assert 'Now at "Sent"' in await page("click", selector="button")


CALLS = """<title>Calls</title><button onclick="textContent = 1 + +textContent">0</button>
<a href="tel:123">Call</a><iframe srcdoc="<a href='skype:x'>Skype</a>"></iframe>"""


@pytest.mark.parametrize(
    ("selector", "url"),
    [("a", "tel:123"), ("iframe >> internal:control=enter-frame >> a", "skype:x")],
)
async def test_link_for_another_program(page, serve_site, selector, url):
    await page("navigate", url=serve_site({"/": CALLS}))
    answer = await page("click", selector=selector)
    assert f"'{url}' is for another program, and was not opened." in answer
    assert 'button "1"' in await page("click", selector="button")


async def test_page_that_asks_for_another_program_when_it_opens(page, serve_site):
    await page("navigate", url=serve_site({"/": CALLS + "<script>location = 'tel:1'</script>"}))
    await page("wait", value="0.5")
    assert 'button "1"' in await page("click", selector="button")


ANEW = """<title>Old</title><button onclick="renew()">Write</button><script>
const renew = () => {
  document.open();
  document.write("<title>New</title><button onclick='document.title += 1'>Count</button>");
  document.close();
}</script>"""


async def test_a_page_that_is_written_anew(page, serve_site):
    await page("navigate", url=serve_site({"/": ANEW}))
    assert 'button "Count"' in await page("click", selector="button")
    assert 'Title: "New1"' in await page("click", selector="button")
    assert 'Title: "New11"' in await page("click", selector="button")


async def test_no_target(page):
    await page.open("form.html")
    assert "needs ref, selector, or x and y" in str(await page.fails("click"))


async def test_far_down(page):
    await page.open("places.html")
    assert "click 0" in await page("click", selector="#target")


async def test_what_is_in_a_label_is_reached_by_the_field_over_it(page, serve_site):
    over = "style='position:absolute;inset:0;width:100%;height:100%;opacity:0;margin:0'"
    words = "<span id=words>Tick it</span> <a id=terms href=#x>Terms</a>"
    body = f"<label style='position:relative'><input type=checkbox {over}>{words}</label>"
    await page("navigate", url=serve_site({"/": body}))
    answer = await page("click", selector="#words")
    assert '<input> "Tick it Terms" lies over it, and took the click.' in answer
    assert "checked" in answer
    assert (await page.fails("click", selector="#terms")).code == "covered"


TRANSPARENT = "style='position:absolute;left:0;opacity:0;width:16px;height:16px;margin:0'"
DRAWN = "<i style='position:absolute;left:0;width:16px;height:16px;background:red'></i>"


async def test_a_checkbox_is_clicked_where_something_else_draws_it(page, serve_site):
    ticks = "onclick='const box = querySelector(`input`); box.checked = !box.checked'"
    box = f"<span style='position:relative'><input type=checkbox {TRANSPARENT}>{DRAWN}</span>"
    await page("navigate", url=serve_site({"/": f"<div {ticks}>{box}<b> Tick</b></div>"}))
    assert "checkbox e" in (answer := await page("click", selector="input"))
    assert "checked" in answer


COVER = "<div style='position:absolute;inset:0;background:red'>{}</div>"


@pytest.mark.parametrize(
    "over",
    [
        f"<button>{DRAWN}</button>",
        f"{DRAWN}<button>Other</button>",
        COVER.format("Pay"),
        COVER.format(f"<i onclick=1>{DRAWN}</i>"),
        DRAWN.replace("16px", "200px"),
        DRAWN.replace("<i", "<i onclick=1"),
    ],
)
async def test_a_checkbox_is_covered_where_what_is_over_it_may_be_another_control(
    page, serve_site, over
):
    box = f"<span style='position:relative'><input type=checkbox {TRANSPARENT}>{over}</span>"
    await page("navigate", url=serve_site({"/": box}))
    assert (await page.fails("click", selector="input")).code == "covered"


async def test_invisible_checkbox_is_clicked_at_its_label(page):
    await page.open("places.html")
    await page("click", selector="input")
    assert await page("evaluate", text="document.querySelector('input').checked") == "true"


async def test_shadow_dom(page):
    opened = await page.open("shadow.html")
    answer = await page("fill", ref=ref_in(opened, 'textbox "Nick"'), value="Ada")
    assert "3 letters" in answer
    assert "Hello Ada" in await page("click", ref=ref_in(opened, 'button "Greet"'))


@pytest.mark.parametrize("which", ["near", "far"])
async def test_frames(page, which):
    await page.open("frames.html")
    shown = (await page("snapshot")).split("iframe")[1 if which == "near" else 2]
    await page("fill", ref=ref_in(shown, 'textbox "City"'), value="Oslo")
    answer = await page("click", ref=ref_in(shown, 'button "Go"'))
    assert f"{which} Oslo true" in answer


async def test_frame_of_another_site_that_is_out_of_sight(page):
    shown = (await page.open("frames.html")).split("iframe")[2]
    assert "far true" in await page("click", ref=ref_in(shown, 'button "Go"'))


async def test_frame_by_selector(page):
    await page.open("frames.html")
    selector = "[title=near] >> internal:control=enter-frame >> button"
    assert "near" in await page("click", selector=selector)


async def test_covered_frame(page):
    await page.open("frames.html")
    ref = ref_in(await page("snapshot"), 'button "Go"')
    await page("evaluate", text="shade.style.display = 'block'; 0")
    error = await page.fails("click", ref=ref)
    assert error.code == "covered"
    assert "<div#shade>" in str(error)


async def test_new_page_is_named(page):
    ref = ref_in(await page.open("dialogs.html"), 'link "New page"')
    answer = await page("click", ref=ref)
    assert "A new page opened: t" in answer
    assert "form.html" in answer
    assert "dialogs.html" in await page("snapshot")


async def test_window_opened_by_a_script_is_named(page):
    ref = ref_in(await page.open("dialogs.html"), 'button "Window"')
    assert "A new page opened: t" in await page("click", ref=ref)


async def test_download_is_told(page):
    ref = ref_in(await page.open("dialogs.html"), 'link "File"')
    assert "'file.bin'" in await page("click", ref=ref)


async def test_console_error_is_told(page):
    ref = ref_in(await page.open("dialogs.html"), 'button "Fail"')
    assert "1 console error: It failed" in await page("click", ref=ref)


async def test_script_link(page):
    ref = ref_in(await page.open("dialogs.html"), 'link "Script"')
    await page("click", ref=ref)
    await page("evaluate", text=SCRIPTED)  # by a task that comes after that of the click


async def test_large_page_is_not_compared(page, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.page_state.COMPARED_SIZE", 0)
    monkeypatch.setattr("strap_browser.interaction.page_state.QUICK", -1)  # as on a slow machine
    await page.open("table.html")
    ref = ref_in(await page("snapshot"), 'link "View"')
    answer = await page("click", ref=ref)
    assert "too large to be compared" in answer
    assert "~ Order 0 opened" in answer


@pytest.mark.parametrize("place", [(-1, 5), (5, 720), (1e9, 5)])
async def test_places_that_are_not_shown(page, place):
    await page.open("form.html")
    error = await page.fails("click", x=place[0], y=place[1])
    assert error.code == "invalid_arguments"
    assert "outside the viewport of 1280 x 720 px" in str(error)


@pytest.mark.parametrize("action", ["click", "drag"])
async def test_half_a_place(page, action):
    fields = {"value": "10,0"} if action == "drag" else {}
    assert str(await page.fails(action, x=5, **fields)) == "A place needs x and y, both."


async def test_a_title_that_changes(page):
    await page.open("form.html")
    answer = await page("evaluate", text="document.title = 'Done'; document.body.append('!'); 0")
    assert 'Title: "Done"\nChanged:' in answer


@pytest.mark.parametrize("action", ["click", "hover"])
async def test_what_came_under_the_resting_mouse_sees_it_move_away(page, action):
    await page.open("suggestions.html")
    await page("click", selector="#ask")
    await page("wait", value="0.2")  # the browser tells the list of the mouse
    await page(action, selector="text=Grenada")
    if action == "hover":
        await page("evaluate", text="list.lastChild.click()")
    assert "Took Grenada" in await page("text", selector="#status")


async def test_a_link_around_a_picture_and_a_block_far_below(page):
    room = '<p style="height:3000px"></p>'
    picture = '<img width="1800" height="1200" alt="">'
    link = f'<a href="#" onclick="this.title=1">{picture}<div><p>Block</p></div></a>'
    await page.show(room + link + room)
    assert "Clicked" in await page("click", selector="a")
    assert await page.run("document.querySelector('a').title") == "1"


@pytest.mark.parametrize(
    "fields",
    [
        "<input placeholder=Mail>",
        "<input aria-label=Mail>",
        "<input title=Mail>",
        "<label><input type=checkbox>Mail</label>",
        "<label for=a>Mail</label><input id=a>",
        "<i id=b>Mail</i><input aria-labelledby=b>",
        "<button>Mail</button>",
    ],
)
@pytest.mark.parametrize("where", ["{0}{1}", "{1}{0}"])
async def test_an_answer_that_is_called_as_what_stands_beside_it_is_told(page, fields, where):
    await page.open("form.html")
    html = where.format(fields, "<p id=o></p>")
    asks = """<button onclick="o.textContent='Mail'">Which?</button>"""
    await page("evaluate", text=f"document.body.innerHTML = {html + asks!r}; 0")
    answer = await page("click", selector="button >> text=Which?")
    assert "\n+ text: Mail" in answer
