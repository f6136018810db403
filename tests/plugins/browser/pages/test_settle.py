"""Waiting for what an action started, and for nothing else."""

import json

import pytest

from strap_browser.engine.frames.frame import Frame
from strap_browser.interaction import news, settle
from tests.site.server import Reply
from tests.support.waiting import eventually

from .conftest import ref_in

pytestmark = pytest.mark.anyio
assert news.PAUSES is settle.PAUSES, "is read here before a test has others in `settle`"


@pytest.fixture
def page(one_page):
    return one_page


def asked(exchanged):
    """Return the questions to the pages, by the word of each."""
    return [question["op"] for question, _ in exchanged]


async def test_request_that_a_click_starts(page):
    ref = ref_in(await page.open("slow.html"), 'button "Load"')
    assert "~ status: Loaded" in await page("click", ref=ref)


async def test_requests_one_after_the_other(page):
    ref = ref_in(await page.open("slow.html"), 'button "Load twice"')
    assert "~ status: Loaded and Loaded" in await page("click", ref=ref)


async def test_request_that_never_ends_is_named(page, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.settle.REQUESTS_LIMIT", 1.0)
    ref = ref_in(await page.open("slow.html"), 'button "Stream"')
    answer = await page("click", ref=ref)
    assert "Still waiting for GET /endless." in answer
    assert "~ status: Streaming" in answer


async def test_slow_navigation(page):
    ref = ref_in(await page.open("slow.html"), 'link "Slow page"')
    answer = await page("click", ref=ref)
    assert f'Now at "Late" {page.site}/slow-page' in answer
    assert 'h1 "Late page"' in answer


async def test_navigation_without_a_page(page):
    ref = ref_in(await page.open("slow.html"), 'link "Nothing"')
    assert "The page sent GET /empty: 204 (" in await page("click", ref=ref)


async def test_address_changed_by_a_script(page):
    ref = ref_in(await page.open("slow.html"), 'button "Push"')
    answer = await page("click", ref=ref)
    assert f"URL: {page.site}/pushed" in answer
    assert "~ status: Pushed" in answer


async def test_page_that_never_rests(page):
    await page.open("slow.html")
    await page(
        "evaluate",
        text="setInterval(() => document.body.dataset.tick = Math.random(), 1); 0",
    )
    assert "Clicked 'h1, #push'" in await page("click", selector="h1, #push", timeout=10)


async def test_page_that_fetches_when_it_opens(page):
    assert "Fetched Loaded" in await page.open("fetching")


async def test_form_that_is_sent(page):
    await page.open("form-get")
    answer = await page("type", selector="input", text="x\n")
    assert 'h1 "Sent"' in answer


@pytest.mark.parametrize("delay", [0, 3, 6])
async def test_page_that_changes_and_then_leaves(page, delay):
    await page.open("form.html")
    await page(
        "evaluate",
        text="counter.onclick = () => { document.getElementById('status').textContent = 'Leaving';"
        f" setTimeout(() => {{ location.href = 'rerender.html' }}, {delay}); }}; 0",
    )
    answer = await page("click", selector="#counter")
    assert 'Now at "Rerender"' in answer or "Leaving" in answer

    async def there():
        return 'button "Save"' in await page("snapshot")

    await eventually(there)  # on a busy machine the page leaves later than anybody waits


async def test_a_small_page_is_asked_what_it_is_and_shows_at_once(page, exchanged):
    assert 'h1 "' in await page.open("form.html")
    assert asked(exchanged) == ["outline"]


@pytest.fixture
def glimpses(monkeypatch):
    """Has the first report of a change look at the page, as it does if its pause is not over."""
    monkeypatch.setattr(settle, "PAUSES", {"idle": 5000, "busy": 5000})


@pytest.mark.usefixtures("glimpses")
async def test_a_change_of_a_small_page_comes_with_a_look_at_it(page, exchanged):
    await page.show("<p id=o></p><button onclick=\"o.textContent = 'Done'\">Go</button>")
    ref = await page.ref('button "Go"')
    exchanged.clear()
    assert "Done" in await page("click", ref=ref)
    assert "outline" not in asked(exchanged)


@pytest.fixture
def within_the_pause(monkeypatch, glimpses):
    """Has a script run right after the first report of a change; returns what looks came to."""
    ask, looks, scripts = Frame.ask, [], []

    async def noting(frame, asked):
        answer = await ask(frame, asked)
        if "look" in json.loads(asked):
            looks.append("outline" in json.loads(answer))
            while scripts:
                await frame.session.send("Runtime.evaluate", expression=scripts.pop())
        return answer

    def run(script):
        looks.clear()
        scripts.append(script)
        return looks

    monkeypatch.setattr(Frame, "ask", noting)
    return run


PLACID = """<button onclick="this.nextElementSibling.textContent += 'x'">Go</button><p>Done</p>
  <input aria-label=Name><input type=checkbox aria-label=News><select><option>A<option>B</select>
  <div id=pop popover>Popped</div><div id=host></div><s>Struck</s><style>u {}</style>"""


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("document.querySelector('input').value = 'Ada'", "Ada"),
        ("document.querySelector('[type=checkbox]').checked = true", "checked"),
        ("document.querySelector('select').selectedIndex = 1", ": B"),
        ("document.querySelector('select').options[1].selected = true", ": B"),
        ("pop.showPopover()", "Popped"),
        ("document.styleSheets[0].insertRule('s { display: none }')", "Struck"),
        ("host.attachShadow({ mode: 'open' }).innerHTML = 'Shaded'", "Shaded"),
        ("document.querySelector('p').append(' and more')", "and more"),
        ("history.pushState(0, '', '#there')", "#there"),
    ],
)
async def test_what_leaves_no_trace_within_the_pause_is_told(page, within_the_pause, script, told):
    """As the value of a field that a script sets right after a change that does."""
    await page.show(PLACID)
    ref = await page.ref('button "Go"')
    looks = within_the_pause(script)
    assert told in await page("click", ref=ref)
    assert looks[0]


RULED = """<style>p::after { content: " in stock" } q { display: block } u {}
  </style><style>@media all { u {} }</style>
  <button onclick="this.nextElementSibling.textContent += 'x'">Go</button><p>Done</p><q>Quoted</q>
  <b>Bold</b><input type=checkbox aria-label=News><script>const adopted = new CSSStyleSheet();
  document.adoptedStyleSheets = [adopted]</script>"""
FIRST, SECOND = (f"document.styleSheets[{number}]" for number in range(2))


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (f"{FIRST}.cssRules[0].style.content = '\" sold out\"'", "Donex sold out"),
        (f"{FIRST}.cssRules[0].selectorText = 'b::after'", "Bold in stock"),
        (f"{FIRST}.cssRules[1].style.fontSize = '0'", "invisible: Quoted"),
        (f"{FIRST}.insertRule('b::after {{ content: \"!\" }}'); {FIRST}.deleteRule(2)", "Bold!"),
        (f"{FIRST}.insertRule('b::before {{ counter-reset: a 7; content: counter(a) }}')", "7Bold"),
        (f"{SECOND}.insertRule('b:hover {{ cursor: pointer }}')", 'clickable "Bold"'),
        (f"{SECOND}.insertRule('b {{ opacity: 0 }}')", "invisible: Bold"),
        (f"{FIRST}.media.mediaText = 'print'", "text: Donex\n- text: Quoted"),
        ("document.designMode = 'on'", "textbox"),
        ("document.querySelector('[type=checkbox]').indeterminate = true", "checked=mixed"),
        ("adopted.replaceSync('b::after { content: \".\" }')", "Bold."),
    ],
)
async def test_what_only_a_look_tells_within_the_pause_is_told(
    page, serve_site, within_the_pause, script, told
):
    opened = await page("navigate", url=serve_site({"/": RULED}))
    assert told not in opened
    looks = within_the_pause(script)
    assert told in await page("click", ref=ref_in(opened, 'button "Go"'))
    assert looks[0]


async def test_a_page_that_stays_as_it_was_seen_is_not_read_again(page, within_the_pause):
    await page.show(PLACID)
    ref = await page.ref('button "Go"')
    for number in range(1, 4):
        looks = within_the_pause("0")
        assert "Done" + "x" * number in await page("click", ref=ref)
        assert looks == [True, False]


async def test_a_page_whose_pause_is_over_is_looked_at_once(page, exchanged, monkeypatch):
    """As on a machine with much to do: within the pause nothing is gained by a look."""
    await page.show("<button onclick=\"this.lastChild.data += 'x'\">Go</button>")
    ref = await page.ref('button "Go"')
    monkeypatch.setattr(settle, "PAUSES", {"idle": 0, "busy": 0})
    for number in range(1, 4):
        exchanged.clear()
        assert "Go" + "x" * number in await page("click", ref=ref)
        assert asked(exchanged).count("outline") == 1


SHADED = f"<div><template shadowrootmode=open>{'<i>.</i>' * 100}</template></div>"


@pytest.mark.parametrize("more", ["<i>.</i>" * 100, SHADED, "<iframe srcdoc=In></iframe>"])
async def test_other_pages_are_looked_at_after_the_pause(page, serve_site, within_the_pause, more):
    """A look at a larger one would take much of the pause; frames are not watched."""
    opened = await page("navigate", url=serve_site({"/": PLACID + more}))
    looks = within_the_pause("0")
    assert "Donex" in await page("click", ref=ref_in(opened, 'button "Go"'))
    assert looks[-1]
    assert looks.count(True) == 1


CHANGES = """<p id=o>None</p>
  <button onclick="o.textContent = 'One'; {}">Go</button>"""
IN_HAND = [
    "requestAnimationFrame(() => { o.textContent = 'Two' })",
    "scheduler.postTask(() => { o.textContent = 'Two' })",
    "new ResizeObserver((_, all) => { o.textContent = 'Two'; all.disconnect() }).observe(o)",
]


@pytest.mark.usefixtures("glimpses")
@pytest.mark.parametrize("script", IN_HAND)
async def test_a_page_is_not_done_before_it_did_what_it_has_in_hand(page, monkeypatch, script):
    monkeypatch.setattr(news, "PAUSES", {"idle": 0, "busy": 5000})
    await page.show(CHANGES.format(script))
    assert "~ text: Two" in await page("click", ref=await page.ref('button "Go"'))


BUSY = """const c = new MessageChannel();
  c.port1.onmessage = () => { c.port2.postMessage(0); const to = performance.now() + 20;
    while (performance.now() < to); };
  c.port2.postMessage(0);"""


@pytest.mark.usefixtures("glimpses")
async def test_a_page_that_is_never_idle_is_done_as_soon_as_it_changes_nothing(page, monkeypatch):
    monkeypatch.setattr(news, "PAUSES", {"idle": 60_000, "busy": 10})
    await page.show(CHANGES.format(BUSY))
    assert "~ text: One" in await page("click", ref=await page.ref('button "Go"'))


LEAVES = "setTimeout(() => location.assign('form.html'), 50)"
ASKS = "setTimeout(() => confirm('Why?'), 50)"


@pytest.mark.usefixtures("glimpses")
@pytest.mark.parametrize(("script", "told"), [(LEAVES, "Sign up"), (ASKS, "Why?")])
async def test_what_a_page_does_while_it_is_waited_for_is_told(
    page, serve_site, monkeypatch, script, told
):
    monkeypatch.setattr(news, "PAUSES", {"idle": 5000, "busy": 5000})
    routes = {"/": CHANGES.format(script), "/form.html": "<h1>Sign up</h1>"}
    opened = await page("navigate", url=serve_site(routes))
    assert told in await page("click", ref=ref_in(opened, 'button "Go"'))


FOLDED = "<details><summary>More</summary><p>Inside</p></details>"


@pytest.mark.parametrize("framed", [False, True])
async def test_where_scripts_are_off_nothing_is_waited_for_without_end(page, serve_site, framed):
    """Timers do not run there, also those of other worlds."""
    sandbox = {"Content-Type": "text/html", "Content-Security-Policy": "sandbox"}
    framing = f'<iframe sandbox srcdoc="{FOLDED}"></iframe>'
    url = serve_site({"/": framing if framed else Reply(body=FOLDED, headers=sandbox)})
    await page("navigate", url=url)
    await page("wait", text="More")
    ref = await page.ref("More")
    for sign in "+-+":
        answer = await page("click", ref=ref, timeout=5)
        assert f"{sign} text: Inside" in answer


async def test_the_script_of_a_shared_worker_is_not_waited_for(page, serve_site):
    """It is fetched by the page, and its end is told to nobody."""
    start = "new SharedWorker('/worker.js').port.onmessage = (e) => this.textContent = e.data"
    script = "onconnect = (event) => event.ports[0].postMessage('Shared')"
    kept = {"Content-Type": "text/javascript", "Cache-Control": "max-age=600"}
    routes = {"/": f'<button onclick="{start}">Go</button>'}
    url = serve_site({**routes, "/worker.js": Reply(body=script, headers=kept)})
    for _ in range(2):  # from the server, and from the browser's cache
        await page("navigate", url=url)
        said = await page("click", selector="button")
        assert "waiting" not in said
        await page("wait", text="Shared")
    assert f"GET 200 sharedworker {url}/worker.js" in await page("network")
