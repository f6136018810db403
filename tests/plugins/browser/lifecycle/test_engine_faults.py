"""What pages and machines do to the engine: one clear answer, and the next call works."""

import os
import re
import signal

import pytest

from strap_browser.cdp.errors import TargetClosed
from strap_browser.engine.frames.frame import Frame
from tests.support.waiting import eventually

from .machine import processes_of

pytestmark = pytest.mark.anyio

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
    drawing = processes_of("gpu-process", home)
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
    assert "50 pages are the limit" in opened.text
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
    await browse("click", selector="button")
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


async def test_a_frame_between_two_processes_is_waited_for(browse, swaps, monkeypatch):
    """What it was asked then goes down with the one that it leaves."""
    await swaps("there")
    ask, asked = Frame.ask, []

    async def lost(self, question):
        if self.parent_frame is not None:
            asked.append(question)
            if len(asked) == 2:
                raise TargetClosed("Session with given id not found.")
        return await ask(self, question)

    monkeypatch.setattr(Frame, "ask", lost)
    assert "is there" in (await browse("wait", selector="iframe >> button", timeout=20)).text
    assert len(asked) > 2


@pytest.mark.parametrize("way", ["there", "back"])
async def test_what_is_typed_while_a_frame_changes_its_process(browse, swaps, way):
    await swaps(way)
    answer = await browse("type", selector="iframe >> input", text="slow " * 3_900, timeout=60)
    assert re.match(r"Typed [\d,]+ of 19,500 characters into 'iframe >> input'", answer.text)
    assert 'button "Other"' in answer.text
    assert "Hit" in (await browse("click", selector="iframe >> button")).text
