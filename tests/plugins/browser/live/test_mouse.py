"""A person's mouse and finger: dragging, scrolling, prompts and copies in a second Chromium."""

import pytest

from tests.support.waiting import eventually

from .test_page import at, chromium, page  # noqa: F401 - fixtures

pytestmark = pytest.mark.anyio
DRAGS = """document.body.innerHTML = `<p style="margin:20px 100px;font:20px monospace">
Select these words</p>
<input type=range id=r min=0 max=100 value=0 style="position:absolute;left:100px;top:100px;
width:400px;height:20px">
<div id=d draggable=true style="position:absolute;left:100px;top:200px;width:80px;height:80px;
background:red">Drag me</div>
<div id=z style="position:absolute;left:400px;top:200px;width:160px;height:160px;background:silver">
Here</div>`;
d.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'a thing');
z.ondragover = (event) => event.preventDefault();
z.ondrop = (event) => { event.preventDefault();
  document.title = 'Dropped ' + event.dataTransfer.getData('text/plain') };
d.ondragend = (event) => { document.body.dataset.end = event.dataTransfer.dropEffect };
d.onclick = () => { document.title = 'Clicked' };
r.onchange = () => { document.title = 'At ' + (r.value > 40) };
document.onselectionchange = () => { document.body.dataset.selected = getSelection() }; 0"""


async def taken(caller, link, page):  # noqa: F811
    """Take control of the caller's page in a second Chromium."""
    await page.goto(await link())
    await page.locator("#take").click()
    await page.locator("body[data-held]").wait_for()
    await page.locator("#screen:not([data-empty])").wait_for()


async def drag(page, start, end):  # noqa: F811
    await page.mouse.move(*await at(page, *start))
    await page.mouse.down()
    await page.mouse.move(*await at(page, *end), steps=6)
    await page.mouse.up()


@pytest.fixture
async def held(caller, link, page):  # noqa: F811
    await caller.open("/form")
    await caller.run(DRAGS)
    await taken(caller, link, page)
    return page


async def handed_back(caller, page, script):  # noqa: F811
    await page.locator("#give").click()
    await page.locator("body:not([data-held])").wait_for()
    return str(await caller.run(script))


async def test_a_text_is_selected_and_a_range_is_dragged(caller, held):
    await drag(held, (102, 32), (320, 32))
    await held.locator("#copy").click()
    await held.locator("#copied:visible, #notice:text-is('Copied.')").first.wait_for()
    await drag(held, (108, 110), (400, 110))
    told = await handed_back(caller, held, "document.title + document.body.dataset.selected")
    assert "At true" in told
    assert "Select these words" in told


async def test_what_a_page_lets_be_dragged_is_dropped(caller, held):
    await drag(held, (140, 240), (480, 280))
    await held.mouse.click(*await at(held, 480, 340))
    told = await handed_back(caller, held, "document.title + ' ' + document.body.dataset.end")
    assert "Dropped a thing" in told
    await caller("click", selector="#d")
    assert "Clicked" in await caller.run("document.title")


async def test_a_click_after_a_movement_is_a_click(caller, held):
    await drag(held, (140, 240), (141, 240))
    assert "Clicked" in await handed_back(caller, held, "document.title")


async def test_nothing_selected_is_said(held):
    await held.locator("#copy").click()
    await held.locator("#notice:text-is('Nothing is selected.')").wait_for()


async def test_the_default_of_a_prompt_is_there(caller, held):
    await handed_back(caller, held, "0")
    await caller.run("answers = []; d.onclick = () => { answers.push(prompt('Who?', 'Bob')) }; 0")
    await held.locator("#take").click()
    await held.locator("body[data-held]").wait_for()
    for answer in ("", "Ada"):
        await held.mouse.click(*await at(held, 140, 240))
        field = held.locator("#dialog-value")
        await field.wait_for()
        assert await field.input_value() == "Bob"
        if answer:
            await field.fill(answer)
        await held.locator("#dialog-yes").click()
        await held.locator("#dialog").wait_for(state="hidden")
    assert await handed_back(caller, held, "answers.join()") == "Bob,Ada"


async def test_a_finger_scrolls_and_taps(caller, link, chromium):  # noqa: F811
    await caller.open("/form")
    await caller.run("document.body.style.height = '4000px'; 0")
    context = await chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    phone = await context.new_page()
    await taken(caller, link, phone)
    touch = await context.new_cdp_session(phone)
    x, y = await at(phone, 640, 600)

    async def finger(kind, *points):
        places = [{"x": left, "y": top} for left, top in points]
        await touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    await finger("touchStart", (x, y))
    for step in range(1, 6):
        await finger("touchMove", (x, y - 20 * step))
    await finger("touchEnd")
    told = await _scrolled(caller, phone)
    assert float(told) > 100
    await context.close()


async def _scrolled(caller, phone):
    await eventually(lambda: phone.locator("#give").is_visible())
    return await handed_back(caller, phone, "scrollY")
