"""Keys: on an element or where the focus is, and where the focus goes."""

import pytest

from strap import UsageError
from strap_browser.interaction.keys import Chord, chords

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


@pytest.mark.parametrize(
    ("keys", "pressed"),
    [
        ("Enter", [Chord("Enter")]),
        ("return ESC del", [Chord("Enter"), Chord("Escape"), Chord("Delete")]),
        ("ctrl+shift+k", [Chord("k", ("Control", "Shift"))]),
        ("Control++", [Chord("+", ("Control",))]),
        ("+", [Chord("+")]),
        ("é", [Chord("é")]),
        ("Shift", [Chord("Shift")]),
        ("f5", [Chord("F5")]),
        ("  ", [Chord("Space"), Chord("Space")]),
        ("Page_Down Super_L", [Chord("PageDown"), Chord("Meta")]),
        ("CMD+OPTION+_", [Chord("_", ("Meta", "Alt"))]),
        ("KeyA Digit5 Minus", [Chord("a"), Chord("5"), Chord("-")]),
        ("Control+keyz ControlLeft", [Chord("z", ("Control",)), Chord("Control")]),
    ],
)
def test_spellings(keys, pressed):
    assert chords(keys) == pressed


@pytest.mark.parametrize("keys", ["", "\n", "Entr", "Foo+A", "Enter+A", "a " * 101, "\a", "Alt+é"])
def test_what_is_no_key(keys):
    with pytest.raises(UsageError):
        chords(keys)


async def test_enter_sends_a_form(page):
    await page.open("form.html")
    await page("fill", selector="[name=name]", value="Ada")
    answer = await page("press", selector="[name=name]", key="Enter")
    assert answer.startswith("Pressed Enter on '[name=name]'.")
    assert "Submitted Ada" in answer


async def test_where_the_focus_goes(page):
    ref = ref_in(await page.open("form.html"), 'textbox "Name"')
    answer = await page("press", ref=ref, key="Tab")
    assert 'The focus is on <input> "Email".' in answer
    assert "Nothing else has changed so far." in answer
    await page("type", text="ada@x.org")
    assert await page("evaluate", text="document.forms[0].email.value") == '"ada@x.org"'


async def test_a_focus_that_comes_back_shortly_is_told_where_it_is(page):
    body = """<button id=first>Open</button><div id=layer tabindex=0>Layer</div><p id=told></p>"""
    await page.show(body)
    await page.run("""const { port1, port2 } = new MessageChannel(); let until;
    port1.onmessage = () => {
      told.textContent = `Closes ${performance.now()}`;
      if (performance.now() < until) port2.postMessage(0); else first.focus();
    };
    layer.onkeydown = () => {
      layer.remove(); until = performance.now() + 80; port2.postMessage(0);
    };
    layer.focus(); 0""")
    answer = await page("press", key="Escape")
    assert 'The focus is on <button#first> "Open".' in answer


@pytest.mark.parametrize("hides", ["hidden", "type=hidden", "style=visibility:hidden"])
async def test_a_key_goes_to_the_widget_that_keeps_its_value_in_a_hidden_field(page, hides):
    await page.open("form.html")
    slider = f"<p role=slider tabindex=0 onkeydown='title = event.key'>4<input {hides} value=4></p>"
    await page("evaluate", text=f"document.body.innerHTML = `{slider}`; 0")
    await page("press", selector="[role=slider]", key="ArrowRight")
    assert await page("evaluate", text="document.querySelector('p').title") == '"ArrowRight"'
    assert "Arrow keys move it" in str(await page.fails("fill", selector="p", value="5"))


@pytest.mark.parametrize("selector", ["body", "html", ":root > body"])
async def test_keys_for_the_whole_page_go_where_the_focus_is(page, selector):
    html = '<button onkeydown="document.title = event.key">First</button><input>'
    await page.show(html)
    await page("press", selector="button", key="a")
    answer = await page("press", selector=selector, key="b")
    assert answer.startswith('Pressed b on <button> "First".')
    await page("type", selector=selector, text="c")
    assert await page("evaluate", text="document.title") == '"c"'
    assert await page("evaluate", text="document.querySelector('input').value") == '""'
    assert (await page.fails("fill", selector=selector, value="x")).code == "not_a_field"


async def test_a_body_that_takes_the_focus_has_it(page):
    await page.show("<button>First</button><input>")
    script = "document.body.tabIndex = 0; document.body.onkeydown = () => { document.title = 'B' };"
    await page("evaluate", text=script + "document.querySelector('button').focus(); 0")
    await page("press", selector="body", key="a")
    assert await page("evaluate", text="document.activeElement.localName") == '"body"'


async def test_combination_and_several_keys(page):
    await page.open("form.html")
    await page("fill", selector="[name=name]", value="Ada")
    await page("press", selector="[name=name]", key="Control+A Delete B o b")
    assert await page("evaluate", text="document.forms[0].name.value") == '"Bob"'
    await page("press", selector="[name=country]", key="ArrowDown ArrowDown")
    assert await page("evaluate", text="document.forms[0].country.value") == '"pe"'


async def test_space_presses_a_button(page):
    await page.open("form.html")
    assert "Clicked 1" in await page("press", selector="#counter", key="Space")
    assert "Clicked 2" in await page("press", selector="#counter", key=" ")


async def test_dialog(page):
    await page.open("dialogs.html")
    answer = await page("press", selector="#confirm", key="Enter Enter Enter")
    assert "A confirm dialog is open" in answer


async def test_frame(page):
    await page.open("frames.html")
    ref = ref_in(await page("snapshot"), 'button "Go"')
    assert "near true" in await page("press", ref=ref, key="Enter")


async def test_bad_input(page):
    await page.open("form.html")
    error = await page.fails("press", key="Entr")
    assert str(error).startswith("There is no key 'Entr'. Keys: single characters, Enter, Tab,")
    assert "'key' is missing" in str(await page.fails("press"))
    assert "not both" in str(await page.fails("press", key="a", ref="e1", selector="#counter"))
    assert (await page.fails("press", key="a", selector="#none")).code == "not_found"
    assert (await page.fails("press", key="a", selector="h1")).code == "not_focusable"


async def test_characters_that_no_key_has(page):
    await page.open("form.html")
    answer = await page("press", selector="[name=name]", key="Ü 😀 ş x")
    assert answer.startswith("Pressed Ü 😀 ş x on")
    assert await page("evaluate", text="document.forms[0].name.value") == '"Ü😀şx"'


async def test_the_focus_stays_where_what_has_it_says_something_else(page):
    says = "onkeydown='textContent = event.key'"
    await page.show(
        f"<div tabindex=0 {says}>Pick</div><button onkeydown='this.remove()'>Go</button>"
    )
    assert "The focus is on" not in await page("press", selector="div", key="ArrowDown Home")
    assert "The focus is on <body>" in await page("press", selector="button", key="Home")


@pytest.mark.parametrize(
    "field",
    [
        "<input id=f value=abc>",
        "<input id=f type=password value=abc>",
        "<input id=f type=number value=123>",
        "<textarea id=f>abc</textarea>",
        "<div id=f contenteditable>abc</div>",
    ],
)
async def test_keys_on_a_field_one_after_the_other_find_the_caret_where_it_was(page, field):
    await page.show(field)
    await page("press", selector="#f", key="Control+A")
    await page("press", selector="#f", key="Backspace")
    assert await page("evaluate", text="f.value ?? f.innerText.trim()") == '""'


async def test_the_caret_moves_on_from_where_a_key_led(page):
    await page.show("<input id=f value=abc><button>Go</button>")
    await page("press", selector="#f", key="ArrowLeft")
    await page("press", selector="#f", key="ArrowLeft")
    await page("press", selector="#f", key="x")
    assert await page("evaluate", text="f.value") == '"axbc"'
    await page("click", selector="button")
    await page("press", selector="#f", key="z")
    assert await page("evaluate", text="f.value") == '"axbcz"'
