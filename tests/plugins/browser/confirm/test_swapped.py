"""A page that changes while a person is asked: what they said yes to is gone."""

import asyncio
import re
from contextlib import suppress

import pytest

from strap import StrapError

from .conftest import far

pytestmark = pytest.mark.anyio

ACTIONS = [
    ("click", {}),
    ("hover", {}),
    ("drag", {"value": "20,0"}),
    ("press", {"key": "Enter"}),
    ("type", {"text": "\n"}),
    ("evaluate", {"text": "(element) => element.click()"}),
]


def page_of(caller):
    """The engine's own page, which a script of the site may change at any time."""
    web = caller.web
    state = web.router._lifespans["browser"]._ready.result()[0]
    [session] = [
        known
        for key, known in state.profiles["nebo"]._sessions.items()
        if key.endswith(web.caller.session)
    ]
    return session.current.page


def changing(caller, script):
    """The page's own script runs while the question is open."""

    async def change():
        await page_of(caller).session.send("Runtime.evaluate", expression=script)
        await asyncio.sleep(0.05)

    return change


async def done(caller):
    told = await page_of(caller).session.send(
        "Runtime.evaluate", expression="JSON.stringify(globalThis.done)"
    )
    return told["result"].get("value")


@pytest.mark.parametrize("script", ["swap()", "rename()", "pay.remove()", "location.reload()"])
@pytest.mark.parametrize("by", ["selector", "ref"])
async def test_nothing_is_clicked(page, person, script, by):
    found = {"selector": "#pay"}
    if by == "ref":
        found = {"ref": re.search(r'button "Pay 10" (e\d+)', await page("snapshot"))[1]}
    person.meanwhile = changing(page, script)
    error = await page.fails("click", **found)
    assert error.code == "stale_ref", error
    assert "changed while a person was asked, so nothing was done" in str(error)
    assert await done(page) == "[]"


@pytest.mark.parametrize(("action", "fields"), ACTIONS)
async def test_nothing_is_done_otherwise(page, person, action, fields):
    ref = re.search(r'button "Pay 10" (e\d+)', await page("snapshot"))[1]
    person.meanwhile = changing(page, "swap()")
    assert (await page.fails(action, ref=ref, **fields)).code == "stale_ref"
    assert await done(page) == "[]"


async def test_what_is_swapped_after_the_yes_is_not_clicked_either(page, person):
    """The page moves for a while, so that the click waits, and takes its chance then."""
    await page(
        "evaluate",
        text="""pay.animate([{ transform: "none" }, { transform: "translateX(90px)" }], 900);
        setTimeout(swap, 400); 0""",
    )
    error = await page.fails("click", selector="#pay")
    assert error.code == "stale_ref"
    assert await done(page) == "[]"


async def test_an_element_without_a_name(page, person):
    person.meanwhile = changing(page, "plain.textContent = 'Other text'")
    assert (await page.fails("click", selector="#plain")).code == "stale_ref"
    assert await done(page) == "[]"


async def test_the_goal_of_a_drag(page, person):
    person.meanwhile = changing(page, "drop.outerHTML = '<p id=drop>Drop here</p>'")
    error = await page.fails("drag", selector="#pay", value="#drop")
    assert error.code == "stale_ref"


async def test_the_focus_moves(page, person):
    await page("click", selector="#name")
    person.meanwhile = changing(page, "pay.focus()")
    for action, fields in (("press", {"key": "Enter"}), ("type", {"text": "\n"})):
        await page_of(page).session.send(
            "Runtime.evaluate", expression="document.querySelector('#name').focus()"
        )
        error = await page.fails(action, **fields)
        assert error.code == "stale_ref"
    assert await done(page) == "[]"


async def test_what_is_at_a_place(page, person):
    at = (await page.result("evaluate", text="pay.getBoundingClientRect().toJSON()")).data["result"]
    x, y = at["x"] + 5, at["y"] + 5
    person.meanwhile = changing(page, "swap()")
    assert (await page.fails("click", x=x, y=y)).code == "stale_ref"
    assert await done(page) == "[]"
    person.meanwhile = None
    await page("click", x=x, y=y)
    assert person.asked[-1].target == 'button "Pay 10"'
    assert await done(page) == '["swapped"]'


async def test_the_page_goes_elsewhere(page, person, site):
    person.meanwhile = changing(page, f"location = '{site}/plain'")
    error = await page.fails("evaluate", text="done.push('ran')")
    assert error.code == "stale_ref"
    assert str(error).startswith("The page changed")


@pytest.mark.parametrize("delay", range(0, 60, 12))
async def test_a_script_runs_in_no_other_document(host_page, person, site, delay):
    """A page that is on its way to the bank when the script is sent gets none of it."""
    await host_page.open("plain")
    person.answer = False
    await page_of(host_page).session.send(
        "Runtime.evaluate", expression=f"setTimeout(() => location = '{far(site)}/form', {delay})"
    )
    while not person.asked:
        with suppress(StrapError):
            await host_page("evaluate", text="globalThis.marked = true; 0")
    told = await page_of(host_page).session.send(
        "Runtime.evaluate", expression="location.hostname + ' ' + globalThis.marked"
    )
    assert told["result"]["value"] == "localhost undefined"


async def test_the_time_of_a_call_stands_still(page, person):
    person.meanwhile = lambda: asyncio.sleep(1.5)
    assert "Clicked" in await page("click", selector="#pay", timeout=1)
    assert "Waited" in await page("wait", value="0.2", timeout=1)
    result = await page.result("batch", steps=["click selector=#pay"] * 2, timeout=2)
    assert "2. Clicked" in result.text
    assert await done(page) == '["paid","paid","paid"]'
