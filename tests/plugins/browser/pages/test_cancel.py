"""A call that is given up in the middle of whatever it waits for leaves a usable page."""

import asyncio

import pytest

pytestmark = pytest.mark.anyio
LOOP = "setTimeout(() => { const t = Date.now(); while (Date.now() - t < 1500); }, 0); 0"


async def give_up(page, action, **fields):
    """Cancel a call while it waits."""
    call = asyncio.ensure_future(page.result(action, **fields))
    await asyncio.sleep(0.4)
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
    ],
    ids=str,
)
async def test_for_a_document(page, action, fields):
    await page.open("form.html")
    await give_up(page, action, **fields | {"url": f"{page.site}{fields['url']}"})
    assert 'Now at "Rerender"' in await page.open("rerender.html")
    assert "Saved 1" in await page("click", selector="button >> nth=0")


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("snapshot", {}),
        ("text", {}),
        ("click", {"selector": "#push"}),
        ("hover", {"selector": "#push"}),
        ("scroll", {"text": "down"}),
        ("screenshot", {"selector": "#push"}),
        ("pdf", {"output": "page.pdf"}),
        ("resize", {"width": 700, "height": 500}),
    ],
    ids=str,
)
async def test_for_a_busy_page(page, action, fields):
    await page.open("slow.html")
    await page("snapshot")
    await page("evaluate", text=LOOP)
    await give_up(page, action, **fields)
    assert 'button "Push"' in await page("snapshot", timeout=20)


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
