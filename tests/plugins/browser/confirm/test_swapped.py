"""A page that changes while a person is asked: they are asked anew, about what is there then."""

import asyncio
import re
from contextlib import suppress
from itertools import count

import pytest

from strap import StrapError
from tests.support.waiting import becomes, eventually

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


def leaving(caller, url):
    """The page goes to another address while the question is open, each time to another."""
    numbers = count()

    async def go():
        main = page_of(caller).main_frame
        before = main.loader
        await page_of(caller).session.send(
            "Runtime.evaluate", expression=f"location = '{url}?{next(numbers)}'"
        )
        await becomes(lambda: main.loader not in ("", before))
        await eventually(lambda: main.main_unique)

    return go


async def done(caller):
    told = await page_of(caller).session.send(
        "Runtime.evaluate", expression="JSON.stringify(globalThis.done)"
    )
    return told["result"].get("value")


def once(person, meanwhile):
    """Something happens while the first question is open, and not again."""

    async def change():
        person.meanwhile = None
        await meanwhile()

    person.meanwhile = change


@pytest.mark.parametrize(
    ("script", "asked", "happens"),
    [
        ("rename()", ['button "Pay 10"', 'button "Pay 9999"'], '["paid"]'),
        ("swap()", ['button "Pay 10"'] * 2, '["swapped"]'),
        ("location.reload()", ['button "Pay 10"'] * 2, '["paid"]'),
        ("history.pushState(0, '', '?next')", ['button "Pay 10"'] * 2, '["paid"]'),
    ],
)
@pytest.mark.parametrize("by", ["selector", "ref"])
async def test_what_changed_once_is_asked_anew(page, person, site, script, asked, happens, by):
    found = {"selector": "#pay"}
    if by == "ref":
        found = {"ref": re.search(r'button "Pay 10" (e\d+)', await page("snapshot"))[1]}
        person.asked.clear()
    once(person, changing(page, script))
    await page("click", **found)
    assert [each.target for each in person.asked] == asked
    assert person.asked[1].url == f"{site}/form" + ("?next" if "next" in script else "")
    assert await done(page) == happens


async def test_a_no_to_what_is_there_now(page, person):
    async def change():
        await changing(page, "rename()")()
        person.meanwhile, person.answer = refuse, True

    async def refuse():
        person.answer = False

    person.meanwhile = change
    assert (await page.fails("click", selector="#pay")).code == "declined"
    assert await done(page) == "[]"


async def test_another_value_in_the_field_is_asked_anew(page, person):
    await page("fill", selector="#name", value="10")
    person.asked.clear()
    once(person, changing(page, "document.querySelector('#name').value = '9999'"))
    await page("press", selector="#name", key="Enter")
    assert [each.target for each in person.asked] == [
        'textbox "Name", which holds "10"',
        'textbox "Name", which holds "9999"',
    ]
    once(person, changing(page, "document.querySelector('#name').value = '10'"))
    await page("click", selector="#name")
    person.asked.clear()
    await page("press", key="Enter")
    assert [each.target for each in person.asked] == ['textbox "Name", which holds "10"']


async def test_another_document_of_the_page_is_asked_anew(page, person, site):
    once(person, leaving(page, f"{site}/plain"))
    await page("evaluate", text="1")
    assert [each.url for each in person.asked] == [f"{site}/form", f"{site}/plain?0"]


@pytest.mark.parametrize("script", ["swap()", "pay.remove()", "location.reload()"])
@pytest.mark.parametrize("by", ["selector", "ref"])
async def test_nothing_is_clicked_where_it_changes_each_time(page, person, script, by):
    found = {"selector": "#pay"}
    if by == "ref":
        found = {"ref": re.search(r'button "Pay 10" (e\d+)', await page("snapshot"))[1]}
    person.asked.clear()
    person.meanwhile = changing(page, script)
    error = await page.fails("click", **found)
    assert error.code == "stale_ref", error
    assert "changed while a person was asked, so nothing was done" in str(error)
    # Between two documents no element is there, so that a reload may end the questions earlier.
    times = {"swap()": (3,), "pay.remove()": (1,), "location.reload()": (1, 2, 3)}
    assert len(person.asked) in times[script]
    assert await done(page) == "[]"


@pytest.mark.parametrize(("action", "fields"), ACTIONS)
async def test_nothing_is_done_otherwise(page, person, action, fields):
    ref = re.search(r'button "Pay 10" (e\d+)', await page("snapshot"))[1]
    person.meanwhile = changing(page, "swap()")
    assert (await page.fails(action, ref=ref, **fields)).code == "stale_ref"
    assert await done(page) == "[]"


async def test_what_is_swapped_after_the_yes_is_not_clicked_either(page, person):
    """The page moves for a while, so that the click waits, and swaps at the end of that."""
    person.meanwhile = changing(
        page,
        """pay.animate([{ transform: "none" }, { transform: "translateX(90px)" }], 900)
        .onfinish = swap; 0""",
    )
    error = await page.fails("click", selector="#pay")
    assert error.code == "stale_ref"
    assert await done(page) == "[]"


async def test_an_element_without_a_name(page, person):
    person.meanwhile = changing(page, "plain.textContent += '!'")
    assert (await page.fails("click", selector="#plain")).code == "stale_ref"
    assert await done(page) == "[]"


async def test_the_goal_of_a_drag(page, person):
    person.meanwhile = changing(page, "drop.outerHTML = '<p id=drop>Drop here</p>'")
    error = await page.fails("drag", selector="#pay", value="#drop")
    assert error.code == "stale_ref"


async def test_the_focus_moves(page, person):
    await page("click", selector="#name")
    elsewhere = "(document.activeElement === pay ? document.querySelector('#name') : pay).focus()"
    person.meanwhile = changing(page, elsewhere)
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
    person.meanwhile = leaving(page, f"{site}/plain")
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


ROWS = "".join(
    f"<tr><td>{name}</td><td><button onclick=\"done = '{name}'\">Delete</button></td></tr>"
    for name in ("Alice", "Bob")
)


async def test_a_row_that_shows_another_record_is_asked_about_anew(page, person, site):
    rows = f"document.body.innerHTML = `<table>{ROWS}</table>`; 0"
    await page_of(page).session.send("Runtime.evaluate", expression=rows)
    ref = re.search(r'button "Delete" (e\d+)', await page("snapshot"))[1]
    person.asked.clear()
    once(person, changing(page, "document.querySelector('td').textContent = 'Zed'"))
    await page("click", ref=ref)
    told = [each.target for each in person.asked]
    assert told == ['button "Delete" in row "Alice"', 'button "Delete" in row "Zed"']
