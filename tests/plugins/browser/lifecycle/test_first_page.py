"""The first page of a browser: nothing is slower, later or less told of it than of others."""

import asyncio
import os
import re
import signal
import threading
from pathlib import Path

import pytest

from strap import testing
from tests.plugins.browser.lifecycle.machine import browser_pid, gone
from tests.site.server import Reply, drip, serve
from tests.support.browser import SETTINGS
from tests.support.caller import Caller
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

ROWS = """<title>Rows</title><ul></ul><x-box></x-box><p></p><script>
for (let n = 1; n <= 5; n++)
  document.querySelector("ul").insertAdjacentHTML("beforeend", `<li><button>Edit</button></li>`);
const root = document.querySelector("x-box").attachShadow({ mode: "open" });
root.innerHTML = "<button>Edit</button><button>Edit</button>";
const all = [...document.querySelectorAll("button"), ...root.querySelectorAll("button")];
all.forEach((button, n) => (button.onclick = () => {
  document.querySelector("p").textContent = `Edited ${n + 1}`;
}));
</script>"""
TALK = """<title>Talk</title><h1>Talk</h1><script>
console.log("plain", 1, 1.5, true, null, undefined, { a: 1, b: "two" }, [1, "two"], /x/);
console.warn("careful");
console.error(new TypeError("bad"));
setTimeout(() => { throw new RangeError("too far"); });
Promise.reject("rejected");
fetch("/data?token=a-secret-that-nobody-may-see", { method: "POST", body: '{"x": 1}' });
</script><script src="/missing.js"></script><img src="/moved.png"><link rel=icon href="data:,">"""
PAGES = {
    "/": "<title>Home</title><h1>Home</h1><a href='/rows'>Rows</a>",
    "/rows": ROWS,
    "/talk": TALK,
    "/data": Reply(headers={"Content-Type": "application/json"}, body='{"y": 2}'),
    "/moved.png": Reply(status=302, headers={"Location": "/picture.png"}),
    "/picture.png": Reply(headers={"Content-Type": "image/png"}, body=b"no picture"),
    "/old": Reply(status=301, headers={"Location": "/"}),
    "/hop": "<title>Hop</title><script>location = '/'</script>",
    "/meta": "<title>Meta</title><meta http-equiv=refresh content='0;url=/'>",
    "/gone": Reply(status=410, body="<title>Gone</title><p>It was here</p>"),
    "/empty": Reply(status=204),
    "/bare": Reply(status=500),
    "/text": Reply(headers={"Content-Type": "text/plain"}, body="Plain words"),
    "/frames": "<title>Frames</title><h1>Out</h1><iframe src='/' title=in></iframe>",
    "/popup": "<title>Opener</title><h1>Opener</h1><script>open('/')</script>",
    "/alert": "<title>Alert</title><script>alert('Careful')</script><p>After</p>",
    "/confirm": "<title>Confirm</title><p></p><script>"
    "document.querySelector('p').textContent = `Said ${confirm('Sure?')}`</script>",
    "/prompt": "<title>Prompt</title><p></p><script>"
    "document.querySelector('p').textContent = `Said ${prompt('Name?', 'Ada')}`</script>",
    "/file": Reply(headers={"Content-Disposition": "attachment; filename=a.txt"}, body="content"),
    "/gives": "<title>Gives</title><h1>Gives</h1><iframe hidden src='/file'></iframe>",
    "/gives-later": "<title>Later</title><h1>Later</h1><script>onload = () => {"
    "location = '/file' }</script>",
    "/loop": "<title>Loop</title><script>for (;;);</script>",
    "/asks": "<title>Asks</title><script>onbeforeunload = (event) => event.preventDefault()"
    "</script><h1>Asks</h1>",
    "/size": "<title>Size</title><p></p><script>document.querySelector('p').textContent ="
    "[innerWidth, innerHeight, screen.width, devicePixelRatio, document.hasFocus(),"
    " navigator.language, navigator.webdriver, matchMedia('(hover)').matches].join()</script>",
}


@pytest.fixture(scope="module")
def site():
    with serve(PAGES) as served:
        yield served


class Browser(Caller):
    """A caller, and what strap has of its browser."""

    @property
    def nebo(self):
        return self.web.router._lifespans["browser"]._ready.result()[0].profiles["nebo"]

    @property
    def link(self):
        return self.nebo._connection

    @property
    def tab(self):
        (session,) = self.nebo._sessions.values()
        return session.current


@pytest.fixture
async def fresh(open_web, site):
    """A browser that was launched just now."""
    async with open_web() as web:
        browser = Browser(web, site)
        await browser("launch")
        yield browser


@pytest.fixture(scope="module")
async def usual(tmp_path_factory, anyio_backend, site):
    """A browser with a page, of which a further one is told."""
    home = tmp_path_factory.mktemp("usual") / "home"
    async with testing.router(home=home, network="local", plugins={"browser": SETTINGS}) as web:
        browser = Browser(web, site)
        await browser("launch")
        await browser("snapshot")
        yield browser


async def told(browser, path):
    """All that is told of a page: its answer or error, the console, the network."""
    error = None
    try:
        answer = await browser.open(path)
    except Exception as caught:  # noqa: BLE001 - compared
        answer, error = str(caught), type(caught)
    await browser("wait", value="0.3")
    snapshot = await browser("snapshot")
    said = await browser("console")
    asked = [re.sub(r" [\d,]+ ms$", "", line) for line in (await browser("network")).splitlines()]
    requests = sorted(line.partition(" ")[2] for line in asked)  # they are asked for side by side
    # Scripts and resources fail side by side: which does so first is nobody's promise.
    shown = numbered(re.sub(r"the first: .*", "", f"{answer}\n{snapshot}"))
    return error, shown, sorted(said.splitlines()), requests


def numbered(shown):
    """Return the text with its refs counted from one: they go on from page to page."""
    refs = {}
    return re.sub(r"\b(f\d+)?e\d+\b", lambda ref: f"ref{refs.setdefault(ref[0], len(refs))}", shown)


OF_A_KIND = [
    pytest.param(path, marks=pytest.mark.soak)
    for path in ("/old", "/hop", "/empty", "/size", "/meta", "/gone", "/bare", "/text")
]
"""Pages that come the same way as another of these."""


@pytest.mark.parametrize("path", ["/talk", "/frames", *OF_A_KIND])
async def test_the_same_is_told_as_of_a_later_page(fresh, usual, path):
    first = await told(fresh, path)
    await usual("new_page")
    assert first == await told(usual, path)
    await usual("close_page")


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:9/", pytest.param("http://no.such.host.invalid/", marks=pytest.mark.soak)],
)
async def test_the_same_failures_as_of_a_later_page(fresh, usual, url):
    errors = [await each.fails("navigate", url=url) for each in (fresh, usual)]
    assert str(errors[0]) == str(errors[1])
    assert (errors[0].code, errors[0].hint) == (errors[1].code, errors[1].hint)
    assert "Home" in await fresh.open("/")


@pytest.mark.soak
async def test_elements_that_nothing_but_their_refs_tells_apart(fresh):
    assert 'button "Edit" e1' in await fresh.open("/rows")
    for number in (1, 3, 5, 6, 7):
        assert f"Edited {number}" in await fresh("click", ref=f"e{number}")
    assert 'button "Edit" e7' in await fresh("snapshot")


async def test_changes_are_told_from_the_first_page(fresh):
    await fresh.open("/rows")
    changed = await fresh("evaluate", text="void (document.querySelector('p').textContent = 'New')")
    assert "Changed:" in changed
    assert "New" in changed


@pytest.mark.soak
async def test_one_page_after_the_other(fresh):
    await fresh.open("/")
    assert "Now at" in await fresh.open("/rows")
    assert "Edited 2" in await fresh("click", ref="e3")
    assert 'Now at "Home"' in await fresh("back")


async def test_a_request_with_all_that_belongs_to_it(fresh):
    await fresh.open("/talk")
    lines = (await fresh("network")).splitlines()
    (data,) = (line for line in lines if "/data" in line)
    answer = await fresh("network", ref=data.split()[0])
    assert "POST 200 fetch" in answer
    assert '{"x": 1}' in answer
    assert '{"y": 2}' in answer
    assert "application/json" in answer
    assert "a-secret" not in answer


@pytest.mark.soak
async def test_a_request_that_ends_late(fresh, serve_site):
    release = threading.Event()

    def late(_):
        release.wait(20)
        return Reply(headers={"Content-Type": "text/plain"}, body="At last")

    page = "<title>Slow</title><h1>Slow</h1><img src=/late>"
    slow = serve_site({"/": page, "/late": late})
    await fresh("navigate", url=slow)
    assert "GET … image" in await fresh("network")
    release.set()

    async def ended():
        return "GET 200 image" in await fresh("network")

    await eventually(ended)


async def test_an_alert(fresh):
    assert "An alert said 'Careful' (acknowledged)." in await fresh.open("/alert")
    assert "After" in await fresh("snapshot")


@pytest.mark.soak
async def test_a_question(fresh):
    assert "A confirm dialog is open: 'Sure?'" in await fresh.open("/confirm")
    for action, code in (("snapshot", "dialog_open"), ("back", "no_history")):
        assert (await fresh.fails(action)).code == code
    assert "t1 (current)" in await fresh("list_pages")
    assert "Said true" in await fresh("dialog", value="accept")
    assert "Said true" in await fresh("snapshot")
    assert "A confirm dialog is open: 'Sure?'" in await fresh.open("/confirm")
    assert "Said false" in await fresh("dialog", value="dismiss")


@pytest.mark.soak
async def test_a_question_for_text(fresh):
    await fresh.open("/prompt")
    assert "Said Grace" in await fresh("dialog", value="accept", text="Grace")


@pytest.mark.soak
async def test_a_question_is_left(fresh):
    await fresh.open("/confirm")
    answer = await fresh.open("/rows")
    assert "The open confirm dialog was closed." in answer
    assert "Edited 1" in await fresh("click", ref="e1")


@pytest.mark.soak
async def test_a_page_that_asks_before_it_is_left(fresh):
    await fresh.open("/asks")
    assert 'Now at "Home"' in await fresh.open("/")


@pytest.mark.parametrize(
    "path",
    ["/file", *(pytest.param(path, marks=pytest.mark.soak) for path in ("/gives", "/gives-later"))],
)
async def test_a_download(fresh, path):
    answer = await fresh.open(path)
    assert "A download started: 'a.txt'." in answer + await fresh("snapshot")
    assert len([r for r in fresh.site.requests if r.path == path]) >= 1

    async def is_saved():
        return "a.txt' (7 bytes) at " in await fresh("downloads")

    await eventually(is_saved)
    file = Path((await fresh("downloads")).partition(" at ")[2])
    assert file.read_text() == "content"  # noqa: ASYNC240 - seven bytes


@pytest.mark.soak
async def test_a_download_is_asked_for_once(fresh, serve_site):
    once = serve_site({"/": PAGES["/file"]})
    await fresh("navigate", url=once)
    assert [r.path for r in once.requests].count("/") == 1


async def test_a_window(fresh):
    answer = await fresh.open("/popup")

    async def told():  # by the first call after the browser said so
        nonlocal answer
        answer += await fresh("snapshot")
        return "A new page opened: t2" in answer

    await eventually(told)
    answer += await fresh("snapshot")
    assert answer.count("A new page opened: t2") == 1
    assert "Home" in await fresh("snapshot", target_id="t2")
    assert (await fresh("list_pages")).count("\n") == 1


async def test_a_page_that_hangs(fresh):
    error = await fresh.fails("navigate", url=f"{fresh.site}/loop", timeout=3)
    assert error.code == "timeout"
    assert 'Now at "Home"' in await fresh.open("/")
    assert "Rows" in await fresh("snapshot")


@pytest.mark.soak
async def test_a_page_that_hangs_between_two_calls(fresh):
    await fresh.open("/")
    await fresh.tab.page.evaluate("void setTimeout('for (;;);')")
    error = await fresh.fails("snapshot", timeout=5)
    assert error.code in ("page_lost", "timeout")
    assert 'Now at "Home"' in await fresh.open("/")


async def test_a_cancelled_call(fresh, serve_site):
    asked = threading.Event()

    def silent(_):
        asked.set()
        return Reply(body=drip(b"x", every=0.1))

    quiet = serve_site({"/": silent})
    call = asyncio.ensure_future(fresh("navigate", url=quiet))
    await asyncio.to_thread(asked.wait, 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert 'Now at "Home"' in await fresh.open("/")


async def test_a_browser_that_is_killed_at_once(fresh, home):
    await fresh.open("/")
    pid = browser_pid(home)
    os.kill(pid, signal.SIGKILL)
    await gone(home, pid)
    error = await fresh.fails("snapshot")
    assert error.code == "page_lost"
    assert 'Now at "Home"' in await fresh.open("/")


async def test_a_page_that_crashes(fresh):
    await fresh.open("/")
    await asyncio.gather(fresh.tab.page.session.send("Page.crash"), return_exceptions=True)
    error = await fresh.fails("snapshot")
    assert error.code == "page_lost"
    assert "crashed" in str(error)
    assert 'Now at "Home"' in await fresh.open("/")


@pytest.mark.soak
async def test_a_page_that_goes_on_at_once(fresh):
    for _ in range(3):
        assert 'Now at "Home"' in await fresh.open("/hop") + await fresh("snapshot")


@pytest.mark.soak
async def test_a_page_that_is_closed_at_once(fresh):
    await fresh.open("/")
    assert "Closed page t1" in await fresh("close_page")
    opened = await fresh.open("/rows")
    assert 'Now at "Rows"' in opened
    assert "Edited 1" in await fresh("click", ref=opened.split('button "Edit" ')[1].split()[0])


async def test_a_browser_that_is_closed_at_once(fresh, home):
    await fresh.open("/")
    assert "stopped the browser" in await fresh("close")
    await fresh("launch")
    assert 'Now at "Home"' in await fresh.open("/")


@pytest.mark.parametrize("settings", [{"viewport": [900, 600]}, {"locale": "de-DE"}])
async def test_settings_hold_from_the_first_page(open_web, site, settings):
    async with open_web(**settings) as web:
        browser = Browser(web, site)
        await browser("launch")
        shown = await browser.open("/size")
        first = shown.splitlines()[-1].partition("text: ")[2]
        width, height, *_, language, _, _ = first.split(",")
        assert [int(width), int(height)] == settings.get("viewport", [1280, 720])
        assert language == settings.get("locale", "en-US")
        await browser("reload")
        assert first in await browser("snapshot")


async def test_header_fields_hold_from_the_first_page(open_web, site):
    profile = {"nebo": {"driver": "nebo", "extra_headers": {"X-Team": "blue"}}}
    async with open_web(profiles=profile) as web:
        browser = Browser(web, site)
        await browser("launch")
        await browser.open("/")
        await browser("reload")
    sent = [r.headers.get("x-team") for r in site.requests if r.path == "/"]
    assert sent[-2:] == ["blue", "blue"]
