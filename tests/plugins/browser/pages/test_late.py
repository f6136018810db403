"""Changes a moment after an action: they are waited for before an answer tells of none."""

import re
from dataclasses import replace

import anyio
import pytest

from strap_browser.interaction import news

from .conftest import ref_in

pytestmark = pytest.mark.anyio

NOTHING = "Nothing has changed so far."
DIALOG = "<div id=m role=dialog aria-label=Late style=display:none>Body<button>Close</button></div>"
SHOW = "m.style.display = 'block'"
FADE = "<style>#b { opacity: 0; transition: opacity .15s } #b.s { opacity: .5 }</style><div id=b>"
SAY = "o.textContent = 'Saved'"
LATER = {
    "a timer of 50 ms": f"setTimeout(() => {SAY}, 50)",
    "a timer of 250 ms": f"setTimeout(() => {SAY}, 250)",
    "nested frames": "requestAnimationFrame(() => requestAnimationFrame(() => "
    f"requestAnimationFrame(() => {SAY})))",
    "a database": f"indexedDB.open('late').onsuccess = () => {SAY}",
    "a value without a trace": "setTimeout(() => { f.value = 'Saved' }, 120)",
    "a worker": "new Worker(window.URL.createObjectURL(new Blob(['postMessage(1)']))).onmessage "
    f"= () => {SAY}",
    "another frame": "setTimeout(() => { frames[0].document.body.textContent = 'Saved' }, 120)",
    "a class of the body first": "document.body.classList.add('busy');"
    f"setTimeout(() => {SAY}, 200)",
    "a shadow root": "setTimeout(() => h.attachShadow({ mode: 'open' }).innerHTML = 'Saved', 100)",
    "a message": f"onmessage = () => setTimeout(() => {SAY}, 30); postMessage('x')",
    "a request after a timer": f"setTimeout(async () => {{ await fetch('/'); {SAY} }}, 150)",
    "its own state first": f"b.ariaPressed = 'true'; setTimeout(() => {SAY}, 100)",
}
PAGE = """<title>Late</title><button id=b onclick="{}">Go</button><p id=o></p><div id=h></div>
<input id=f aria-label=Field><iframe srcdoc="<body>Frame</body>"></iframe>"""


@pytest.fixture
def page(one_page):
    return one_page


async def opened(page, serve_site, html):
    return await page("navigate", url=serve_site({"/": html, "/left": "<title>Left</title>"}))


@pytest.mark.parametrize("how", LATER)
async def test_change_that_comes_later(page, serve_site, how):
    ref = ref_in(await opened(page, serve_site, PAGE.format(LATER[how])), 'button "Go"')
    answer = await page("click", ref=ref)
    assert "Saved" in answer
    assert NOTHING not in answer


async def test_what_two_say_is_open_is_waited_for(page, serve_site):
    opens = f"b.ariaExpanded = c.ariaExpanded = true; setTimeout(() => {{ {SAY} }}, 150)"
    arrow = "<button id=c aria-expanded=false>Arrow</button>"
    await opened(page, serve_site, PAGE.format(opens) + arrow)
    await page("evaluate", text="b.ariaExpanded = false; 0")
    answer = await page("click", selector="#b")
    assert '~ button "Arrow"' in answer
    assert "Saved" in answer


@pytest.mark.parametrize(
    ("event", "action", "fields"),
    [
        ("mouseover", "hover", {"selector": "#late"}),
        ("keydown", "press", {"selector": "#late", "key": "x"}),
        ("dblclick", "click", {"selector": "#late", "value": "double"}),
        ("mouseup", "drag", {"selector": "#late", "value": "20,0"}),
        ("change", "select", {"selector": "select", "value": "Two"}),
        ("scroll", "scroll", {"text": "bottom"}),
        ("keydown", "type", {"selector": "#plain", "text": "x\n"}),
        ("input", "fill", {"selector": "[role=combobox]", "value": "x"}),
        ("input", "type", {"selector": "[role=combobox]", "text": "x"}),
        ("mouseup", "batch", {"steps": ["press key=a", "click selector=#late"]}),
    ],
)
async def test_every_action_waits(page, serve_site, event, action, fields):
    script = "{ if (event.target !== document.body) setTimeout(() => { o.textContent = 'Saved' }, "
    html = "<title>Late</title><p id=o></p><p>Before</p><button id=late>Go</button>"
    html += "<select><option>One<option>Two</select><input id=plain aria-label=Plain>"
    html += "<input role=combobox aria-label=Pick><div style=height:3000px></div>"
    html += f"<script>addEventListener('{event}', (event) => {script} 120) }}, true)</script>"
    await opened(page, serve_site, html)
    assert "Saved" in await page(action, **fields)


async def test_who_looks_by_himself_does_not_wait(page, serve_site, monkeypatch):
    monkeypatch.setattr(news, "NEWS_LIMIT", 60)
    await opened(page, serve_site, PAGE.format("b.ariaPressed = 'true'"))
    hurried = replace(page.web, caller=replace(page.web.caller, awaits_news=False))
    call = {"resource": "browser", "action": "click", "selector": "#b", "timeout": 20}
    assert " pressed" in (await hurried(**call)).text
    assert (await page.fails("click", selector="#b", timeout=1)).code == "timeout"


async def test_dialog_after_the_fade_of_its_backdrop(page, serve_site):
    html = FADE + "</div>" + DIALOG + "<button onclick=\"b.classList.add('s')\">Launch</button>"
    html += f"<script>b.ontransitionend = () => {{ {SHOW} }}</script>"
    ref = ref_in(await opened(page, serve_site, html), 'button "Launch"')
    answer = await page("click", ref=ref)
    assert '+ dialog "Late"' in answer
    await page("click", ref=ref_in(answer, 'button "Close"'))


async def test_a_dialog_that_fades_out_is_gone(page, serve_site):
    html = """<style>dialog { opacity: 0; transition: opacity .2s, display .2s allow-discrete,
      overlay .2s allow-discrete } dialog[open] { opacity: 1 }</style>
      <dialog id=d aria-label=Native><p>Inside</p><button onclick="d.close()">Close</button>
      </dialog>
      <button onclick="d.showModal()">Open</button>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Open"')
    answer = await page("click", ref=ref)
    assert '+ dialog "Native"' in answer
    answer = await page("click", ref=ref_in(answer, 'button "Close"'))
    assert '- dialog "Native"' in answer
    assert "Inside" not in await page("snapshot")


async def test_what_is_out_of_reach_before_it_fades_is_told_when_it_is_gone(page, serve_site):
    html = """<style>@keyframes out { to { opacity: 0 } } .leave { pointer-events: none }
      .active { animation: out .2s forwards }</style>
      <div id=d role=dialog aria-label=Sure><button onclick="shut()">Shut</button>
      <button>Help</button><div onclick="0">Days <b>1</b><i> | </i><b onclick="0">2</b></div></div>
      <script>
      const shut = () => { d.className = 'leave'; d.onanimationend = () => d.remove();
      setTimeout(() => { d.className = 'leave active' }, 60) }</script>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Shut"')
    assert '- dialog "Sure"' in await page("click", ref=ref)


async def test_what_moves_is_told_at_rest(page, serve_site):
    html = """<style>#a { transition: opacity .25s, height .25s; height: 0; overflow: hidden }
      #a.s { opacity: 1; height: 50px }</style><button onclick="a.classList.add('s');
      o.textContent = 'Opening'">Open</button><p id=o></p><div id=a></div>
      <script>a.ontransitionend = () => { a.textContent = 'Opened' }</script>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Open"')
    assert "Opened" in await page("click", ref=ref)


async def test_tooltip_after_its_delay(page, serve_site):
    html = """<!doctype html><style>#t { visibility: hidden; transition: visibility 0s .3s }
      button:hover + #t { visibility: visible } button { margin: 200px }</style>
      <button>Info</button><div id=t role=tooltip>Explained</div>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Info"')
    assert "Explained" in await page("hover", ref=ref)


async def test_list_of_a_combobox_after_its_debounce(page, serve_site):
    html = """<input role=combobox aria-label=City aria-controls=l><ul id=l role=listbox
      aria-label=Cities hidden></ul><script>let timer; const [city] = document.forms.length ? [] :
      document.getElementsByTagName("input");
      const list = (words) => { l.hidden = false; l.innerHTML = words.map((w) =>
        `<li role=option>${w}</li>`).join("") };
      city.onfocus = () => list(["Recent"]);
      city.oninput = () => { clearTimeout(timer); timer = setTimeout(() => list(["Ulm"]), 250) };
      </script>"""
    for action, field in ("fill", "value"), ("type", "text"):
        ref = ref_in(await opened(page, serve_site, html), 'combobox "City"')
        assert 'option "Ulm"' in await page(action, ref=ref, **{field: "u"})


async def test_plain_field_is_told_without_a_wait(page, serve_site):
    html = """<input aria-label=Name oninput="document.body.className = value;
      setTimeout(() => { o.textContent = 'Late' }, 300)"><p id=o></p>"""
    ref = ref_in(await opened(page, serve_site, html), 'textbox "Name"')
    assert await page("fill", ref=ref, value="Ada") == f'Filled textbox "Name" {ref}.'


async def test_navigation_that_starts_late(page, serve_site):
    html = """<button onclick="setTimeout(() => { location = '/left' }, 100)">Go</button>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Go"')
    assert 'Now at "Left"' in await page("click", ref=ref)


async def test_window_that_opens_late(page, serve_site):
    html = """<button onclick="setTimeout(() => window.open('/left'), 100)">Go</button>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Go"')
    opens = re.search(r"A new page opened: (t\d+) \S+/left", await page("click", ref=ref))
    assert opens
    await page("close_page", target_id=opens[1])


FRAMED = {
    "another frame changes": "top.o.textContent = 'Saved'",
    "its frame goes": "frameElement.replaceWith('Saved')",
}


@pytest.mark.parametrize("how", FRAMED)
async def test_element_in_a_frame(page, serve_site, how):
    html = "<p id=o></p><iframe></iframe><script>const doc = frames[0].document; const b ="
    html += " doc.body.appendChild(doc.createElement('button')); b.textContent = 'Go';"
    html += f" b.setAttribute('onclick', `setTimeout(() => {{ {FRAMED[how]} }}, 150)`)</script>"
    await opened(page, serve_site, html)
    assert "Saved" in await page("click", ref=await page.ref('button "Go"'))


async def test_alert_that_comes_later(page, serve_site):
    html = """<button onclick="setTimeout(() => alert('Saved'), 100)">Go</button>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Go"')
    assert "An alert said 'Saved'" in await page("click", ref=ref)


async def test_a_clock_is_no_answer(page, serve_site):
    html = """<p id=c>0</p><button onclick="setTimeout(() => { o.textContent = 'Saved' }, 250)">Go
      </button><p id=o></p><script>let n = 0; setInterval(() => { c.textContent = `12:00:${++n}` },
      60)</script>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Go"')
    await anyio.sleep(0.4)  # it is seen to go by itself
    assert "Saved" in await page("click", ref=ref)


async def test_a_page_that_puts_another_whole_document_into_itself_is_shown(page, serve_site):
    html = """<button onclick="this.textContent = 'Saved'">Go</button><script>let n = 0;
      const timer = setInterval(() => {
        const root = document.documentElement;
        root.replaceWith(root.cloneNode(true));
        if (++n === 4) clearInterval(timer);
      }, 60)</script>"""
    await opened(page, serve_site, html)
    await anyio.sleep(0.4)
    assert 'button "Go"' in await page("snapshot")
    assert 'button "Saved"' in await page("click", selector="button")


async def test_what_comes_unseen_is_told_when_it_is_seen(page, serve_site):
    """As Vue does it: what enters is transparent, and begins to change with the next frame."""
    html = """<style>.from { opacity: 0 } .active { transition: opacity .2s }</style>
      <button onclick="open_()">Open</button><script>const open_ = () => {
        document.body.insertAdjacentHTML('beforeend', `<div id=m class="from active" role=menu>
        <button role=menuitem>Item</button></div>`);
        requestAnimationFrame(() => requestAnimationFrame(() => { m.className = 'active' })) }
      </script>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Open"')
    answer = await page("click", ref=ref)
    item = ref_in(answer, 'menuitem "Item"')
    assert answer.endswith(f'Changed:\n+ menu\n+   menuitem "Item" {item}')


async def test_what_stays_unseen_is_told_as_that(page, serve_site):
    html = """<button onclick="o.textContent = 'Three found'">Find</button>
      <p id=o role=status style="position: absolute; left: -9999px"></p>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Find"')
    assert "status invisible: Three found" in await page("click", ref=ref)


TABS = """<style>.pane { opacity: 0; transition: opacity .1s } .shown { opacity: 1 }
.pane:not(.on) { display: none }</style>
<div role=tablist><button role=tab id=a aria-selected=true>One</button>
<button role=tab id=b>Two</button></div>
<div id=pa class="pane on shown">First</div><div id=pb class=pane>Second</div><script>
const go = (to, panel) => { for (const tab of [a, b]) tab.ariaSelected = tab === to
for (const pane of [pa, pb]) pane.className = pane === panel ? 'pane on' : 'pane'
setTimeout(() => panel.classList.add('shown'), 150) }
a.onclick = () => go(a, pa); b.onclick = () => go(b, pb)</script>"""


async def test_the_panel_of_a_tab_that_fades_in_after_the_one_before(page, serve_site):
    """As a timer has it: nothing moves until then."""
    await opened(page, serve_site, TABS)
    answer = await page("click", selector="#b")
    assert answer.splitlines()[-1] == "~ text: Second"
    answer = await page("click", selector="#a")
    assert "invisible" not in answer


async def test_what_is_seen_is_told_before_what_beside_it_is_to_fade_in(
    page, serve_site, monkeypatch
):
    """As the buttons of a row are, which come when the mouse is over it."""
    html = """<style>b { opacity: 0; transition: opacity .1s }</style>
      <button onclick="o.innerHTML = 'Row <b>Delete</b>'">Add</button><p id=o></p>"""
    await opened(page, serve_site, html)
    monkeypatch.setattr(news, "NEWS_LIMIT", 60)
    answer = await page("click", selector="button", timeout=20)
    assert answer.endswith("+ text: Row (invisible) Delete")


@pytest.mark.parametrize("call", [("click", {}), ("fill", {"value": "a"})])
@pytest.mark.parametrize("when", ["", ".2s both"])
async def test_what_an_animation_fades_in_is_seen(page, serve_site, call, when):
    html = f"""<style>@keyframes in {{ from {{ opacity: 0 }} }} .in {{ animation: in .1s {when} }}
      </style><input onclick="show()" oninput="show()"><div id=out></div><script>
      const show = () => {{ out.innerHTML = "<p>Beside</p><p class=in>Shown" }}</script>"""
    action, fields = call
    await page("navigate", url=serve_site({"/": html}))
    answer = await page(action, selector="input", **fields)
    assert answer.endswith("+ text: Beside\n+ text: Shown")


async def test_a_script_that_fades_is_waited_for(page, serve_site):
    html = """<h1 id=p>Fading</h1><p id=o></p><button onclick="let n = 8;
      o.textContent = 'Closing'; const step = () => { p.style.opacity = --n / 8;
        n ? requestAnimationFrame(step) : p.remove() }; step()">Go</button>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Go"')
    assert '- h1 "Fading"' in await page("click", ref=ref)


async def test_a_script_that_moves_a_shape_is_waited_for(page, serve_site):
    """As those that lead from one part of a page to the next do."""
    html = """<svg><path id=p /></svg><p id=o></p><button onclick="let n = 8;
      o.textContent = 'Closing'; const step = () => { p.setAttribute('d', `M0 0H${n}V9H0Z`);
        n-- ? requestAnimationFrame(step) : (o.textContent = 'Next stop') }; step()">Go</button>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Go"')
    assert "Next stop" in await page("click", ref=ref)


async def test_menu_that_fades_out_after_escape(page, serve_site):
    html = """<style>#m { transition: opacity .2s } #m.out { opacity: 0 }</style>
      <button id=b aria-expanded=true>Menu</button><div id=m role=menu tabindex=0>
      <div role=menuitem>Item</div></div><script>m.onkeydown = () => { b.ariaExpanded = "false";
      b.focus(); requestAnimationFrame(() => { m.className = "out" }) };
      m.ontransitionend = () => m.remove(); m.focus()</script>"""
    await opened(page, serve_site, html)
    assert "- menu" in await page("press", key="Escape")


async def test_what_a_script_turns_by_itself_is_no_answer(page, serve_site):
    html = """<p id=s>Spinner</p><button>Go</button><script>let n = 0; setInterval(() => {
      s.style.transform = `rotate(${++n}deg)` }, 5)</script>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Go"')
    await anyio.sleep(0.4)  # it is seen to turn by itself
    assert NOTHING in await page("click", ref=ref)


@pytest.mark.parametrize("element", ["<div id=m>Map</div>", "<canvas id=m></canvas>"])
async def test_what_a_snapshot_does_not_show_may_have_changed(page, serve_site, element):
    script = """<div id=p>Pane</div><script>m.onclick = () => { if (m.getContext)
      m.getContext("2d").fillRect(0, 0, 9, 9); else p.style.left = "9px" }</script>"""
    await opened(page, serve_site, element + script)
    answer = await page("click", selector="#m")
    assert answer.endswith(f"{NOTHING}\nHow it looks may have: see with `screenshot`.")


async def test_address_alone_changes(page, serve_site):
    ref = ref_in(await opened(page, serve_site, "<a href=#there>Go</a>"), 'link "Go"')
    answer = await page("click", ref=ref)
    assert "#there\nNothing else has changed so far." in answer


async def test_what_comes_after_another_address_is_told_with_it(page, serve_site):
    html = """<a href=#there onclick="setTimeout(() => { o.textContent = 'Shown' }, 120)">Go</a>
      <p id=o></p>"""
    ref = ref_in(await opened(page, serve_site, html), 'link "Go"')
    answer = await page("click", ref=ref)
    assert ("#there" in answer, "Shown" in answer) == (True, True)


async def test_what_moves_forever_is_not_waited_for(page, serve_site):
    html = """<style>@keyframes turn { to { transform: rotate(1turn) } }
      #s { animation: turn 1s infinite } #l.on { transition: opacity 5s; opacity: 0 }</style>
      <p id=s>Spinner</p><p id=l>Long</p><button onclick="l.className = 'on'">Go</button>"""
    ref = ref_in(await opened(page, serve_site, html), 'button "Go"')
    assert NOTHING in await page("click", ref=ref, timeout=10)


async def test_own_state_alone_is_told(page, serve_site):
    html = "<label><input type=checkbox>Opt</label>"
    ref = ref_in(await opened(page, serve_site, html), 'checkbox "Opt"')
    answer = await page("click", ref=ref)
    assert f'~ checkbox "Opt" {ref} checked' in answer
    assert "so far" not in answer


@pytest.mark.parametrize("change", ["className = 'done'", "dataset.state = 'on'"])
async def test_what_may_look_otherwise_itself_says_so(page, serve_site, change):
    body = f'<button onclick="{change}">Mark</button>'
    ref = ref_in(await page("navigate", url=serve_site({"/": body})), 'button "Mark"')
    assert "How it looks may have" in await page("click", ref=ref)
    assert (await page("click", ref=ref)).endswith(NOTHING)


async def test_what_is_painted_by_scripts_leaves_no_trace(page):
    await page.show("<button>Draw</button>")
    assert (await page("click", selector="button")).endswith(NOTHING)
    await page.show("<canvas></canvas><button>Draw</button>")
    draw = "document.querySelector('canvas').getContext('2d').fillRect(0, 0, 50, 50)"
    await page("evaluate", text=f"document.querySelector('button').onclick = () => {draw}; 0")
    answer = await page("click", selector="button")
    assert answer.endswith(f"{NOTHING}\nHow it looks may have: see with `screenshot`.")


async def test_what_fills_the_screen_looks_different(page):
    await page.show("<button>Large</button><div id=part>Part</div>")
    await page("evaluate", text="document.querySelector('button').onclick = () => grow(); 0")
    await page("evaluate", text="window.grow = () => { part.requestFullscreen() }; 0")
    answer = await page("click", selector="button")
    assert answer.endswith(f"{NOTHING}\nHow it looks may have: see with `screenshot`.")


@pytest.mark.parametrize(
    "send", ["fetch('/form-get', { method: 'POST' })", "navigator.sendBeacon('/form-get', 'a')"]
)
async def test_what_was_sent_without_a_trace_is_told(page, send):
    await page.show("<button>Save</button>")
    await page("evaluate", text=f"document.querySelector('button').onclick = () => {send}; 0")
    answer = await page("click", selector="button")
    sent = r"\nThe page sent POST /form-get: (\d+|no answer yet) \(r\d+\)\.\nNothing else has"
    assert re.search(sent, answer)
    read = "document.querySelector('button').onclick = () => fetch('/form-get')"
    await page("evaluate", text=read)
    assert (await page("click", selector="button")).endswith(NOTHING)


async def test_what_the_browser_did_not_send_is_not_told_as_sent(page):
    await page.show("<button>Save</button>")
    send = "fetch('http://127.0.0.1:9/save', { method: 'POST' }).catch(() => 0)"
    await page("evaluate", text=f"document.querySelector('button').onclick = () => {send}; 0")
    answer = await page("click", selector="button")
    assert "\nThe page tried to send POST 127.0.0.1:9/save: ERR_UNSAFE_PORT (r" in answer
