"""Editors of code, the real ones: their text is shown, replaced and typed into."""

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
    assert shown.rstrip().endswith("var a; let b;")
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
