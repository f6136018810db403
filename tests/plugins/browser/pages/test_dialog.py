"""Dialogs: answered at once, whatever the page does."""

import asyncio
import re

import pytest

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("fields", "said"), [({}, "true"), ({"value": "dismiss"}, "false")])
async def test_confirm(page, fields, said):
    await page.open("dialogs.html")
    await page("click", selector="#confirm")
    answer = await page("dialog", **fields)
    done = "Dismissed" if fields else "Accepted"
    assert answer.startswith(f"{done} the confirm dialog 'Really delete?'.\nChanged:")
    assert f"Answer {said}" in answer


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Untitled"),
        ({"text": "A"}, "A"),
        ({"text": ""}, ""),
        ({"value": "dismiss"}, "null"),
    ],
)
async def test_prompt(page, fields, said):
    await page.open("dialogs.html")
    assert "A prompt dialog is open: 'New name?'." in await page("click", selector="#prompt")
    await page("dialog", **fields)
    assert await page("evaluate", text="document.getElementById('status').textContent") == (
        f'"Name {said}"'
    )


async def test_one_after_the_other(page):
    await page.open("dialogs.html")
    await page("click", selector="#twice")
    assert "A confirm dialog is open: 'Second?'." in await page("dialog")
    assert "true false" in await page("dialog", value="dismiss")


async def test_during_load(page):
    await page.open("confirm")
    assert "After the question" in await page("dialog")


async def test_leaving_a_page_that_asks(page):
    await page.open("form.html")
    await page("evaluate", text="addEventListener('beforeunload', (e) => e.preventDefault()); 0")
    await page("fill", selector="[name=name]", value="Ada")
    opened = "A beforeunload dialog is open: 'Leave the page?'. Answer it with `dialog`."
    assert await page.open("rerender.html") == opened
    assert "dialog blocks the page: 'Leave the page?'." in str(await page.fails("snapshot"))
    answer = await page("dialog", value="dismiss")
    assert answer.startswith("Dismissed the beforeunload dialog 'Leave the page?'.")
    assert await page("evaluate", text="document.forms[0].name.value") == '"Ada"'
    await page.open("rerender.html")
    assert 'Now at "Rerender"' in await page("dialog")


async def test_page_full_of_alerts(page):
    await page.open("form.html")
    await page("evaluate", text="counter.onclick = () => { for (let i = 0;; i++) alert(i); }; 0")
    answer = await page("click", selector="#counter", timeout=20)
    assert "An alert dialog is open: '20'. Answer it with `dialog`." in answer
    # The one after it may come before the call looks at the page, from when on they are counted.
    assert re.search(r"is open: '4[12]'", await page("dialog", timeout=10))
    await page("close_page")
    assert "Sign up" in await page.open("form.html")


async def test_page_that_hangs_afterwards_is_not_waited_for(page):
    await page.open("form.html")
    await page(
        "evaluate", text="confirm('Hang?'); const t = Date.now(); while (Date.now() - t < 4000);"
    )
    answer = await page("dialog", timeout=10)
    assert answer.startswith("Accepted the confirm dialog 'Hang?'.\nThe page is busy;")
    assert "Sign up" in await page("snapshot", timeout=30)


async def test_page_that_another_call_waits_for(page):
    await page.open("form.html")
    await page("evaluate", text="setTimeout(() => confirm('Go on?'), 100); 0")
    waiting = asyncio.ensure_future(page("wait", text="Zanzibar", timeout=20))
    assert "Stopped waiting" in await waiting
    assert "Accepted" in await page("dialog")


async def test_bad_input(page):
    await page.open("dialogs.html")
    error = await page.fails("dialog")
    assert error.code == "no_dialog"
    await page("click", selector="#confirm")
    error = await page.fails("dialog", text="x")
    hint = "Open is a confirm dialog: leave it out."
    assert str(error) == f"text is for a prompt that is accepted. {hint}"
    assert "'value' must be 'accept' or 'dismiss'" in str(await page.fails("dialog", value="maybe"))
    assert "Answer true" in await page("dialog")


async def test_no_page(page):
    assert (await page.fails("dialog")).code == "no_page"
