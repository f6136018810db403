"""Mouse and keyboard: a page sees of ours what it sees of Playwright's."""

import asyncio
import json

import pytest

from strap_browser.engine.input.devices import Keyboard, Mouse
from strap_browser.engine.input.keymap import KEYS

pytestmark = pytest.mark.anyio

RECORDER = """<!doctype html><body style="height:3000px">
<div id=pad style="position:fixed;inset:0 50% 50% 0"></div>
<textarea style="position:fixed;bottom:0"></textarea>
<script>
window.seen = [];
const FIELDS = ["type", "key", "code", "keyCode", "which", "charCode", "location", "repeat",
  "altKey", "ctrlKey", "metaKey", "shiftKey", "button", "buttons", "detail", "clientX", "clientY",
  "movementX", "movementY", "deltaX", "deltaY", "deltaMode", "pointerType", "isPrimary", "pressure",
  "inputType", "data", "isTrusted", "isComposing"];
for (const name of ["keydown", "keypress", "keyup", "beforeinput", "input", "mousemove",
  "mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "wheel", "pointerdown",
  "pointerup", "pointermove", "pointerover", "mouseover", "mouseenter", "focusin"]) {
  document.addEventListener(name, (event) => {
    const told = {};
    for (const field of FIELDS) if (field in event) told[field] = event[field];
    window.seen.push(told);
    if (name === "contextmenu") event.preventDefault();
  }, { capture: true, passive: true });
}
</script>"""
SEEN = "JSON.stringify([window.seen.splice(0), document.querySelector('textarea').value])"


class Ours:
    """A page over the pipe."""

    def __init__(self, session):
        self.session = session
        self.keyboard = Keyboard(session)
        self.mouse = Mouse(session, self.keyboard)

    async def run(self, script):
        answer = await self.session.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        return answer["result"].get("value")


class Theirs:
    """A page of Playwright's."""

    def __init__(self, page):
        self.page, self.keyboard, self.mouse = page, page.keyboard, page.mouse

    async def run(self, script):
        return await self.page.evaluate(script)


@pytest.fixture
async def pair(chromium, oracle, serve_site):
    """The same page twice, of equal size: ours, and Playwright's."""
    site = serve_site({"/": RECORDER})
    made = await chromium.cdp.send("Target.createTarget", url=str(site))
    session = await chromium.cdp.attach(made["targetId"])
    size = {"width": 800, "height": 600, "deviceScaleFactor": 1, "mobile": False}
    await session.send("Emulation.setDeviceMetricsOverride", **size)
    await session.send("Emulation.setFocusEmulationEnabled", enabled=True)
    page = await oracle.new_page()
    await page.set_viewport_size({"width": 800, "height": 600})
    await page.goto(str(site))
    ours = Ours(session)
    await ours.run("new Promise((done) => document.readyState === 'complete' ? done() :"
                   " addEventListener('load', done))")  # fmt: skip
    yield ours, Theirs(page)
    await page.close()
    await chromium.cdp.send("Target.closeTarget", targetId=made["targetId"])


async def seen_by(page, script, act):
    """Return the events and the value of a page while `act` was done to it."""
    await page.run(script)
    await act(page)
    await page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
    events, value = json.loads(await page.run(SEEN))
    return [e for e in events if e["type"] != "mouseenter"], value


FOCUS = "document.querySelector('textarea').value = ''; document.querySelector('textarea').focus()"


async def combination(page, *keys):
    *held, last = keys
    for each in held:
        await page.keyboard.down(each)
    await page.keyboard.press(last)
    for each in reversed(held):
        await page.keyboard.up(each)


WAYS = {
    "letters": lambda page: page.keyboard.type("aZ9 ~{"),
    "foreign": lambda page: page.keyboard.type("aé漢🙂b"),
    "insert": lambda page: page.keyboard.insert_text("Ada L."),
    "enter": lambda page: page.keyboard.press("Enter"),
    "select all": lambda page: combination(page, "Control", "a"),
    "several": lambda page: combination(page, "Control", "Shift", "ArrowLeft"),
    "alt": lambda page: combination(page, "Alt", "b"),
    "joined": lambda page: page.keyboard.press("ControlOrMeta+A"),
    "plus": lambda page: page.keyboard.press("+"),
    "click": lambda page: page.mouse.click(50, 60),
    "double": lambda page: page.mouse.click(50, 60, click_count=2),
    "right": lambda page: page.mouse.click(50, 60, button="right"),
    "middle": lambda page: page.mouse.click(50, 60, button="middle"),
    "move": lambda page: page.mouse.move(120, 90, steps=4),
}


async def both_see(pair, act):
    """Run `act` on our page and theirs at the same time; return what each saw."""
    return await asyncio.gather(*(seen_by(page, FOCUS, act) for page in pair))


async def test_a_page_sees_the_same(pair):
    """One way after the other on the same two pages, which takes a tenth of the time."""
    for way, act in WAYS.items():
        for page in pair:
            await page.mouse.move(10, 10)
        ours, theirs = await both_see(pair, act)
        assert ours == theirs, way
        assert ours[0], way


async def test_every_key_is_the_same(pair):
    async def press(page, names):
        for name in names:
            await page.run("document.querySelector('textarea').focus()")  # which some keys leave
            await page.keyboard.press(name)

    names = sorted(KEYS)
    for some in (names[at : at + 20] for at in range(0, len(names), 20)):
        ours, theirs = await both_see(pair, lambda page, some=some: press(page, some))
        assert ours == theirs
        assert {event["key"] for event in ours[0] if "key" in event} >= {KEYS[n].key for n in some}


@pytest.mark.parametrize(("key", "typed"), [("a", "A"), ("1", "!"), ("/", "?")])
async def test_shift_types_what_a_keyboard_types_with_it(pair, key, typed):
    ours, _ = pair  # Playwright types what it would without
    _, value = await seen_by(ours, FOCUS, lambda page: combination(page, "Shift", key))
    assert value == typed


async def test_a_button_that_is_held_while_the_mouse_moves(pair):
    async def hold(page):
        await page.mouse.move(20, 20)
        await page.mouse.down()
        await page.mouse.move(60, 80, steps=3)
        await page.mouse.up()

    ours, theirs = [await seen_by(page, FOCUS, hold) for page in pair]
    assert ours == theirs


async def test_the_wheel(pair):
    async def turn(page):
        await page.mouse.move(20, 20)
        await page.mouse.wheel(0, 120)

    ours, theirs = [await seen_by(page, FOCUS, turn) for page in pair]
    assert ours == theirs
    assert any(event["type"] == "wheel" for event in ours[0])


async def test_a_click_with_a_key_held(pair):
    async def click(page):
        await page.keyboard.down("Shift")
        await page.mouse.click(50, 60)
        await page.keyboard.up("Shift")

    ours, theirs = [await seen_by(page, FOCUS, click) for page in pair]
    assert ours == theirs


async def test_a_key_that_is_down_already_repeats(pair):
    async def hold(page):
        await page.keyboard.down("a")
        await page.keyboard.down("a")
        await page.keyboard.up("a")

    ours, theirs = [await seen_by(page, FOCUS, hold) for page in pair]
    assert ours == theirs
    assert [e["repeat"] for e in ours[0] if e["type"] == "keydown"] == [False, True]
