"""Opening, closing and sizing pages."""

import asyncio
import re

import pytest

from strap import PolicyDenied

pytestmark = pytest.mark.anyio


async def test_new_page_is_the_current_one(page):
    await page.open("form.html")
    answer = await page("new_page")
    assert re.fullmatch(r"Opened page t\d+, which is the current one\.", answer)
    answer = await page("new_page", url=f"{page.site}/rerender.html")
    assert answer.startswith("Opened page t")
    assert f'Now at "Rerender" {page.site}/rerender.html' in answer
    assert 'button "Save"' in await page("snapshot")
    assert (await page("list_pages")).count("\n") == 2


async def test_close_page(page):
    await page.open("form.html")
    await page("new_page", url=f"{page.site}/rerender.html")
    answer = await page("close_page")
    assert re.fullmatch(
        rf"Closed page t\d+ {page.site}/rerender.html\.\n"
        rf"The current page is t\d+ {page.site}/form.html\.",
        answer,
    )
    assert "Sign up" in await page("snapshot")
    assert "No page is left." in await page("close_page")
    assert (await page.fails("close_page")).code == "no_page"


async def test_close_another_page(page):
    await page.open("form.html")
    first = re.match(r"(t\d+)", await page("list_pages"))[1]
    await page("new_page")
    assert f"Closed page {first} " in await page("close_page", target_id=first)
    assert (await page.fails("snapshot", target_id=first)).code == "no_page"


async def test_pop_up_is_addressed_and_closed(page):
    await page.open("dialogs.html")
    popup = re.search(r"opened: (t\d+)", await page("click", selector="#window"))[1]
    assert "Dialogs" in await page("snapshot")
    assert "Sign up" in await page("wait", text="Sign up", target_id=popup) + await page(
        "snapshot", target_id=popup
    )
    await page("close_page")
    assert "Dialogs" in await page("snapshot")


async def test_page_that_cannot_be_opened_is_closed_again(page, unused_port):
    await page.open("form.html")
    assert "refused" in str(await page.fails("new_page", url=f"http://127.0.0.1:{unused_port}/"))
    assert isinstance(await page.fails("new_page", url="file:///etc/passwd"), PolicyDenied)
    assert (await page("list_pages")).count("\n") == 0
    assert "Sign up" in await page("snapshot")


async def test_cancelled_new_page_is_closed_again(page):
    await page.open("form.html")
    opening = asyncio.ensure_future(page.result("new_page", url=f"{page.site}/silent"))
    await asyncio.sleep(0.4)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    async with asyncio.timeout(10):
        while (await page("list_pages")).count("\n"):  # noqa: ASYNC110 - a call, not an event
            await asyncio.sleep(0.05)
    assert "Sign up" in await page("snapshot")


async def test_closing_never_waits(page):
    await page.open("form.html")
    waiting = asyncio.ensure_future(page.fails("wait", text="Zanzibar", timeout=30))
    await asyncio.sleep(0.3)
    assert "Closed page" in await page("close_page", timeout=10)
    assert (await waiting).code == "page_lost"


async def test_page_with_a_dialog_is_closed(page):
    await page.open("dialogs.html")
    await page("click", selector="#confirm")
    assert "Closed page" in await page("close_page", timeout=10)
    assert "Sign up" in await page.open("form.html")


async def test_resize(page):
    await page.open("form.html")
    await page(
        "evaluate",
        text="addEventListener('resize', () => {"
        " document.getElementById('clicks').textContent = `Width ${innerWidth}`; }); 0",
    )
    answer = await page("resize", width=400, height=700)
    assert answer.startswith("The viewport has 400 x 700 px.\nChanged:")
    assert "Width 400" in answer
    assert await page("evaluate", text="[innerWidth, innerHeight]") == "[400,700]"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"width": 0, "height": 100}, "'width' must be greater than or equal to 100, not 0"),
        ({"width": 100, "height": 99_999}, "'height' must be less than or equal to 8000"),
        ({"width": 100}, "'height' is missing"),
        ({"width": "wide", "height": 100}, "'width' must be a whole number"),
    ],
)
async def test_bad_size(page, fields, words):
    assert words in str(await page.fails("resize", **fields))


LOG_IN = """navigator.credentials.get({identity: {
    mode: "active", providers: [{configURL: "https://id.example/config.json", clientId: "1"}],
}}).catch((error) => { document.title = error.name })"""
"""Asks for the browser's own window with accounts, which ends it where the tab is not in front."""


async def test_a_page_behind_another_one_may_ask_for_an_account(page):
    await page.open("form.html")
    behind = re.match(r"(t\d+)", await page("list_pages"))[1]
    await page("evaluate", text=f"document.querySelector('button').onclick = () => {{{LOG_IN}}}; 0")
    await page("new_page")
    await page("click", selector="button >> nth=0", target_id=behind)
    assert "NotSupportedError" in await page("wait", value="0.5", target_id=behind) + await page(
        "snapshot", target_id=behind
    )
