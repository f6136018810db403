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
