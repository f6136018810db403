"""Code, logs, diffs and values of several lines keep their lines and their indentation."""

import re

import pytest

pytestmark = pytest.mark.anyio
MONO = "white-space: pre-wrap; font-family: Menlo, monospace"
LINES = ["a:", "  b: 1", "    c: 2"]
TEXT = "\n".join(LINES)
ROWS = "".join(f"<div class=line>{line}</div>" for line in LINES)
PRE = ["pre", *(f"  {line}" for line in LINES)]


@pytest.fixture
def shown(one_page, serve_site):
    """The lines of a snapshot of a page with this, without its title."""

    async def lines(html):
        one_page.address = serve_site({"/": f"<!doctype html><title>T</title>{html}"})
        answer = await one_page("navigate", url=one_page.address)
        return [re.sub(r" e\d+", "", line) for line in answer.splitlines()[1:]]

    return lines


BLOCKS = {
    "wraps": f'<div style="{MONO}">{TEXT}</div>',
    "blocks": f"<pre>{ROWS}</pre>",
    "code": f"<pre><code>{ROWS}</code></pre>",
    "each": f"<style>.line {{ white-space: pre }}</style><div>{ROWS}</div>",
    "each wraps": f"<style>.line {{ {MONO} }}</style><section>{ROWS}</section>",
    "spans": f"<style>.line {{ display: block }}</style><pre>{ROWS.replace('div', 'span')}</pre>",
    "line breaks": "<code>\n"
    + "<br>\n ".join(line.replace("  ", "&nbsp; ") for line in LINES)
    + "</code>",
    "numbers": "<pre>"
    + "\n".join(
        f"<span style='user-select: none; display: inline-block'>{n}</span><span>{line}</span>"
        for n, line in enumerate(LINES, 1)
    )
    + "</pre>",
}


@pytest.mark.parametrize("name", BLOCKS)
async def test_lines_of_code_are_told_as_lines(shown, name):
    assert await shown(BLOCKS[name]) == PRE


PROSE = {
    "wraps": ('<div style="white-space: pre-wrap">Dear A,\n  thanks</div>', "Dear A, thanks"),
    "one": ("<pre>npm install x</pre>", "npm install x"),
    "line breaks": ("<p>Dear A,<br>&nbsp; thanks</p>", "Dear A, thanks"),
    "inline": ("<p>Then <code>npm  run</code>\n it.</p>", "Then npm run it."),
}


@pytest.mark.parametrize("name", PROSE)
async def test_other_texts_stay_on_their_line(shown, name):
    html, text = PROSE[name]
    assert await shown(html) == [f"text: {text}"]


@pytest.mark.parametrize("gap", ["<p>Or:</p>", "<hr>", ""])
async def test_commands_in_blocks_of_their_own_are_not_one_code(shown, gap):
    lines = await shown(f"<pre>npm i</pre>{gap}<pre>npm test</pre>")
    assert "text: npm i" in lines
    assert "text: npm test" in lines


FIELDS = {
    "textarea": f"<textarea aria-label=Code>{TEXT}</textarea>",
    "pre": f"<pre contenteditable role=textbox aria-label=Code>{TEXT}</pre>",
    "rows": '<div contenteditable role=textbox aria-label=Code style="white-space: pre">'
    f"{ROWS}</div>",
    "wraps": f'<div contenteditable role=textbox aria-label=Code style="{MONO}">{ROWS}</div>',
}


@pytest.mark.parametrize("name", FIELDS)
async def test_a_field_shows_the_lines_of_its_value(shown, one_page, name):
    shown = await shown(FIELDS[name])
    assert shown == ['textbox "Code"', *PRE[1:]]
    field, line = (await one_page("snapshot", text="c: 2")).splitlines()[1:3]
    assert line == "      c: 2"
    answer = await one_page("fill", ref=field.split()[-1], value="x:\n  y: 2")
    assert answer == f"Filled {field}."
    assert (await one_page("snapshot")).splitlines()[1:4][-2:] == ["  x:", "    y: 2"]


async def test_paragraphs_of_a_rich_text_stay_on_their_line(shown):
    html = "<div contenteditable role=textbox aria-label=Post style='white-space: pre-wrap'>"
    assert await shown(f"{html}<p>One</p><p>Two</p></div>") == ['textbox "Post": One Two']


EDITED = {
    "code": 'style="white-space: pre"',
    "paragraphs": "",
}


@pytest.mark.parametrize("name", EDITED)
async def test_a_filled_editor_is_not_told_as_a_change(one_page, serve_site, name):
    field = (
        f"<div id=d contenteditable role=textbox aria-label=Code {EDITED[name]}></div><p id=o></p>"
    )
    script = "<script>d.oninput = () => o.textContent = 'Draft'</script>"
    await one_page("navigate", url=serve_site({"/": f"<!doctype html>{field}{script}"}))
    answer = await one_page("fill", selector="[role=textbox]", value="x:\n  y: 1")
    assert answer.splitlines()[1:] == ["Changed:", "+ text: Draft"]


async def test_a_filled_textarea_is_not_told_as_a_change(one_page, serve_site):
    field = f"<textarea id=a aria-label=Code>{TEXT}</textarea><p id=o></p>"
    script = "<script>a.oninput = () => o.textContent = 'Draft'</script>"
    await one_page("navigate", url=serve_site({"/": f"<!doctype html>{field}{script}"}))
    for value in ("x:\n  y: 1\n\n", "  one", "", "a\n\n\n b"):
        await one_page("evaluate", text="o.textContent = ''")
        answer = await one_page("fill", selector="textarea", value=value)
        assert answer.splitlines()[1:] == ["Changed:", "+ text: Draft"]


CELL = "style='white-space: pre; font-family: monospace'"
DIFF = f"""<table><tr><td>1<td {CELL}>def f(n):</tr><tr><td>2<td {CELL}>-    if n:</tr>
<tr><td>2<td {CELL}>    if n > 1:</tr></table>"""
MARKED = """<style>.line { white-space: nowrap } b, i { white-space: pre; font: 1em monospace }
i { display: inline-block }</style><table><tr><td>2<td class=line>
<b>-</b>
<i>    if <u>n</u>:</i>
</td></tr></table>"""


async def test_cells_of_a_diff_keep_their_indentation(shown):
    lines = await shown(DIFF)
    assert [line.strip() for line in lines[1:]] == [
        "row: 1 | def f(n):",
        "row: 2 | -    if n:",
        "row: 2 |     if n > 1:",
    ]


async def test_the_sign_of_a_changed_line_stays(shown):
    assert (await shown(MARKED))[-1].endswith("2 | -     if n:")


async def test_a_change_in_code_is_told_by_its_line(one_page, serve_site):
    button = "<button onclick=\"a.textContent = a.textContent.replace('  b: 1', '  b: 7')\">Go"
    address = serve_site({"/": f"<!doctype html>{button}</button><pre id=a>{TEXT}</pre>"})
    await one_page("navigate", url=address)
    answer = await one_page("click", selector="button")
    assert answer.splitlines()[-2:] == ["Changed:", "~   b: 7"]


async def test_a_change_of_a_field_is_told_by_its_lines(one_page, serve_site):
    button = "<button onclick=\"a.value = 'x:\\n  y: 1'\">Go"
    field = "<textarea id=a aria-label=Code></textarea>"
    await one_page("navigate", url=serve_site({"/": f"<!doctype html>{field}{button}"}))
    answer = await one_page("click", selector="button")
    assert answer.splitlines()[-2:] == ["+ x:", "+   y: 1"]


@pytest.mark.parametrize("name", BLOCKS)
async def test_a_text_has_the_lines_as_they_are(shown, one_page, name):
    await shown(BLOCKS[name])
    text = (await one_page("text")).split("\n", 1)[1]
    assert TEXT in text
    assert not re.search(r"\n\n+[ab]|b: 1\n\n", text)


PAINTED = """<div class=xterm><div class=xterm-helpers>
<textarea class=xterm-helper-textarea aria-label="Terminal input"></textarea></div>
<div class=xterm-accessibility><div class=xterm-accessibility-tree style="color: transparent">
<div>$ ls -l</div><div>total 8</div><div>    src</div><div> </div></div></div></div>"""


async def test_a_painted_terminal_is_read_from_its_accessible_lines(shown, one_page):
    lines = await shown(PAINTED)
    assert lines == ['textbox "Terminal input"', "pre", "  $ ls -l", "  total 8", "      src"]
    assert (await one_page("text")).splitlines()[1:] == ["$ ls -l", "total 8", "    src"]


async def test_the_values_and_cells_of_a_text_keep_their_blanks(shown, one_page):
    await shown(f"<textarea>{TEXT}</textarea>{DIFF}")
    text = await one_page("text")
    assert TEXT in text
    assert "| 2 |     if n > 1: |" in text
