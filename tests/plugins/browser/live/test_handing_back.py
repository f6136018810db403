"""When a page goes back to the agent, and what the person is told who had it."""

import time

import pytest

from strap_live import orders
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio


async def is_busy(caller, milliseconds):
    """Let the page take as long for each key."""
    busy = f"const end = performance.now() + {milliseconds}; while (performance.now() < end);"
    await caller.run(f"a.onkeydown = () => {{ {busy} a.dataset.at = Date.now() }}; 0")


async def test_what_was_typed_has_arrived_when_it_is_handed_back(caller, person, monkeypatch):
    """A page that is busy takes its keys late."""
    monkeypatch.setattr(orders, "ARRIVAL", 60)
    await is_busy(caller, 800)
    await person.order("take", "held")
    await person.click(200, 120)
    await person.press("x", "KeyX", 88)
    await person.press("y", "KeyY", 89)
    await person.order("give", "agent")
    handed_back = 1_000 * time.time()
    assert await caller.run("a.value") == "xy"
    assert await caller.run("+a.dataset.at") <= handed_back


async def test_who_hands_back_a_page_that_takes_nothing_is_told(caller, person, monkeypatch, stuck):
    """The key is with the page, which comes to nothing until the test lets it go on."""
    monkeypatch.setattr(orders, "ARRIVAL", 0.2)
    await caller.run(f"a.onkeydown = () => {{ {stuck.in_it} }}; 0")
    await person.order("take", "held")
    await person.click(200, 120)
    await person.press("x", "KeyX", 88)
    await eventually(stuck.reached.is_set)
    await person.order("give", "agent")
    told = await person.viewer.next("refused")
    assert told == {"type": "refused", "of": "give", "text": orders.UNSURE}
    stuck.release.set()
    await becomes(lambda: caller.run("a.value"), "x")


async def test_a_page_is_handed_back_with_its_dialog(caller, person):
    """The press that opened it is answered when it is closed."""
    await caller.run("b.onclick = () => { document.title = confirm('Go on?') }; 0")
    await person.order("take", "held")
    await person.click(200, 320)
    await person.viewer.next("place", lambda told: told["dialog"])
    await person.order("give", "agent")
    assert not [told for told in person.viewer.said if told["type"] == "refused"]
    assert await caller("dialog", value="accept")


async def test_a_dialog_that_was_answered_is_closed_when_the_page_is_handed_back(caller, person):
    await caller.run("b.onclick = () => { document.title = confirm('Go on?') }; 0")
    await person.order("take", "held")
    await person.click(200, 320)
    await person.viewer.next("place", lambda told: told["dialog"])
    await person.do("dialog", accept=True)
    await person.order("give", "agent")
    assert await caller.run("document.title") == "true"
