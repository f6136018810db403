"""Editors of code, and terminals, the real ones: their text is shown, replaced and typed into."""

import re
from pathlib import Path

import pytest

from strap import ActionError
from tests import node
from tests.site.server import Reply

pytestmark = pytest.mark.anyio
CODEMIRROR = """<!doctype html><link rel=stylesheet href=/lib/codemirror.css>
<textarea id=old>var a;
let b;</textarea><script src=/lib/codemirror.js></script>
<script>const editor = CodeMirror.fromTextArea(old);
held = () => editor.getValue()</script>"""
ACE = """<!doctype html><div id=place style="height:200px">var a;
let b;</div><script src=/src-min-noconflict/ace.js></script>
<script>const editor = ace.edit("place"); held = () => editor.getValue()</script>"""
TERMINAL = """<!doctype html><link rel=stylesheet href=/css/xterm.css><div id=place></div>
<script src=/lib/xterm.js></script><script>
const screen_ = new Terminal({ cols: 60, rows: 9 });
let asked = "";
screen_.open(place);
screen_.write("Welcome\\r\\n$ ");
screen_.onData((keys) => {
  screen_.write(keys === "\\r" ? `\\r\\nran ${asked}\\r\\n$ ` : keys);
  asked = keys === "\\r" ? "" : asked + keys;
});</script>"""
EDITORS = {
    "codemirror": (CODEMIRROR, "codemirror", "5.65.20", "lib", ["codemirror.css", "codemirror.js"]),
    "ace": (ACE, "ace-builds", "1.43.3", "src-min-noconflict", ["ace.js"]),
}


def field_in(shown):
    """The ref of the only text box."""
    (ref,) = re.findall(r'textbox(?: "[^"]*")? (e\d+)', shown)
    return ref


def _file(path):
    kind = {".css": "text/css", ".js": "text/javascript"}[path.suffix]
    return Reply(body=path.read_bytes(), headers={"Content-Type": kind})


@pytest.fixture(params=EDITORS)
def page(request, one_page, serve_site):
    html, package, version, folder, files = EDITORS[request.param]
    place = Path(node.installed(package, version, folder)[1])
    pages = {f"/{folder}/{name}": _file(place / name) for name in files}
    one_page.address = serve_site({"/": html, **pages})
    return one_page


async def test_text_is_shown_replaced_and_typed_into(page):
    shown = await page("navigate", url=page.address)
    ref = field_in(shown)
    assert shown.splitlines()[-2:] == ["  var a;", "  let b;"]
    answer = await page("fill", ref=ref, value="one\ntwo")
    assert "but it now holds" not in answer
    assert await page("evaluate", text="held()") == '"one\\ntwo"'
    assert "it holds 'one\\ntwo!'" in await page("type", ref=ref, text="!")
    await page("click", ref=ref)
    await page("press", ref=ref, key="Backspace")
    assert await page("evaluate", text="held().length") == "7"
    await page("fill", ref=ref, value="")
    assert await page("evaluate", text="held()") == '""'


async def test_a_long_text_is_replaced(page):
    shown = await page("navigate", url=page.address)
    value = "\n".join(f"line {n}" for n in range(500))
    answer = await page("fill", ref=field_in(shown), value=value)
    assert "but it now holds" not in answer
    assert await page("evaluate", text="held().split('\\n').length") == "500"


async def test_what_takes_no_text_is_told(page):
    await page("navigate", url=page.address)
    await page("evaluate", text="editor.setOption('readOnly', 'nocursor'); 0")
    ref = field_in(await page("snapshot"))
    try:
        answer = await page("fill", ref=ref, value="new")
    except ActionError as error:
        answer = str(error)
    assert "is read-only" in answer or "but it now holds 'var a;" in answer
    assert await page("evaluate", text="held()") == '"var a;\\nlet b;"'


@pytest.fixture
def terminal(one_page, serve_site):
    place = Path(node.installed("@xterm/xterm", "6.0.0", "lib")[1]).parent
    pages = {f"/{name}": _file(place / name) for name in ("lib/xterm.js", "css/xterm.css")}
    one_page.address = serve_site({"/": TERMINAL, **pages})
    return one_page


async def test_a_terminal_shows_its_lines(terminal):
    page = terminal
    ref = field_in(await page("navigate", url=page.address))
    assert (await page("snapshot")).splitlines()[-3:] == ["pre", "  Welcome", "  $"]
    assert "Welcome\n$" in await page("text")
    typed = await page("type", ref=ref, text="ls -l")
    assert typed.splitlines() == [
        f'Typed 5 characters into textbox "Terminal input" {ref}.',
        "Changed:",
        "~ $ ls -l",
    ]
    assert (await page("press", ref=ref, key="Enter")).endswith("Changed:\n+ ran ls -l\n+ $")
    assert "+ ran a" in await page("type", text="a\n")


async def test_nothing_in_a_terminal_is_replaced(terminal):
    page = terminal
    ref = field_in(await page("navigate", url=page.address))
    error = await page.fails("fill", ref=ref, value="ls")
    assert error.code == "a_terminal"
    assert "Use `type`" in str(error)
    assert "ls" not in await page("snapshot")


INDENTING = """<!doctype html><style>.view-line { white-space: pre; height: 16px }</style>
<div class=monaco-editor style="height: 80px; overflow: hidden">
<textarea class=inputarea aria-label=Code></textarea><div id=lines></div></div><script>
let text = "def old():\\n    pass", all = false;
const field = document.querySelector("textarea");
const held = () => text;
const put = (more) => {
  text = all ? more : text + more;
  all = false;
  requestAnimationFrame(draw);
};
const draw = () => lines.replaceChildren(...text.split("\\n").slice(0, 5).map((line) => {
  const drawn = document.createElement("div");
  drawn.className = "view-line";
  drawn.textContent = line.replaceAll(" ", "\\u00a0");
  return drawn;
}));
draw();
field.onkeydown = (event) => {
  if (event.ctrlKey && event.code === "KeyA") { all = true; event.preventDefault(); }
  if (event.key === "Delete" && all) put("");
};
field.onbeforeinput = (event) => {  // each new line begins where the one before it did
  event.preventDefault();
  let indent = "";
  put((event.data ?? "").split("\\n").map((line, number) => {
    const before = indent + line;
    indent = /^ */.exec(before)[0];
    return number ? before : line;
  }).join("\\n"));
};
field.onpaste = (event) => {
  event.preventDefault();
  put(event.clipboardData.getData("text/plain"));
};
field.oncopy = (event) => {
  event.preventDefault();
  event.clipboardData.setData("text/plain", all ? text : "");
};</script>"""
CODE = "def f(n):\n    if n:\n        return 1\n\n    return 2"


@pytest.fixture
def indenting(one_page, serve_site):
    one_page.address = serve_site({"/": INDENTING})
    return one_page


@pytest.mark.parametrize(
    "value", [CODE, "", "  x", "\n".join(f"    line {n}" for n in range(40))], ids=len
)
async def test_an_editor_that_indents_each_line_holds_the_text_as_it_is(indenting, value):
    page = indenting
    ref = field_in(await page("navigate", url=page.address))
    assert (await page("fill", ref=ref, value=value)).startswith(f'Filled textbox "Code" {ref}.')
    assert await page.run("held()") == value


@pytest.mark.parametrize(
    "change",
    ["text.replaceAll('    ', '  ')", "text.replace('\\n\\n', '\\n')", "text + '\\n# end'"],
)
async def test_a_text_that_the_editor_makes_another_of_is_told(indenting, change):
    page = indenting
    ref = field_in(await page("navigate", url=page.address))
    await page(
        "evaluate",
        text=f"addEventListener('paste', () => {{ text = {change}; draw(); }}); 0",
    )
    answer = await page("fill", ref=ref, value=CODE)
    held = await page.run("held()")
    assert held != CODE
    assert f"but it now holds {held!r}" in answer


async def test_a_change_beyond_what_is_drawn_is_told(indenting):
    page = indenting
    ref = field_in(await page("navigate", url=page.address))
    await page("evaluate", text="addEventListener('paste', () => { text += '!'; }); 0")
    value = "\n".join(map(str, range(40)))
    assert "but it now holds" in await page("fill", ref=ref, value=value)
