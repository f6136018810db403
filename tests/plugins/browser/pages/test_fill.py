"""Filling fields and typing: what the page sees, and what the answer claims."""

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def test_fill(page):
    ref = ref_in(await page.open("form.html"), 'textbox "Name"')
    assert await page("fill", ref=ref, value="Ada") == f'Filled textbox "Name" {ref}.'
    assert f'textbox "Name" {ref} focused: Ada' in await page("snapshot")


async def test_fill_replaces(page):
    await page.open("form.html")
    await page("fill", selector="[name=name]", value="Ada Lovelace")
    await page("fill", selector="[name=name]", value="Bob")
    assert await page("evaluate", text="document.forms[0].name.value") == '"Bob"'
    await page("fill", selector="[name=name]", value="")
    assert await page("evaluate", text="document.forms[0].name.value") == '""'


async def test_fill_takes_text_for_value(page):
    await page.open("form.html")
    assert await page("fill", selector="[name=name]", text="Ada") == "Filled '[name=name]'."


async def test_events_are_real(page):
    await page.open("form.html")
    await page(
        "evaluate",
        text="log = []; for (const type of ['focus', 'beforeinput', 'input', 'change'])"
        " addEventListener(type, (e) => log.push(`${type} ${e.isTrusted}`), true); 0",
    )
    await page("fill", selector="[name=name]", value="Ada")
    await page("fill", selector="[name=email]", value="a@b.c")
    logged = await page("evaluate", text="log.join()")
    assert logged.startswith('"focus true,beforeinput true,input true,change true,focus true')


async def test_lines_in_a_text_area(page):
    await page.open("form.html")
    answer = await page("fill", selector="[name=comments]", value="One\r\nTwo\n")
    assert answer == "Filled '[name=comments]'."
    assert await page("evaluate", text="document.forms[0].comments.value") == '"One\\nTwo\\n"'


async def test_what_the_field_really_holds(page):
    await page.open("form.html")
    answer = await page("fill", selector="[name=code]", value="123456")
    assert answer == "Filled '[name=code]', but it now holds '1234'."


async def test_password_is_not_repeated(page):
    await page.open("form.html")
    answer = await page("fill", selector="[name=password]", value="hunter2")
    assert answer == "Filled '[name=password]'."
    assert "hunter2" not in await page("type", selector="[name=password]", text="x")


@pytest.mark.parametrize("value", ["pe", "Peru", "peru"])
async def test_drop_down(page, value):
    ref = ref_in(await page.open("form.html"), 'combobox "Country"')
    assert await page("fill", ref=ref, value=value) == f'Filled combobox "Country" {ref}.'
    assert await page("evaluate", text="document.forms[0].country.value") == '"pe"'


async def test_drop_down_without_that_option(page):
    await page.open("form.html")
    error = await page.fails("fill", selector="[name=country]", value="Atlantis")
    assert "Options: 'France', 'Japan', 'Peru'." in str(error)


async def test_date(page):
    await page.open("form.html")
    await page("fill", selector="[name=born]", value="1815-12-10")
    assert await page("evaluate", text="document.forms[0].born.value") == '"1815-12-10"'
    error = await page.fails("fill", selector="[name=born]", value="yesterday")
    assert str(error) == (
        "'[name=born]' does not take that value. It is of type date: write it as 2030-12-31."
    )
    assert await page("evaluate", text="document.forms[0].born.value") == '"1815-12-10"'


@pytest.mark.parametrize(
    ("kind", "held", "value", "form"),
    [
        ("range min=1 max=5", "3", "9", "a number from 1 to 5"),
        ("range", "20", "101", "a number from 0 to 100"),
        ("range step=10", "20", "55", "a number from 0 to 100 in steps of 10"),
        ("range step=any", "20", "x", "a number from 0 to 100"),
        ("color", "#aabbcc", "redd", "#aabbcc"),
        ("time", "10:00", "10 o'clock", "23:59"),
        ("month", "2030-01", "January", "2030-12"),
        ("number", "7", "abc", "1234.5"),
    ],
)
async def test_refused_value_leaves_the_field_as_it_was(page, kind, held, value, form):
    await page.open("form.html")
    field = f"<input id=it type={kind} value={held}>"
    await page("evaluate", text=f'document.body.innerHTML = "{field}"; 0')
    error = await page.fails("fill", selector="#it", value=value)
    assert str(error).endswith(f"It is of type {kind.split()[0]}: write it as {form}.")
    assert await page("evaluate", text="document.getElementById('it').value") == f'"{held}"'


async def test_what_a_page_sets_as_the_field_gets_the_focus_is_replaced_too(page, serve_site):
    """As time pickers do, which set the time of day and select its hours."""
    html = """<input aria-label=At><script>const at = document.querySelector("input");
      at.onfocus = () => Promise.resolve().then(() => { at.value = "00:11:22";
      setTimeout(() => at.setSelectionRange(0, 2)) });
      const heard = []; at.oninput = () => heard.push(at.value)</script>"""
    await page("navigate", url=serve_site({"/": html}))
    assert await page("fill", selector="input", value="10:20:30") == "Filled 'input'."
    assert await page("evaluate", text="heard") == '["10:20:30"]'


KEEPS = """<input value=abc><script>const it = document.querySelector("input");
  it.onselectionchange = () => { if (it.value.length > 1 && it.selectionStart === 0
    && it.selectionEnd === it.value.length) it.setSelectionRange(0, 1) };
  const heard = []; it.oninput = () => heard.push(it.value)</script>"""


async def test_a_text_is_entered_once_where_a_page_lets_nobody_select_all(page, serve_site):
    await page("navigate", url=serve_site({"/": KEEPS}))
    answer = await page("fill", selector="input", value="09:10")
    # The page hears a little later of what is selected, and may be too late.
    told = {"Filled 'input', but it now holds '09:10bc'.": "09:10bc", "Filled 'input'.": "09:10"}
    assert await page("evaluate", text="heard") == f'["{told[answer]}"]'


async def test_what_cannot_be_filled(page):
    await page.open("form.html")
    inputs = "<input type=file name=file><input type=submit><p role=slider><p role=spinbutton>"
    await page("evaluate", text=f"document.body.insertAdjacentHTML('beforeend', '{inputs}'); 0")
    for selector, words in (
        ("[name=news]", "Use click."),
        ("[name=id]", "is read-only. Only the page itself sets it."),
        ("[name=file]", "takes no text: it is of type file. Use upload."),
        ("[type=submit]", "takes no text: it is of type submit. Use click."),
        ("h1", "is not a field"),
        ("[role=slider]", "is not a field. Arrow keys move it: use `press`, or `drag`."),
        ("[role=spinbutton]", "is not a field. Arrow keys move it: use `press`, or `drag`."),
    ):
        assert words in str(await page.fails("fill", selector=selector, value="x"))


async def test_editor(page):
    await page.open("form.html")
    await page("evaluate", text="document.getElementById('status').contentEditable = true; 0")
    assert await page("fill", selector="#status", value="Rich words") == "Filled '#status'."
    assert (
        await page("evaluate", text="document.getElementById('status').innerText") == '"Rich words"'
    )


async def test_changes_elsewhere_are_told(page):
    await page.open("form.html")
    await page(
        "evaluate",
        text="document.forms[0].name.oninput = (e) => {"
        " document.getElementById('clicks').textContent = `Hi ${e.target.value}`; }; 0",
    )
    answer = await page("fill", selector="[name=name]", value="Ada")
    assert answer == "Filled '[name=name]'.\nChanged:\n~ text: Hi Ada"


async def test_another_field_that_a_script_sets_is_told(page):
    opened = await page.open("form.html")
    await page(
        "evaluate",
        text="const f = document.forms[0]; f.name.oninput = () => { f.email.value = 'a@b.c'; }; 0",
    )
    answer = await page("fill", ref=ref_in(opened, 'textbox "Name"'), value="Ada")
    assert '~ textbox "Email"' in answer
    assert "a@b.c" in answer


UNTRACED = {
    "a popover": ("o.showPopover()", "+ text: Suggested"),
    "a shadow root": (
        "s.attachShadow({ mode: 'open' }).innerHTML = 'In the shadow'",
        "+ text: In the shadow",
    ),
    "a box in a shadow root": ("b.shadowRoot.firstChild.checked = true", 'checkbox "Box" e'),
    "an address": ("history.replaceState(0, '', '?q=a')", "?q=a"),
}


@pytest.mark.parametrize("action", ["fill", "type"])
@pytest.mark.parametrize(("script", "told"), UNTRACED.values(), ids=UNTRACED)
async def test_what_leaves_no_trace_in_the_document_is_told(page, serve_site, script, told, action):
    html = '<input aria-label=Query oninput="{}"><i id=o popover>Suggested</i><p id=s></p>'
    html += "<p id=b><template shadowrootmode=open><input type=checkbox aria-label=Box></template>"
    opened = await page("navigate", url=serve_site({"/": html.format(script)}))
    field = {"fill": "value", "type": "text"}[action]
    answer = await page(action, ref=ref_in(opened, 'textbox "Query"'), **{field: "a"})
    assert told in answer, answer


async def test_type_in_a_field(page):
    ref = ref_in(await page.open("form.html"), 'textbox "Name"')
    await page("fill", ref=ref, value="Ada")
    answer = await page("type", ref=ref, text=" Lovelace")
    assert answer.startswith(
        f"Typed 9 characters into textbox \"Name\" {ref}; it holds 'Ada Lovelace'."
    )


async def test_type_presses_keys_and_enter(page):
    await page.open("form.html")
    await page(
        "evaluate", text="keys = []; addEventListener('keydown', (e) => keys.push(e.key)); 0"
    )
    answer = await page("type", selector="[name=name]", text="Al\n")
    assert "~ status: Submitted Al" in answer or "+ status: Submitted Al" in answer
    assert await page("evaluate", text="keys.join()") == '"A,l,Enter"'


async def test_type_where_the_focus_is(page):
    await page.open("form.html")
    await page("fill", selector="[name=email]", value="a")
    answer = await page("type", text="@b")
    assert answer.startswith("Typed 2 characters into <input>")
    assert await page("evaluate", text="document.forms[0].email.value") == '"a@b"'


async def test_type_beyond_the_keyboard(page):
    await page.open("form.html")
    await page("type", selector="[name=name]", text="Zoë 東京 🎉")
    assert await page("evaluate", text="document.forms[0].name.value") == '"Zoë 東京 🎉"'


async def test_keys_for_what_holds_no_text(page):
    await page.open("form.html")
    answer = await page("type", selector="[name=news]", text=" ")
    assert answer.splitlines()[0] == "Typed 1 character into '[name=news]'."
    assert await page("evaluate", text="document.forms[0].news.checked") == "true"


ON_INPUT = {
    "fetches": (
        "fetch('/slow').then((r) => r.text()).then((t) => { status.textContent = t; })",
        "Loaded",
    ),
    "leaves": ("location = '/sent'", "Now at 'Sent'"),
    "asks": ("confirm('Really?')", "Answer it with `dialog`."),
    "tells": ("alert('Typed')", "An alert said 'Typed'"),
    "sends elsewhere": ("setTimeout(() => { location = '/slow-page' }, 0)", "Now at 'Late'"),
}


@pytest.mark.parametrize("what", ON_INPUT)
async def test_what_an_input_starts_is_waited_for(page, what):
    done, said = ON_INPUT[what]
    await page.open("form.html")
    await page("fill", selector="[name=email]", value="the page is known now")
    code = f"const status = document.getElementById('status'); f = () => {{ {done} }};"
    await page("evaluate", text=f"{code} document.forms[0].name.oninput = f; 0")
    answer = await page("fill", selector="[name=name]", value="Ada")
    assert said.replace("'", '"') in answer.replace("'", '"')
    if what == "asks":
        await page("dialog", value="dismiss")


async def test_a_page_does_not_see_who_asks_it(page):
    await page.open("form.html")
    await page("fill", selector="[name=name]", value="Ada")
    names = "Object.getOwnPropertyNames(globalThis).filter((name) => /strap/.test(name)).join()"
    assert await page("evaluate", text=names) == '""'


async def test_the_page_is_asked_not_a_frame_in_it(page, shared):
    await page.open("frames.html")
    await page("snapshot")
    field = "document.body.insertAdjacentHTML('beforeend', '<input id=it>'); 0"
    await page("evaluate", text=field)
    assert await page("fill", selector="#it", value="Ada") == "Filled '#it'."
    profile = shared.router._lifespans["browser"]._ready.result()[0].profiles["nebo"]
    [*_, session] = profile._sessions.values()
    told = await session.current.state.ask("info")
    assert told["url"] == f"{page.site}/frames.html"


async def test_fill_in_one_document_after_the_other(page):
    for name in ("Ada", "Bob", "Eve"):
        ref = ref_in(await page.open("form.html"), 'textbox "Name"')
        for value in (name, f"{name} again"):
            answer = await page("fill", ref=ref, value=value)
            assert answer == f'Filled textbox "Name" {ref}.'
            assert await page("evaluate", text="document.forms[0].name.value") == f'"{value}"'


HEARD = """heard = [];
for (const type of ["keydown", "keypress", "input", "keyup", "change"])
  f.addEventListener(type, (event) => heard.push([type, event.key ?? event.data, f.value]));
f.onkeyup = () => {
  for (const li of document.querySelectorAll("li")) li.hidden = !li.innerHTML.includes(f.value);
}; 0"""


async def test_the_page_hears_of_a_key_before_and_after_the_text(page):
    await page.show("<input id=f><ul><li>apple</li><li>pear</li></ul>")
    await page("evaluate", text=HEARD)
    answer = await page("fill", selector="#f", value="app")
    assert answer == "Filled '#f'.\nChanged:\n- - pear"
    heard = await page("evaluate", text="heard.join('; ')")
    assert heard == '"keydown,Unidentified,; input,app,app; keyup,Unidentified,app"'


async def test_fields_of_one_digit_lead_on(page):
    await page.show("<input id=a maxlength=1><input id=b maxlength=1>")
    await page("evaluate", text="a.onkeyup = () => b.focus(); 0")
    await page("fill", selector="#a", value="5")
    assert await page("evaluate", text="[a.value, document.activeElement.id].join()") == '"5,b"'


@pytest.mark.parametrize("answer", ["g.focus()", "d.innerHTML = '<input id=f>'"])
async def test_the_page_hears_of_one_key_though_it_moves_the_focus_then(page, answer):
    await page.show("<div id=d><input id=f></div><input id=g>")
    await page("evaluate", text=f"keys = 0; d.onkeydown = () => {{ keys++; {answer}; }}; 0")
    assert await page("fill", selector="#f", value="Ada") == "Filled '#f'."
    assert await page("evaluate", text="[keys, f.value, g.value].join()") == '"1,Ada,"'


async def test_a_key_is_let_go_where_the_text_was_entered(page):
    await page.show("<input id=f value=abc>")
    await page(
        "evaluate",
        text="heard = []; f.onkeyup = () => heard.push(f.value);"
        " f.onkeydown = () => queueMicrotask(() => f.setSelectionRange(1, 2)); 0",
    )
    await page("fill", selector="#f", value="Ada")
    assert await page("evaluate", text="heard.join()") == '"Ada"'


COMMITS = ["pointerup", "mouseup", "keyup", "change"]


@pytest.mark.parametrize("commit", COMMITS)
async def test_a_slider_is_let_go(page, commit):
    field = f"<label>Discount <input id=it type=range max=50 value=5 on{commit}=commit()></label>"
    await page.show(field + "<output id=told></output>")
    await page(
        "evaluate",
        text="commit = () => { told.textContent = `saved ${it.value}`; };"
        "it.oninput = () => { told.textContent = it.value; }; 0",
    )
    answer = await page("fill", selector="#it", value="25")
    assert answer.startswith("Filled '#it'.")
    assert "saved 25" in answer


async def test_a_slider_without_a_size_is_let_go_where_its_handle_listens(page):
    """As React Aria: the handle hears the press, and the window the release."""
    await page.show(
        "<div id=thumb style='width:20px;height:20px'><input id=it type=range max=50 value=5"
        " aria-label=Discount style='width:1px;height:1px;opacity:.01'></div><p id=told></p>"
    )
    await page(
        "evaluate",
        text="""let held = 5, pointer = null;
        thumb.onpointerdown = (event) => { pointer = event.pointerId; };
        it.oninput = () => { held = it.value; };
        addEventListener("pointerup", (event) => {
          if (event.pointerId === pointer) told.textContent = `saved ${held}`;
        });0""",
    )
    assert "saved 25" in await page("fill", selector="#it", value="25")


@pytest.mark.parametrize(
    ("kind", "value"),
    [("date", "2026-11-28"), ("time", "10:30"), ("week", "2026-W48"), ("color", "#aabbcc")],
)
@pytest.mark.parametrize("commit", ["input", "keyup", "change", "blur"])
async def test_what_is_set_is_committed(page, kind, value, commit):
    await page.show(f"<input id=it type={kind} aria-label=Due><p id=told></p><input id=next>")
    script = f"it.on{commit} = () => {{ told.textContent = `saved ${{it.value}}`; }}; 0"
    await page("evaluate", text=script)
    await page("fill", selector="#it", value=value)
    if commit == "blur":
        await page("press", key="Tab")
        await page("fill", selector="#next", value="x")
    assert f"saved {value}" in await page("text")


@pytest.mark.parametrize(
    ("value", "held"),
    [("red", "#ff0000"), ("RGB(0, 128, 0)", "#008000"), ("#ABC", "#aabbcc"), ("Black", "#000000")],
)
async def test_a_colour_as_style_sheets_write_it(page, value, held):
    await page.show("<input id=it type=color value='#123456'>")
    assert await page("fill", selector="#it", value=value) == "Filled '#it'."
    assert await page.run("it.value") == held


async def test_a_number_in_other_words_is_the_same(page):
    await page.show("<input id=it type=number aria-label=Seats>")
    script = "it.oninput = () => { it.value = it.value.padStart(2, '0'); }; 0"
    await page("evaluate", text=script)
    assert "but" not in await page("fill", selector="#it", value="1")


READONLY = "<input id=it readonly aria-label=Code {}><p id=told></p>"
FREE = "this.removeAttribute(`readonly`)"


@pytest.mark.parametrize("type_", ["text", "password", "email"])
@pytest.mark.parametrize("when", [FREE, f"setTimeout(() => {FREE}, 80)"])
async def test_a_field_that_is_read_only_until_it_has_the_focus(page, type_, when):
    await page.show(READONLY.format(f'type={type_} onfocus="{when}"'))
    assert await page("fill", selector="#it", value="a@b.c") == "Filled '#it'."
    assert await page.run("it.value") == "a@b.c"


@pytest.mark.parametrize("event", ["click", "mousedown"])
async def test_a_field_that_is_read_only_until_it_is_clicked(page, event):
    await page.show(READONLY.format(f'on{event}="{FREE}"'))
    error = await page.fails("fill", selector="#it", value="x")
    assert error.code == "read_only"
    assert "click it first" in str(error)
    await page("click", selector="#it")
    assert await page("fill", selector="#it", value="x") == "Filled '#it'."
