"""Faults of pages and machines in the engine: one clear answer, and the next call works."""

import asyncio
import os
import re
import signal

import pytest

from tests.support.processes import of_browsers
from tests.support.waiting import eventually

from .machine import browser_pid

pytestmark = pytest.mark.anyio

CRASHED = "The frame crashed: it is empty until it is reloaded. `reload` the page."
WINDOWS = """<title>Opener</title><button onclick="open50()">Open</button><script>
function open50() { for (let i = 0; i < 50; i++) window.open(`/child?${i}`, `w${i}`); }
</script>"""
FLOOD = """<title>Flood</title><button onclick="flood(1000)">Flood</button><p id=end></p><script>
async function flood(number) {
  for (let i = 0; i < number; i++) {
    console.log("line", i);
    const frame = i % 200 ? null : document.body.appendChild(document.createElement("iframe"));
    document.body.append(`${i} `);
    history.replaceState(0, "", `#${i}`);
    if (frame) { frame.srcdoc = "x"; frame.onload = () => frame.remove(); }
  }
  await Promise.all(Array.from({ length: number / 10 }, (_, i) => fetch(`/child?${i}`)));
  end.textContent = "Flooded";
}
</script>"""


@pytest.fixture
def site(serve_site):
    return serve_site(
        {
            "/": "<title>Home</title><button onclick=\"textContent = 'Pressed'\">Press</button>",
            "/windows": WINDOWS,
            "/child": "<title>Child</title>Child",
        }
    )


async def test_what_draws_is_killed(browse, home, site):
    await browse("launch")
    await browse("navigate", url=site)
    drawing = of_browsers("gpu-process", home)
    assert drawing
    for pid in drawing:
        os.kill(pid, signal.SIGKILL)
    assert "Pressed" in (await browse("click", selector="button")).text
    assert (await browse("screenshot")).images
    assert "Home" in (await browse("reload")).text
    assert "Press" in (await browse("snapshot")).text


@pytest.mark.soak
async def test_a_page_that_opens_50_windows(browse, site):
    await browse("launch")
    await browse("navigate", url=f"{site}/windows")
    opened = await browse("click", selector="button")
    assert "50 pages are open, which is the limit" in opened.text
    assert len(opened.text) < 4_000
    pages = await browse("list_pages")
    assert len(pages.data) == 50
    assert "Open" in (await browse("snapshot", target_id="t1")).text
    last = pages.data[-1]["id"]
    assert "Child" in (await browse("text", target_id=last)).text
    for page in pages.data[1:]:
        await browse("close_page", target_id=page["id"])
    assert "Home" in (await browse("navigate", url=site)).text


@pytest.mark.parametrize("number", [400, pytest.param(5_000, marks=pytest.mark.soak)])
async def test_events_by_the_thousand(browse, serve_site, site, number):
    flood = serve_site({"/": FLOOD.replace("1000", str(number)), "/child": "<title>Child</title>"})
    await browse("launch")
    await browse("navigate", url=flood)
    await browse("click", selector="button", timeout=120)
    assert "is there" in (await browse("wait", text="Flooded", timeout=120)).text
    assert str(number - 1) in (await browse("console")).text
    last = f"/child?{number // 10 - 1}"
    assert last in (await browse("network", text=last)).text
    assert "Press" in (await browse("navigate", url=site)).text


@pytest.fixture
def swaps(browse, serve_site):
    """A page with a field in a frame, and what has the frame go on to another process."""
    inner = serve_site(
        {
            "/first": "<title>First</title><input aria-label=Field>",
            "/other": "<title>Other</title><button onclick=\"textContent='Hit'\">Other</button>",
        }
    )
    far = str(inner).replace("127.0.0.1", "localhost")

    async def opened(way):
        first, second = (inner, far) if way == "there" else (far, inner)
        frame = f"<iframe src='{first}/first'></iframe>"
        around = serve_site({"/": f"<title>Around</title>{frame}"})
        await browse("launch")
        await browse("navigate", url=around)

        async def there():
            return "Field" in (await browse("snapshot")).text

        await eventually(there)
        change = f"document.querySelector('iframe').src = '{second}/other'"
        await browse("evaluate", text=f"setTimeout(() => {{ {change} }}, 500); 0")

    return opened


@pytest.mark.parametrize("way", ["there", "back"])
async def test_what_waits_sees_a_frame_change_its_process(browse, swaps, way):
    await swaps(way)
    assert "is there" in (await browse("wait", selector="iframe >> button", timeout=20)).text
    assert "Hit" in (await browse("click", selector="iframe >> button")).text


IN_FRAME = {
    "click": {"selector": "iframe >> button"},
    "hover": {"selector": "iframe >> button"},
    "fill": {"selector": "iframe >> input", "text": "Filled"},
    "type": {"selector": "iframe >> input", "text": "Typed"},
    "press": {"selector": "iframe >> input", "key": "Enter"},
    "select": {"selector": "iframe >> select", "value": "B"},
    "scroll": {"selector": "iframe >> button"},
    "screenshot": {"selector": "iframe >> button"},
    "text": {"selector": "iframe >> button"},
    "wait": {"selector": "iframe >> button"},
    "wait gone": {"selector": "iframe >> i", "value": "gone"},
    "snapshot": {},
    "extract": {},
}
"""Calls that ask the document of a frame."""
SOME = ["click", "fill", "wait", "snapshot"]
MOST = [SOME, pytest.param([each for each in IN_FRAME if each not in SOME], marks=pytest.mark.soak)]
IS_BUSY = """<script>
onmessage = told => { const end = Date.now() + told.data; while (Date.now() < end); }
</script>"""
CONTROLS = """<button onclick="textContent += '!'">Press</button><input aria-label=Field>
<select><option>A<option>B</select>
<ul><li><a href=/a>one</a> 1<li><a href=/b>two</a> 2<li><a href=/c>three</a> 3</ul>"""


@pytest.fixture
def busy(browse, serve_site):
    """A page whose frame gets busy, and then what happens to it."""
    documents = {name: f"<p>{name[1:]}</p>{CONTROLS}{IS_BUSY}" for name in ("/first", "/second")}
    near = serve_site(documents)
    far = str(near).replace("127.0.0.1", "localhost")
    around = {way: f"<title>Around</title><iframe src='{at}/first'></iframe>"
              for way, at in (("there", near), ("back", far))}  # fmt: skip
    site = serve_site({f"/{way}": page for way, page in around.items()})

    async def opened(way, *, follows=True):
        await browse("navigate", url=f"{site}/{way}")
        await browse("wait", text="first")
        busy = "document.querySelector('iframe').contentWindow.postMessage(500, '*')"
        goes = f"document.querySelector('iframe').src = '{near if way == 'back' else far}/second'"
        first, then = (busy, goes) if way == "back" else (goes, busy)
        change = f"setTimeout(() => {{ {then} }}, 150);" if follows else ""
        await browse("evaluate", text=f"{first}; {change} 0")

    return opened


@pytest.mark.parametrize("actions", MOST)
@pytest.mark.parametrize("way", ["there", "back"])
async def test_what_acts_in_a_frame_that_changes_its_process_goes_on(browse, busy, way, actions):
    """Questions to the busy document are lost with it."""
    await browse("launch")
    for action in actions:
        await busy(way)
        await browse(action.split()[0], **IN_FRAME[action])
        assert "is there" in (await browse("wait", text="second")).text, action
        assert '!"' in (await browse("click", selector="iframe >> button")).text, action


@pytest.mark.parametrize("actions", MOST)
async def test_what_acts_in_a_frame_that_crashes_says_so(browse, fails, home, busy, actions):
    await browse("launch")
    for action in filter(IN_FRAME.get, actions):
        await busy("back", follows=False)
        acting = asyncio.create_task(fails(action.split()[0], **IN_FRAME[action]))
        await asyncio.sleep(0.1)  # or longer: then it has crashed before it is asked
        os.kill(max(of_browsers("renderer", home)), signal.SIGKILL)
        error = await acting
        assert (error.code, str(error)) == ("frame_crashed", CRASHED), action
    await browse("reload")
    await browse("wait", text="first")
    assert '!"' in (await browse("click", selector="iframe >> button")).text


@pytest.mark.parametrize("way", ["there", "back"])
async def test_what_is_typed_while_a_frame_changes_its_process(browse, swaps, way):
    await swaps(way)
    answer = await browse("type", selector="iframe >> input", text="slow " * 3_900, timeout=60)
    assert re.match(r"Typed [\d,]+ of 19,500 characters into 'iframe >> input'", answer.text)
    assert 'button "Other"' in answer.text
    assert "Hit" in (await browse("click", selector="iframe >> button")).text


@pytest.mark.parametrize(
    ("action", "fields"),
    [("dialog", {"value": "accept"}), ("cookies", {}), ("cookies", {"value": "a=1"})],
)
async def test_what_is_answered_past_the_page_when_the_browser_ends(
    browse, fails, home, serve_site, action, fields
):
    """These wait for no turn of the page, which a dialog would keep them from."""
    site = serve_site({"/": "<title>Asks</title><button onclick=\"confirm('Sure?')\">Ask</button>"})
    await browse("launch")
    await browse("navigate", url=site)
    await browse("click", selector="button")
    os.kill(browser_pid(home), signal.SIGSTOP)
    answering = asyncio.create_task(fails(action, **fields))
    await asyncio.sleep(0.2)  # or longer: then it ends before it is asked
    os.kill(browser_pid(home), signal.SIGKILL)
    error = await answering
    assert error.code in ("page_lost", "no_dialog"), error
    assert "Asks" in (await browse("navigate", url=site)).text
