"""Why an element cannot be clicked: the true reason, and the call that goes on."""

import re

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def shows(page, html):
    """Show this on a page, and nothing else."""
    await page.open("form.html")
    await page("evaluate", text=f"document.documentElement.setHTMLUnsafe({html!r}); 0")


CLICKED = "<button onclick='this.textContent=\"Clicked\"'>Go</button>"
TOUCH = "<div class=touch style='position:absolute;inset:-9px;cursor:pointer'></div>"
TICK = "<label><input type=checkbox id=go style='all:unset;width:0;height:0'>Tick</label>"
FAR = f"<div style='height:2000px'></div>{CLICKED}<div style='height:2000px'></div>"
BAR = (
    "<div style='position:{};left:0;right:0;{};height:{};background:#ccc'><a href=#>Home</a></div>"
)


@pytest.mark.parametrize(
    "bar",
    [
        BAR.format("fixed", "top:0", "95vh"),
        BAR.format("fixed", "bottom:0", "80vh"),
        BAR.format("sticky", "top:0", "60vh"),
    ],
)
async def test_what_a_bar_covers_is_clicked_where_it_is_free(page, bar):
    await shows(page, bar + FAR)
    answer = await page("click", selector="button")
    assert answer.startswith("Clicked 'button'.\nChanged:\n~ button \"Clicked\" ")


@pytest.mark.parametrize(
    "sides",
    [
        ("top:0;left:0;right:0;height:70vh", "top:0;bottom:0;left:0;width:70vw"),
        ("bottom:0;left:0;right:0;height:70vh", "top:0;bottom:0;left:0;width:70vw"),
        ("top:0;bottom:0;left:30vw;right:0",),
    ],
)
async def test_what_bars_at_two_sides_cover_is_clicked_in_the_corner_that_is_free(page, sides):
    bars = "".join(f"<div style='position:fixed;{side};background:#ccc'></div>" for side in sides)
    far = CLICKED.replace("<button", "<button style='position:absolute;left:3000px;top:3000px'")
    await shows(page, f"<div style='width:9000px;height:9000px'>{far}</div>{bars}")
    answer = await page("click", selector="button")
    assert answer.startswith("Clicked 'button'.\nChanged:\n~ button \"Clicked\" ")


@pytest.mark.parametrize(
    ("html", "code", "words"),
    [
        (
            "<div id=veil style='position:fixed;inset:0'><p>Loading…</p></div>" + CLICKED,
            "covered",
            'wait selector="#veil" value=gone.',
        ),
        (
            "<div style='position:fixed;inset:0'><p>Please wait…</p></div>" + CLICKED,
            "covered",
            'wait text="Please wait" value=gone.',
        ),
        (
            "<div class='load mask' style='position:fixed;inset:0'><i></i></div>" + CLICKED,
            "covered",
            'wait selector="div.load.mask" value=gone.',
        ),
        (
            "<div id=veil style='position:fixed;inset:0'><button id=x>Close</button></div>"
            + CLICKED.replace("<button", "<button id=go"),
            "covered",
            "Close what covers it",
        ),
        (
            "<div id=veil style='position:fixed;inset:0'><x-x><template shadowrootmode=open>"
            "<button>Close</button></template></x-x></div>"
            + CLICKED.replace("<button", "<button id=go"),
            "covered",
            "Close what covers it",
        ),
        (
            "<main style='position:absolute'><div id=veil style='position:fixed;inset:0'></div>"
            "<div id=ask style='position:fixed;left:40%;top:30%;width:130px;height:80px'>"
            "<button>Close</button></div>" + CLICKED.replace("<button", "<button id=go"),
            "covered",
            'It may close with <div#ask> "Close", which lies over it. If it goes away by itself, ',
        ),
        (
            "<main><div id=veil style='position:fixed;inset:0'></div><div id=bar "
            "style='position:fixed;bottom:0;height:40px'><button>Accept</button></div>"
            + CLICKED.replace("<button", "<button id=go"),
            "covered",
            'It may close with <div#bar> "Accept", which lies over it. If it goes away by itself, ',
        ),
        (
            TICK + "<div id=ask style='position:fixed;inset:0'><a href=#>Close</a></div>",
            "covered",
            "is covered by",
        ),
        (
            "<label style='position:relative;display:block;width:99px'>"
            + CLICKED.replace("<button", "<button id=go style=width:99px")
            + "<input style='position:absolute;inset:0;width:99px;height:30px'></label>",
            "covered",
            "is covered by",
        ),
        (
            f"<div style='position:relative'>{CLICKED}{TOUCH}</div>",
            "covered",
            'if it is there for it: click selector="div.touch".',
        ),
        (
            "<p style='height:30px;background:#fff'>Date</p>"
            + CLICKED.replace("<button", "<button style='position:absolute;top:20px;z-index:-1'"),
            "covered",
            "Close what covers it",
        ),
        ("<div inert>" + CLICKED + "</div>", "inert", "is inert"),
        ("<div style='interactivity:inert'>" + CLICKED + "</div>", "inert", "is inert"),
        ("<div style='pointer-events:none'>" + CLICKED + "</div>", "untouchable", "takes no mouse"),
        (
            "<div style='position:fixed;left:-500px'>" + CLICKED + "</div>",
            "off_screen",
            "outside the viewport",
        ),
        (
            "<div id=box style='height:10px;width:100px;overflow:clip'><p style='height:40px'></p>"
            + CLICKED
            + "</div>",
            "cut_off",
            'is cut off by <div#box> "Go"',
        ),
    ],
    ids=[
        "by id",
        "by text",
        "by class",
        "closable",
        "closable by what is in a shadow root",
        "behind a dialog",
        "behind a bar at the bottom",
        "label that is covered",
        "field over the button of its label",
        "touch",
        "behind a text",
        "inert",
        "inert by style",
        "no mouse",
        "off screen",
        "clipped",
    ],
)
async def test_true_reason(page, html, code, words):
    await shows(page, html)
    selector = "#go" if "id=go" in html else "button"
    error = await page.fails("click", selector=selector)
    assert (error.code, words in str(error)) == (code, True), str(error)


MOVED = "<button style=position:absolute;top:300px>Yes</button>"


@pytest.mark.parametrize(
    ("dialog", "code"),
    [
        (CLICKED + "<dialog>Yes?</dialog>", "inert"),
        (
            f"<dialog style=overflow:clip;height:20px;position:fixed>Yes? {MOVED}</dialog>",
            "cut_off",
        ),
    ],
)
async def test_what_a_dialog_bars_is_inert_where_that_covers_nothing(page, dialog, code):
    await shows(page, "<style>::backdrop { display: none }</style>" + dialog)
    await page("evaluate", text="document.querySelector('dialog').showModal()")
    error = await page.fails("click", selector="button")
    assert (error.code, "is inert" in str(error)) == (code, code == "inert"), str(error)


async def test_what_is_placed_elsewhere_is_not_cut_off_by_what_it_is_in(page):
    fixed = CLICKED.replace("<button", "<button style='position:fixed;top:50px'")
    veil = "<div id=veil style='position:fixed;inset:0'>Loading…</div>"
    await shows(page, f"<div style='height:10px;overflow:hidden'>{fixed}</div>{veil}")
    assert (await page.fails("click", selector="button")).code == "covered"


async def test_the_call_in_the_hint_works(page):
    veil = "<div id=veil style='position:fixed;inset:0'>Loading…</div>"
    await shows(page, veil + CLICKED)
    assert (await page.fails("click", selector="button")).code == "covered"
    await page("evaluate", text="setTimeout(() => veil.remove(), 300); 0")
    assert "is gone." in await page("wait", selector="#veil", value="gone")
    assert "Clicked" in await page("click", selector="button")


async def test_a_widget_that_draws_over_its_own_field_is_named(page):
    html = """<div onclick="title='Opened'" style="cursor:pointer;position:relative;width:200px">
      <p style="margin:0"><input role=combobox aria-label=Pick readonly><span
      style="position:absolute;inset:0">Choose</span></p></div>"""
    await shows(page, html)
    shown = await page("snapshot")
    error = await page.fails("click", ref=ref_in(shown, 'combobox "Pick"'))
    widget = ref_in(shown, "clickable")
    assert (error.code, f"ref={widget}." in error.hint) == ("covered", True)
    await page("click", ref=widget)
    assert await page("evaluate", text="document.querySelector('div').title") == '"Opened"'


@pytest.mark.parametrize("style", ["width:.1px;border:0;padding:0", "position:fixed;left:-999px"])
async def test_a_widget_that_keeps_its_field_out_of_sight_is_named(page, style):
    html = f"""<div onclick="title='Opened'" style="cursor:pointer;width:200px"><span>Choose</span>
      <input aria-label=Pick readonly style="{style}"></div>"""
    await shows(page, html)
    shown = await page("snapshot")
    error = await page.fails("click", ref=ref_in(shown, 'textbox "Pick"'))
    widget = ref_in(shown, 'clickable "Choose"')
    assert (error.code, error.hint) == (
        "hidden" if "width" in style else "off_screen",
        f"It is part of {widget}, which is shown: click ref={widget}.",
    )
    await page("click", ref=widget)
    assert await page("evaluate", text="document.querySelector('div').title") == '"Opened"'


PICTURE = "<div style=pointer-events:none><span id=picture><b>Picture</b></span></div>"


@pytest.mark.parametrize(
    "control",
    [
        f"<div role=button tabindex=0>{PICTURE}</div>",
        f"<a href=#go><div>{PICTURE}</div></a>",
        f"<ul role=listbox><li role=option><p>{PICTURE}</p></li></ul>",
        "<button><label id=picture style=pointer-events:none>Picture</label></button>",
        "<a href=#go><input type=checkbox id=picture style=pointer-events:none>Tick</a>",
    ],
)
async def test_what_is_only_the_picture_of_a_control_is_clicked_with_it(page, control):
    await shows(page, f"<div onclick='document.title = `Reached`'>{control}</div>")
    await page("click", selector="#picture")
    assert await page("evaluate", text="document.title") == '"Reached"'


async def test_a_control_that_takes_no_mouse_is_no_picture_of_the_one_around_it(page):
    button = "<button id=off style=pointer-events:none>Off</button>"
    await shows(page, f"<a href=#gone>Card {button}</a>")
    assert (await page.fails("click", selector="#off")).code == "untouchable"


@pytest.mark.parametrize("around", ["label", "div role=button tabindex=0"])
async def test_a_picture_under_another_control_is_no_picture_of_that(page, around):
    over = "style=display:block;width:90px;height:40px;position:absolute"
    picture = f"<b {over};pointer-events:none id=picture>Picture</b>"
    await shows(page, f"<{around} {over}>{picture}<a href=#gone {over}>Away</a>")
    assert (await page.fails("click", selector="#picture")).code == "untouchable"


async def test_a_click_into_a_frame_arrives(page):
    inside = '<body onclick="parent.document.title=`Inside`" style=height:90px>'
    await shows(page, f"<iframe srcdoc='{inside}'></iframe>")
    await page("wait", value="idle")
    assert "Clicked 'iframe'." in await page("click", selector="iframe")
    assert await page("evaluate", text="document.title") == '"Inside"'


WIDGET = """<div style="position: relative; width: 200px">
<div role=combobox tabindex=0 aria-label=Tags style="height: 30px"></div>
<div id=over style="position: absolute; inset: {}"><input aria-label=Find style="{}"></div></div>"""


@pytest.mark.parametrize(
    ("style", "by"), [("width: 10px", "<div#over>"), ("width: 90%", '<input> "Find"')]
)
async def test_the_field_of_the_widget_that_lies_over_it_is_named(page, style, by):
    await shows(page, WIDGET.format(0, style))
    shown = await page("snapshot")
    combobox, field = ref_in(shown, 'combobox "Tags"'), ref_in(shown, 'textbox "Find"')
    error = await page.fails("click", ref=combobox)
    assert f"is covered by {by}. What lies over it is {field}: use that." in str(error)
    assert "Clicked" in await page("click", ref=field)


async def test_a_field_in_what_lies_over_more_than_it_is_not_named(page):
    await shows(page, WIDGET.format("-40px", "width: 10px"))
    ref = ref_in(await page("snapshot"), 'combobox "Tags"')
    assert "Close what covers it" in str(await page.fails("click", ref=ref))


async def test_a_text_in_a_host_is_no_obstacle_to_the_button_that_shows_it(page, serve_site):
    bare = "<style>button { padding: 0; border: 0; font: 20px/1 Ahem, sans-serif }</style>"
    shown = f"<template shadowrootmode=open>{bare}<button><slot></slot></button></template>"
    nested = f"<template shadowrootmode=open><x-b>{shown}<slot></slot></x-b></template>"
    html = (
        f"<div onclick=title='one'>{shown}MMMMM</div><div onclick=title='two'>{nested}MMMMMM</div>"
    )
    await page("navigate", url=serve_site({"/": html}))
    refs = re.findall(r"button \S+ (e\d+)", await page("snapshot"))
    for ref in refs:
        assert (await page("click", ref=ref)).startswith("Clicked button"), ref
    assert (
        await page(
            "evaluate", text="[...document.querySelectorAll('div')].map((each) => each.title)"
        )
        == '["one","two"]'
    )


INNER = "<button id=go style='display:{}'>Go</button>"
INNERMOST = f"<details><summary>Inner</summary>{INNER}</details>"
FOLDED = f"<details><summary>Outer</summary>{INNERMOST}</details>"
HIDDEN = f"<div id=a hidden>{INNER}</div>"
OPENERS = {
    "details": FOLDED,
    "details without summary": f"<details>{INNER}</details>",
    "expanded": f"<button aria-expanded=false aria-controls='x a'>M</button>{HIDDEN}",
    "tab": f"<i role=tab tabindex=0 aria-controls=a>Two</i>{HIDDEN}",
    "popover": f"<button popovertarget=a>M</button><div id=a popover>{INNER}</div>",
    "dialog": f"<button commandfor=a command=show-modal>M</button><dialog id=a>{INNER}</dialog>",
}


@pytest.mark.parametrize("display", ["block", "contents"])
@pytest.mark.parametrize("opens", OPENERS)
async def test_of_what_is_closed_the_error_names_what_opens_it(page, opens, display):
    await shows(page, OPENERS[opens].replace("{}", display))
    [line] = [line for line in (await page("snapshot")).splitlines() if re.search(r" e\d+", line)]
    ref = re.search(r"e\d+", line.split('"')[2])[0]
    error = await page.fails("click", selector="#go")
    assert error.code == "hidden"
    assert error.hint == f"It is in what {ref} opens: click ref={ref} first."
    error = await page.fails("screenshot", selector="#go")
    assert (error.code, error.hint.split(":")[0]) == ("hidden", f"It is in what {ref} opens")
    assert await page("text", selector="#go") == "There is no text."


async def test_what_opens_it_is_described_where_no_snapshot_has_shown_it(page):
    many = "".join(f"<button>Number {number} of very many</button>" for number in range(2000))
    await shows(page, many + FOLDED.replace("{}", "block"))
    error = await page.fails("click", selector="#go")
    assert error.hint == 'It is in what <summary> "Outer" opens: click that first.'


async def test_what_is_hidden_for_another_reason_is_not_said_to_be_opened(page):
    await shows(
        page,
        "<details><summary>More<button id=go hidden>Go</button></summary></details>"
        "<button aria-expanded=true aria-controls=a>M</button><p id=a><b id=no hidden>Go</b></p>",
    )
    for selector in ("#go", "#no"):
        error = await page.fails("click", selector=selector)
        assert error.hint == "Something may have to be opened first; look with `snapshot`."


async def test_what_opens_a_section_without_height_is_named(page):
    section = f"<div id=a style='height:0;overflow:hidden'>{INNER.format('block')}</div>"
    await shows(page, f"<button aria-expanded=false aria-controls=a>M</button>{section}")
    ref = ref_in(await page("snapshot"), 'button "M"')
    error = await page.fails("click", selector="#go")
    assert error.code == "cut_off"
    assert error.hint == f"It is in what {ref} opens: click ref={ref} first."


async def test_a_ref_that_begins_an_error_stays_what_it_is(page):
    over = "<b style='position:fixed;inset:0;background:red'>Over</b>"
    await page.show(f"<div tabindex=0 style='width:30px;height:30px'></div>{over}")
    ref = ref_in(await page("snapshot"), "clickable")
    assert str(await page.fails("click", ref=ref)).startswith(f"{ref} is covered by <b>")
