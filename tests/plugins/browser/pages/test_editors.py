"""Editors of pages: whatever they are made of, text gets into them, or the answer says that not."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def shows(page, html):
    """Have the page show this, and look at it when editors have begun."""
    await page.show(html)
    await page("wait", value="idle")
    return await page("snapshot")


FRAMED = "<iframe title=Letter srcdoc='<body {}><p>old</p>'></iframe>"
EDITABLE = FRAMED.format("contenteditable")
DESIGNED = FRAMED.format("onload=document.designMode=`on`")
WRITTEN = "document.querySelector('iframe').contentDocument.body.innerText"


@pytest.mark.parametrize("html", [EDITABLE, DESIGNED], ids=["contenteditable", "designMode"])
async def test_the_body_of_a_frame(page, html):
    ref = ref_in(await shows(page, html), "  textbox")
    assert await page("fill", ref=ref, value="new") == f"Filled textbox {ref}."
    assert await page("evaluate", text=WRITTEN) == '"new"'
    assert "it holds 'new!'" in await page("type", ref=ref, text="!")
    await page("click", ref=ref)
    await page("press", key="End")
    await page("type", text="?")
    assert await page("evaluate", text=WRITTEN) == '"new!?"'


@pytest.mark.parametrize("html", [EDITABLE, DESIGNED], ids=["contenteditable", "designMode"])
async def test_the_frame_itself_stands_for_its_body(page, html):
    await shows(page, html)
    assert "Filled 'iframe'." in await page("fill", selector="iframe", value="new")
    assert "it holds 'newer'" in await page("type", selector="iframe", text="er")
    assert await page("evaluate", text=WRITTEN) == '"newer"'
    assert "textbox" in await page("snapshot")
    assert ": newer" in await page("snapshot")


@pytest.mark.parametrize(("action", "code"), [("type", "a_frame"), ("fill", "not_a_field")])
async def test_a_frame_without_an_editor_takes_no_text(page, action, code):
    await shows(page, FRAMED.format(""))
    words = {"text": "x"} if action == "type" else {"value": "x"}
    assert (await page.fails(action, selector="iframe", **words)).code == code


async def test_the_body_of_the_page(page):
    await page.open("menu.html")
    await page(
        "evaluate", text="document.body.innerHTML = '<p>old</p>'; document.designMode = 'on'"
    )
    ref = ref_in(await page("snapshot"), "textbox")
    await page("fill", ref=ref, value="new")
    assert await page("evaluate", text="document.body.innerText") == '"new"'


PARAGRAPHS = """
const editor = document.querySelector("[contenteditable]");
editor.addEventListener("beforeinput", (event) => {
  event.preventDefault();
  const { anchorNode } = getSelection();
  if (anchorNode === editor) return;  // a caret beside the paragraphs means nothing
  const old = getSelection().isCollapsed ? editor.innerText.replaceAll("\\n\\n", "\\n") : "";
  const lines = (old + (event.data ?? "\\n")).split("\\n");
  editor.replaceChildren(...lines.map((text) => {
    const line = document.createElement("p");
    line.textContent = text;
    return line;
  }));
  getSelection().selectAllChildren(editor.lastChild);
  getSelection().collapseToEnd();
}); 0"""


@pytest.mark.parametrize("content", ["<p>old</p>", "\n <p>old</p>\n ", "<p><b>old</b></p>"])
async def test_an_editor_that_knows_carets_in_its_paragraphs_alone(page, content):
    opened = await shows(page, f"<div contenteditable aria-label=Note>{content}</div>")
    ref = ref_in(opened, 'textbox "Note"')
    await page("evaluate", text=PARAGRAPHS)
    assert "it holds 'oldZ'" in await page("type", ref=ref, text="Z")
    assert (await page("fill", ref=ref, value="one\ntwo")).startswith(
        f'Filled textbox "Note" {ref}.'
    )


@pytest.mark.parametrize(
    ("value", "held"), [("one\ntwo", "<p>one</p><p>two</p>"), ("a b", "<p>a&nbsp;b</p>")]
)
async def test_paragraphs_are_lines(page, value, held):
    opened = await shows(page, "<div contenteditable aria-label=Note><p>old</p></div>")
    script = (
        "const e = document.querySelector('[contenteditable]');"
        f"e.oninput = () => {{ e.innerHTML = {held!r} }}; 0"
    )
    await page("evaluate", text=script)
    answer = await page("fill", ref=ref_in(opened, 'textbox "Note"'), value=value)
    assert "but it now holds" not in answer
    lost = await page("fill", ref=ref_in(opened, 'textbox "Note"'), value="three")
    assert "but it now holds" in lost


async def test_one_that_hears_late_of_what_is_selected(page):
    """As Lexical and CKEditor 5: at a key they look at what they were told is selected."""
    script = """let all = false;
    document.addEventListener("selectionchange", () =>
      requestAnimationFrame(() => { all = !getSelection().isCollapsed; }));
    editor.addEventListener("beforeinput", (event) => {
      if (event.inputType !== "deleteContentForward") return;
      event.preventDefault();
      if (all) editor.innerHTML = "<p>\\ufeff<br></p>";
    });"""
    await shows(page, "<div id=editor contenteditable><p>one</p><p>two</p></div>")
    await page("evaluate", text=script + "0")
    ref = ref_in(await page("snapshot"), "textbox")
    await page("type", ref=ref, text="!")
    assert await page("fill", ref=ref, value="") == f"Filled textbox {ref}."
    assert await page("evaluate", text="editor.textContent.length") == "1"


BLOCKS = """<div id=editor contenteditable aria-label=Body style="white-space: pre-wrap"></div>"""
OWN_DOCUMENT = """globalThis.blocks = ["old text"];
let range = null;
const draw = () => {
  editor.replaceChildren(...blocks.map((text) => {
    const block = document.createElement("div");
    block.append(text ? document.createTextNode(text) : document.createElement("br"));
    return block;
  }));
};
const put = (lines) => {  // all of it where that is selected, else before it
  blocks = range === "all" ? lines : [lines.join("\\n") + blocks[0], ...blocks.slice(1)];
  draw();
  range = null;
};
draw();
editor.onfocus = () => requestAnimationFrame(() => getSelection().collapse(editor.firstChild, 0));
document.onselectionchange = () => setTimeout(() => {
  const all = editor.innerText.replace(/\\n/g, ""), selected = `${getSelection()}`;
  range = all && selected.replace(/\\n/g, "") === all ? "all" : null;
});
editor.onbeforeinput = (event) => {
  event.preventDefault();
  if (event.inputType.startsWith("delete")) return range ? put([""]) : null;
  put([event.data ?? ""]);
};
editor.onpaste = (event) => {
  event.preventDefault();
  const lines = event.clipboardData.getData("text/plain").split("\\n");
  blocks = blocks.length === 1 && !blocks[0] ? lines : [...blocks, ...lines];
  draw();
};0"""


@pytest.mark.parametrize("value", ["one\n\ntwo", "one", "a\n  b\n\n\nc", "x\n"], ids=repr)
async def test_lines_are_blocks_of_an_editor_with_a_document_of_its_own(page, value):
    """As Draft.js and Slate: a line break in what is typed is a character to them."""
    await page.show(BLOCKS)
    await page("evaluate", text=OWN_DOCUMENT)
    ref = ref_in(await page("snapshot"), 'textbox "Body"')
    assert (await page("fill", ref=ref, value=value)).startswith(f'Filled textbox "Body" {ref}.')
    assert await page.run("blocks") == value.split("\n")


SHOWING = "document.querySelector('[contenteditable]').oninput = (e) => { e.target.innerHTML = "


@pytest.mark.parametrize(
    ("value", "held"),
    [
        ("one\n\ntwo", "<p>one</p><p>two</p>"),  # as drawn, a blank line is between the two
        ("one\ntwo", "<p>one<br>two</p>"),
        ("one\n\ntwo", "<p>one</p><p><br></p><p>two</p>"),
        ("a\n  b", "<p>a</p><p>&nbsp; b</p>"),
    ],
)
async def test_lines_of_an_editor(page, value, held):
    opened = await shows(page, "<div contenteditable aria-label=Note><p>old</p></div>")
    await page("evaluate", text=f"{SHOWING}{held!r} }}; 0")
    answer = await page("fill", ref=ref_in(opened, 'textbox "Note"'), value=value)
    assert "but it now holds" not in answer


@pytest.mark.parametrize(
    ("value", "held"),
    [
        ("one\n\n\ntwo", "<p>one</p><p>two</p>"),
        ("one\ntwo", "<p>one two</p>"),
        ("a\n  b", "<p>a</p><p>b</p>"),
        ("a  b", "<p>a b</p>"),
    ],
)
async def test_lines_and_blanks_that_an_editor_lost_are_told(page, value, held):
    opened = await shows(page, "<div contenteditable aria-label=Note><p>old</p></div>")
    await page("evaluate", text=f"{SHOWING}{held!r} }}; 0")
    answer = await page("fill", ref=ref_in(opened, 'textbox "Note"'), value=value)
    assert "but it now holds" in answer


PROMPTS = {
    "style sheet": "<style>b::before {{ content: attr(title) }}</style>{0}<b title=Write><br></b>",
    "part": "{0}<p><i contenteditable=false style='pointer-events:none'>Write</i>\ufeff<br></p>",
}


@pytest.mark.parametrize("name", PROMPTS)
async def test_what_an_empty_editor_asks_for_is_no_value(one_page, outline, name):
    editor = "<div contenteditable role=textbox aria-label=Body>"
    assert await outline(PROMPTS[name].format(editor)) == ['textbox "Body" #: (Write)']
    await one_page("evaluate", text="document.querySelector('p, b').prepend('Text'); 0")
    assert '"Body" e' in (shown := await one_page("snapshot"))
    assert ": Text" in shown or ": WriteText" in shown


async def test_a_part_that_nobody_edits_is_a_value(outline):
    chip = "<span contenteditable=false>@Ada</span>"
    lines = await outline(f"<div contenteditable role=textbox aria-label=To>{chip}</div>")
    assert lines == ['textbox "To" #: @Ada']
