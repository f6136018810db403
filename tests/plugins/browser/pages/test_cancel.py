"""A call that is given up in the middle of whatever it waits for leaves a usable page."""

import asyncio
import gc

import pytest

from tests.plugins.browser.pages.test_bad_input import ACTIONS

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


LOOP = "setTimeout(() => { const t = Date.now(); while (Date.now() - t < 900); }, 0); 0"


async def give_up(page, action, **fields):
    """Cancel a call while it waits."""
    call = asyncio.ensure_future(page.result(action, **fields))
    await asyncio.sleep(0.25)
    assert not call.done(), call.result()
    call.cancel()
    async with asyncio.timeout(5):
        with pytest.raises(asyncio.CancelledError):
            await call


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("click", {"selector": "#stream"}),
        ("press", {"selector": "#stream", "key": "Enter"}),
        ("evaluate", {"text": "new Promise(() => {})"}),
        ("evaluate", {"text": "fetch('/endless').then((r) => r.text())"}),
        ("wait", {"text": "Zanzibar"}),
        ("wait", {"selector": "#nothing"}),
        ("wait", {"selector": "h1, button", "value": "gone"}),
        ("batch", {"steps": ["click selector=#stream", "wait value=9"]}),
    ],
    ids=str,
)
async def test_for_what_the_page_asked_for(page, action, fields):
    await page.open("slow.html")
    await give_up(page, action, **fields)
    assert 'button "Push"' in await page("snapshot", timeout=10)
    assert "~ status: Pushed" in await page("click", selector="#push", timeout=10)


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("navigate", {"url": "/silent"}),
        ("new_page", {"url": "/silent"}),
        ("setup_state", {"url": "/silent", "state_id": "given-up"}),
        ("render", {"url": "/silent"}),
    ],
    ids=str,
)
async def test_for_a_document(page, action, fields):
    await page.open("form.html")
    await give_up(page, action, **fields | {"url": f"{page.site}{fields['url']}"})
    assert 'Now at "Rerender"' in await page.open("rerender.html")
    assert "Saved 1" in await page("click", selector="button >> nth=0")


@pytest.mark.parametrize("action", ["back", "forward", "reload"])
async def test_for_a_document_that_was_there_before(page, action):
    once = f"/once?key={action}"
    steps = {
        "back": (once, "/sent"),
        "forward": ("/sent", once),
        "reload": (once,),
    }[action]
    for step in steps:
        await page("navigate", url=f"{page.site}{step}")
    if action == "forward":
        await page("back")
    await give_up(page, action)
    assert 'Now at "Rerender"' in await page.open("rerender.html")


BUSY = {
    "snapshot": {},
    "text": {},
    "click": {"selector": "#push"},
    "hover": {"selector": "#push"},
    "scroll": {"text": "down"},
    "fill": {"selector": "#field", "value": "x"},
    "type": {"selector": "#field", "text": "x"},
    "press": {"selector": "#push", "key": "Enter"},
    "select": {"selector": "#choice", "value": "b"},
    "drag": {"selector": "#push", "value": "10,10"},
    "upload": {"selector": "#file", "paths": ["a.txt"]},
    "evaluate": {"text": "1"},
    "extract": {},
    "wait": {"text": "Zanzibar"},
    "batch": {"steps": ["snapshot"]},
    "screenshot": {"selector": "#push"},
    "emulate": {"value": "dark"},
    "audit": {},
    "pdf": {"output": "page.pdf"},
    "resize": {"width": 700, "height": 500},
    "setup_state": {"state_id": "given-up"},
}
SIMILAR = ("text", "hover", "scroll", "type", "press", "select")
"""Actions that wait as `snapshot`, `click` and `fill` do."""
NAVIGATING = {"navigate", "new_page", "back", "forward", "reload", "render"}
NEVER_WAITING = {
    *("status", "list_pages", "console", "network", "downloads", "cookies", "dialog"),
    *("close", "close_page", "launch", "help", "mock", "record", "tools"),
}
"""Actions that wait for no page; to cancel a launch is tested with the launch."""
FIELDS = """document.body.insertAdjacentHTML("beforeend", `<input id=field aria-label=Field>
<select id=choice aria-label=Choice><option>a<option>b</select>
<input id=file type=file aria-label=File>`); 0"""


def test_nothing_that_waits_is_left_out():
    assert set(ACTIONS) == set(BUSY) | NAVIGATING | NEVER_WAITING


@pytest.mark.parametrize(
    "action",
    [
        *(action for action in BUSY if action not in SIMILAR),
        *(pytest.param(action, marks=pytest.mark.soak) for action in SIMILAR),
    ],
)
async def test_for_a_busy_page(page, outputs, action):
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "a.txt").write_text("a")
    await page.open("slow.html")
    await page("evaluate", text=FIELDS)
    await page("snapshot")
    await page("evaluate", text=LOOP)
    await give_up(page, action, **BUSY[action])
    assert 'button "Push"' in await page("snapshot", timeout=20)
    held = "[field, choice].map((each) => each.value).join() + file.files.length"
    assert (await page("evaluate", text=held)).startswith('",a0"')


async def test_for_its_turn(page):
    await page.open("slow.html")
    first = asyncio.ensure_future(page.result("click", selector="#load"))
    await asyncio.sleep(0.1)
    second = asyncio.ensure_future(page.result("click", selector="#push"))
    await asyncio.sleep(0.1)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    assert "Loaded" in (await first).text
    assert "Pushed" not in await page("snapshot")


async def test_a_look_at_frames_that_is_given_up_leaves_no_error_behind(page, caplog):
    await page.open("form.html")
    await page("evaluate", text="document.body.append(document.createElement('iframe')); 0")
    for action in ("snapshot", "text"):
        await page("evaluate", text=LOOP.replace("}, 0)", "}, 400)"))
        await asyncio.sleep(0.5)
        await give_up(page, action)
    gc.collect()
    await asyncio.sleep(0.1)
    assert "never retrieved" not in caplog.text


async def test_for_the_document_that_a_click_leads_to(page, monkeypatch):
    """Until that is there the page answers nothing, and does not hang."""
    monkeypatch.setattr("strap_browser.pages.tab.PROBE_LIMIT", 0.3)
    await page.open("form.html")
    link = "document.body.innerHTML = '<a href=/later>Leave</a>'; 0"
    await page("evaluate", text=link)
    await give_up(page, "click", selector="a")
    assert "Later" in await page("evaluate", text="document.title")


async def test_a_page_that_hangs_on_its_way_can_be_left(page):
    await page.open("form.html")
    hang = "document.body.innerHTML = '<button>Go</button>'; document.body.firstChild.onclick = "
    hang += "() => { location.href = '/silent'; setTimeout(() => { while (1); }, 50) }; 0"
    await page("evaluate", text=hang)
    await give_up(page, "click", selector="button")
    assert 'Now at "Rerender"' in await page.open("rerender.html")
