"""Trouble is told at once, in words, and nothing is clicked that was not meant."""

import asyncio
import re

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def test_covered(page):
    ref = ref_in(await page.open("overlay.html"), 'button "Buy"')
    error = await page.fails("click", ref=ref)
    assert error.code == "covered"
    assert str(error).startswith(
        f'Button "Buy" {ref} is covered by <div#overlay> "We use cookies".'
    )
    assert "buy" not in await page("snapshot")


async def test_disabled(page):
    await page.open("overlay.html")
    await page("evaluate", text="uncover(); 0")
    for selector in ("#off", "#grouped"):
        error = await page.fails("click", selector=selector)
        assert error.code == "disabled"
        assert "is disabled" in str(error)


async def test_what_only_aria_calls_disabled_takes_a_click(page):
    """As the address menu of Roundcube: a state that its page forgot to take back."""
    await page.open("overlay.html")
    added = "<a href='#' role=button aria-disabled=true onclick='document.title = 1'>Add</a>"
    await page("evaluate", text=f'uncover(); grouped.outerHTML = "{added}"; 0')
    assert "The page calls it disabled." in await page("click", selector="fieldset a")
    assert await page("evaluate", text="document.title") == '"1"'
    await page("evaluate", text="document.querySelector('fieldset a').ariaDisabled = 'false'; 0")
    assert "disabled" not in await page("click", selector="fieldset a")


async def test_what_aria_calls_disabled_and_takes_no_mouse_is_disabled(page):
    await page.open("overlay.html")
    style = "pointer-events: none"
    added = f"<a href='#' aria-disabled=true style='{style}'>Add</a>"
    await page("evaluate", text=f'uncover(); grouped.outerHTML = "{added}"; 0')
    assert (await page.fails("click", selector="fieldset a")).code == "disabled"


async def test_link_in_a_disabled_group_is_not_disabled(page):
    await page.open("overlay.html")
    link = "<a href='#' onclick='document.title = 1'>Help</a>"
    await page("evaluate", text=f'uncover(); grouped.outerHTML = "{link}"; 0')
    await page("click", selector="fieldset a")
    assert await page("evaluate", text="document.title") == '"1"'


async def test_hidden(page):
    await page.open("overlay.html")
    for selector in ("#hidden", "#gone"):
        assert (await page.fails("click", selector=selector)).code == "hidden"


async def test_becomes_ready_shortly(page):
    await page.open("overlay.html")
    await page("evaluate", text="setTimeout(() => { uncover(); off.disabled = false }, 150)")
    assert "off:true" in await page("click", selector="#off")


async def test_animated_target_is_hit(page):
    await page.open("overlay.html")
    await page("evaluate", text="uncover(); buy.className = 'moving'; 0")
    assert "buy:true" in await page("click", selector="#buy")


async def test_target_that_moves_for_ever_is_hit(page):
    await page.open("overlay.html")
    await page(
        "evaluate",
        text="uncover(); buy.animate([{translate: 0}, {translate: '9px'}],"
        " {duration: 300, iterations: Infinity, direction: 'alternate'}); 0",
    )
    assert "buy:true" in await page("click", selector="#buy")


async def test_click_that_would_hit_something_else_is_stopped(page):
    await page.open("overlay.html")
    await page(
        "evaluate",
        text="uncover(); const cover = () => document.body.classList.add('covered');"
        " buy.addEventListener('mousemove', cover);"
        " overlay.onclick = () => document.title = 'Hit the overlay'; 0",
    )
    error = await page.fails("click", selector="#buy")
    assert "<div#overlay>" in str(error)
    assert await page("evaluate", text="document.title") == '"Overlay"'
    assert "buy" not in await page("snapshot")


async def test_cancelled_click_never_fires(page):
    await page.open("overlay.html")
    click = asyncio.ensure_future(page.result("click", selector="#buy"))
    await asyncio.sleep(0.1)
    click.cancel()
    with pytest.raises(asyncio.CancelledError):
        await click
    await page("evaluate", text="uncover(); 0")
    await asyncio.sleep(0.5)
    assert "buy" not in await page("snapshot")


async def test_cancelled_click_on_a_disabled_button_never_fires(page):
    await page.open("overlay.html")
    await page("evaluate", text="uncover(); 0")
    click = asyncio.ensure_future(page.result("click", selector="#off"))
    await asyncio.sleep(0.1)
    click.cancel()
    with pytest.raises(asyncio.CancelledError):
        await click
    await page("evaluate", text="off.disabled = false; 0")
    await asyncio.sleep(0.5)
    assert "off" not in await page("snapshot")


async def test_cancelled_typing_stops(page):
    await page.open("form.html")
    typing = asyncio.ensure_future(
        page.result("type", selector="[name=comments]", text="x" * 5_000)
    )
    await asyncio.sleep(0.3)
    typing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await typing
    await asyncio.sleep(0.2)
    length = "document.forms[0].comments.value.length"
    typed = int(await page("evaluate", text=length))
    await asyncio.sleep(0.3)
    assert int(await page("evaluate", text=length)) == typed < 5_000


@pytest.mark.parametrize(
    ("happens", "told"),
    [
        ("confirm('Go on?')", "Answer it with `dialog`."),
        ("location = '/text'", "Now at"),
        ("location.reload()", "Now at"),
    ],
)
async def test_typing_ends_with_what_it_was_meant_for(page, happens, told):
    await page.open("form.html")
    at_nine = f"if (event.target.value.length == 9) {{ {happens} }}"
    do = f"document.forms[0].comments.oninput = (event) => {{ {at_nine} }}; 0"
    await page("evaluate", text=do)
    answer = await page("type", selector="[name=comments]", text="x" * 3_000)
    typed = re.match(r"Typed ([\d,]+) of 3,000 characters into '\[name=comments\]'", answer)
    assert int(typed[1].replace(",", "")) >= 9
    assert told in answer
    if "confirm" in happens:
        await page("dialog", value="dismiss")


async def test_confirm_is_told_and_does_not_block(page):
    ref = ref_in(await page.open("dialogs.html"), 'button "Delete"')
    answer = await page("click", ref=ref)
    assert answer.startswith('Clicked button "Delete"')
    assert "A confirm dialog is open: 'Really delete?'." in answer
    error = await page.fails("snapshot")
    assert error.code == "dialog_open"
    assert "'Really delete?'" in str(error)
    assert "The open confirm dialog was closed." in await page.open("form.html")


async def test_alert_is_told(page):
    ref = ref_in(await page.open("dialogs.html"), 'button "Alert"')
    answer = await page("click", ref=ref)
    assert "An alert said 'Attention' (acknowledged)." in answer
    assert "Alerted" in await page("snapshot")


async def test_page_that_patched_everything(page):
    await page.open("form.html")
    await page(
        "evaluate",
        text="""
        const broken = () => { throw new Error('patched'); };
        for (const name of ['querySelectorAll', 'getBoundingClientRect', 'getClientRects',
          'matches', 'scrollIntoView', 'checkVisibility', 'closest', 'addEventListener'])
          Element.prototype[name] = broken;
        Array.prototype.map = Array.prototype.some = Array.prototype.filter = broken;
        for (const name of ['elementFromPoint', 'createElement'])
          Document.prototype[name] = broken;
        JSON.parse = broken;
        Object.prototype.toJSON = () => 'patched';
        window.MutationObserver = window.getComputedStyle = broken;
        0""",
    )
    assert "Clicked 1" in await page("click", selector="#counter")
    assert await page("fill", selector="[name=name]", value="Ada") == "Filled '[name=name]'."
    assert "Sign up" in await page("text")


async def test_a_new_page_that_does_not_answer_is_told_and_may_be_tried_again(page, monkeypatch):
    await page.open("menu.html")
    before = await page("list_pages")
    with monkeypatch.context() as patch:
        patch.setattr("strap_browser.engine.page.START_LIMIT", 0)
        error = await page.fails("new_page")
    assert (error.code, error.retryable) == ("page_busy", True)
    assert await page("list_pages") == before
    assert "Opened page" in await page("new_page")
