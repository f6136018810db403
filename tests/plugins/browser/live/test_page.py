"""The page itself, in a browser of its own: a person follows the walk-through."""

import asyncio
import json

import pytest
from playwright.async_api import async_playwright

from strap_live.server import PAGE
from tests.support.chromium import LEAN
from tests.support.waiting import becomes

from .watcher import address, knocking

pytestmark = pytest.mark.anyio
LARGEST = 66 * 1024
"""Bytes of all files of the page: it is there at once over any connection."""


@pytest.fixture(scope="module")
async def chromium(anyio_backend):
    async with async_playwright() as made:
        browser = await made.chromium.launch(executable_path="/usr/bin/chromium", args=[LEAN])
        yield browser
        await browser.close()


@pytest.fixture
async def page(chromium):
    opened = await chromium.new_page(viewport={"width": 1360, "height": 820})
    opened.problems = []
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.on("console", lambda said: said.type == "error" and opened.problems.append(said.text))
    yield opened
    assert opened.problems == []
    await opened.close()


async def is_green(page):
    """Whether the picture is green near its corner, as far as JPEG keeps colors."""
    red, green, blue, _ = await page.evaluate(
        "[...document.querySelector('#canvas').getContext('2d').getImageData(5, 5, 1, 1).data]"
    )
    return red < 8 and abs(green - 128) < 8 and blue < 8


async def at(page, x, y):
    """Return the point on the screen that shows a point of the watched page."""
    box = await page.locator("#canvas").bounding_box()
    return box["x"] + box["width"] * x / 1280, box["y"] + box["height"] * y / 720


async def test_a_person_watches_takes_control_types_and_hands_back(caller, link, page):
    await caller.open("/form")
    await caller.run("document.body.style.background = 'rgb(0, 128, 0)'; 0")
    made = await link()
    await page.goto(made)
    assert made.partition("#")[2] not in page.url
    await becomes(lambda: is_green(page))
    assert "navigate" in await page.locator("#timeline").inner_text()
    await caller("click", selector="#b")
    mark = await page.locator(".mark").bounding_box()
    corner = await at(page, 100, 300)
    assert (mark["x"], mark["y"]) == pytest.approx(corner, abs=1.5)
    await page.locator("#take").click()
    await page.locator("body[data-held]").wait_for()
    waits = asyncio.create_task(caller("snapshot"))
    await page.mouse.click(*await at(page, 200, 120))
    await page.keyboard.type("Hello Ada")
    await page.keyboard.press("Shift+Home")
    await page.keyboard.type("Ada")
    await page.mouse.click(*await at(page, 200, 320))
    await becomes(lambda: _title(caller), "Pressed Ada")
    assert not waits.done()
    await page.locator("#give").click()
    assert "A person had control for" in await waits


async def test_a_person_opens_pages_goes_there_copies_and_closes_them(caller, link, page):
    await caller.open("/form")
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.goto(await link())
    await page.locator("#take").click()
    await page.locator("body[data-held]").wait_for()
    await page.locator("#tab-new").focus()
    await page.keyboard.press("Enter")
    tabs = page.locator("#tabs [role=tab]")
    await becomes(tabs.count, 2)
    await page.keyboard.type(f"{caller.site}/")  # the address has the focus
    await page.keyboard.press("Enter")
    await page.locator("#tabs [aria-selected=true]:text-is('Rest')").wait_for()
    await page.keyboard.press("Control+A")
    await page.keyboard.press("Control+C")
    await page.locator("#notice:text-is('Copied.')").wait_for()
    assert "At rest" in await page.evaluate("navigator.clipboard.readText()")
    await page.locator("#tabs [aria-selected=true]").focus()
    await page.keyboard.press("ArrowLeft")
    await page.locator("#tabs [aria-selected=true]:text-is('Form')").wait_for()
    await page.keyboard.press("Delete")
    await becomes(tabs.count, 1)
    assert await page.locator("#tab-close").is_disabled()
    await page.locator("#url").fill("chrome://version")
    await page.keyboard.press("Enter")
    await page.locator("#notice:visible").wait_for()
    await page.set_viewport_size({"width": 390, "height": 844})
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.on("dialog", lambda dialog: dialog.accept())
    await page.locator("#home").click()
    await page.locator("#close-views").click()
    await page.locator("#gone-title:text-is('All views were closed')").wait_for()
    assert "At rest" in await caller("snapshot")


def _title(caller):
    """The title of the caller's page, without asking it anything."""
    view = caller.web.router.lifespans["browser"].of("live").view
    place = view.places.of_caller("nebo", f"local/{caller.web.caller.session}")
    return place.captures.title(place.subject.pages()[0].target)


async def test_who_else_watches_is_told_that_it_is_private(caller, link, page, chromium):
    await caller.open("/form")
    other = await chromium.new_page()
    for each in (page, other):
        await each.goto(await link())
        await each.locator("#screen:not([data-empty])").wait_for()
    await page.locator("#take").click()
    await becomes(other.locator("#address").inner_text, "private")
    assert await other.locator("#empty").inner_text() == "Private"
    assert await other.locator("#stats").inner_text() == ""
    await page.locator("#give").click()
    await becomes(other.locator("#address").inner_text, f"{caller.site}/form")
    await other.close()


async def test_after_a_reload_the_person_is_still_known(link, page):
    await page.goto(await link())
    await page.locator("#take").wait_for()
    await page.reload()
    await page.locator("#take").wait_for()


async def test_who_has_control_still_has_it_after_a_reload_and_sees_so_in_the_list(link, page):
    await page.goto(await link())
    await page.locator("#take").click()
    await page.locator("body[data-held]").wait_for()
    page.on("dialog", lambda dialog: dialog.accept())
    await page.reload()
    await page.locator("body[data-held]").wait_for()
    await page.locator("#home").click()
    await page.locator(".card:has-text('you have control')").click()
    await page.locator("#give").click()
    await page.locator("#take").wait_for()


async def test_a_used_link_is_told_as_such(link, page):
    made = await link()
    port, ticket = address(made)
    async with knocking(port) as socket:
        await socket.send(json.dumps({"type": "hello", "v": 1, "ticket": ticket}))
        await socket.recv()
    await page.goto(made)
    await page.locator("#gone-title").wait_for()
    assert "does not work any more" in await page.locator("#gone-title").inner_text()


async def test_what_a_hostile_page_says_is_text_and_nothing_else(caller, link, page):
    await page.goto(await link())
    await caller.open("/hostile")
    await page.locator(".entry[data-kind=console]").first.wait_for()
    assert await page.locator("#timeline script, #timeline img, .tabs img").count() == 0


async def test_a_person_looks_back_at_a_run(keep, link, page):
    keep(task="Buy an oak", events=250)
    await page.goto(await link())
    await page.locator("#home").click()
    await page.locator(".run").click()
    await page.locator("#screen:not([data-empty])").wait_for()
    assert "Bought" in await page.locator("#outcome").inner_text()
    await page.locator("#before").click()
    acts = page.locator(".entry[data-on] .acts")
    await acts.wait_for()
    assert "click button" in await acts.inner_text()
    assert await page.locator("#timeline img").count() == 0
    assert await page.locator(".mark").count() == 0
    await page.locator("#time").focus()
    await page.keyboard.press("ArrowLeft")
    assert "during step 1" in await page.locator("#when").inner_text()
    await page.keyboard.press("ArrowLeft")
    await page.locator(".mark").wait_for()
    mark, canvas = [await page.locator(each).bounding_box() for each in (".mark", "#canvas")]
    assert abs(mark["x"] - canvas["x"] - canvas["width"] / 4) < 2
    await page.locator("#filters input[value=network]").uncheck()
    await page.locator("#errors").check()
    await becomes(lambda: page.locator(".entry").count(), 25)
    await page.locator("#search").fill("nothing like it")
    await becomes(lambda: page.locator(".entry").count(), 0)
    await page.locator("#home").click()
    await page.locator(".card").click()
    await page.locator("#take").wait_for()
    assert await page.locator("#scrub").is_hidden()


async def test_the_keyboard_alone_takes_control_leaves_the_page_and_hands_back(caller, link, page):
    await caller.open("/form")
    await caller.run("a.focus(); 0")
    await page.goto(await link())
    await page.locator("#screen:not([data-empty])").wait_for()
    focused = "document.activeElement.id"
    await page.locator("#take").press("Enter")
    await becomes(lambda: page.evaluate(focused), "keys")
    await page.keyboard.type("Ada")
    await page.keyboard.press("F6")
    assert await page.evaluate(focused) == "give"
    await page.keyboard.press("F6")
    assert await page.evaluate(focused) == "keys"
    await page.keyboard.press("F6")
    await page.keyboard.press("Enter")
    await becomes(lambda: page.evaluate(focused), "take")
    assert await caller.run("a.value") == "Ada"
    assert await page.locator("#keys").is_disabled()


async def test_a_list_opens_where_it_was_pressed(caller, link, page):
    await caller.open("/form")
    await caller.run(
        "document.body.innerHTML = '<select id=s style=position:fixed;left:90px;top:400px>"
        "<option>One<option>Two</select>'; 0"
    )
    await page.goto(await link())
    await page.locator("#screen:not([data-empty])").wait_for()
    await page.locator("#take").click()
    await page.locator("body[data-held]").wait_for()
    x, y = await at(page, 100, 408)
    await page.mouse.click(x, y)
    await page.locator("#menu").wait_for()
    box = await page.locator("#menu").bounding_box()
    assert abs(box["x"] - x) < 3
    assert abs(box["y"] - y) < 3
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    assert await page.locator("#menu").is_hidden()
    await page.locator("#give").click()
    await page.locator("#take").wait_for()
    assert await caller.run("s.value") == "Two"


async def test_nothing_is_shown_of_a_browser_that_was_closed(caller, link, page):
    await caller.open("/form")
    await page.goto(await link())
    await page.locator("#screen:not([data-empty])").wait_for()
    await caller("close")
    try:
        await page.locator("#screen[data-empty]").wait_for()
        assert await page.locator("#empty").inner_text() == "Closed"
    finally:
        await caller("launch")


async def test_what_is_ordered_without_a_connection_is_told(link, page):
    sockets = []

    def pass_on(socket):
        if not sockets:
            socket.connect_to_server()
        sockets.append(socket)

    await page.route_web_socket("**/socket", pass_on)
    await page.goto(await link())
    await page.locator("#pause").wait_for()
    await sockets[0].close(code=1011)
    await page.locator("body[data-lost]").wait_for()
    await page.locator("#pause").click()
    assert "Not connected" in await page.locator("#notice").inner_text()


async def test_a_person_answers_a_question_in_a_field_that_shows_dots(caller, link, page):
    await caller.open("/form")
    await page.goto(await link())
    await page.locator("#screen:not([data-empty])").wait_for()
    asking = asyncio.create_task(caller("live", text="Which code is in your mail?"))
    field = page.locator("#ask-answer")
    await field.wait_for()
    assert await field.get_attribute("type") == "password"
    await field.fill("no")
    await field.press("Enter")
    await page.locator("#notice:has-text('too short')").wait_for()
    await field.fill("471193")
    await page.locator("#ask-words button").click()
    assert "The person answered: {{answer_" in await asking
    await page.locator("#ask").wait_for(state="hidden")
    assert await field.input_value() == ""
    asking = asyncio.create_task(caller("live", text="Please log in"))
    await page.locator("#ask-no").wait_for()
    assert not await field.is_visible()
    await page.locator("#ask-no").click()
    await asking


async def test_on_a_phone_controls_are_large_and_the_newest_stays_in_sight(caller, chromium, link):
    phone = {"width": 390, "height": 844}
    page = await chromium.new_page(viewport=phone, has_touch=True, is_mobile=True)
    await page.goto(await link())
    await page.locator("#screen:not([data-empty])").wait_for()
    for number in range(9):
        await caller.open(f"/?{number}")
    newest = page.locator(".entry").last
    await page.locator(".entry:has-text('/?8')").first.wait_for()
    asking = asyncio.create_task(caller("live", text="Log in, please. " * 9))
    await page.locator("#ask-no").wait_for()
    sizes = [await each.bounding_box() for each in await page.locator("button:visible").all()]
    assert min(min(box["width"], box["height"]) for box in sizes if box["width"] > 0) >= 44
    await becomes(lambda: in_sight(newest))
    await page.locator("#ask-no").tap()
    await asking
    await page.close()


async def in_sight(entry):
    """Whether an entry is within the part of the timeline that is seen."""
    return await entry.evaluate(
        "node => node.getBoundingClientRect().bottom <= "
        "node.parentElement.getBoundingClientRect().bottom + 1"
    )


async def test_on_a_phone_nothing_is_cut_off(caller, link, page):
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(await link())
    await page.locator("#screen:not([data-empty])").wait_for()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_no_other_site_frames_it(serve_site, link, page):
    made = await link()
    outside = serve_site({"/": f"<iframe src={made!r}></iframe>"})
    await page.goto(f"{outside}/")
    await page.wait_for_timeout(500)
    inner = [frame for frame in page.frames if frame is not page.main_frame]
    shown = [await each.content() for each in inner]
    page.problems.clear()  # Chromium says that it refused
    assert "strap live" not in "".join(shown)


def test_the_page_is_small():
    assert sum(path.stat().st_size for path in PAGE.iterdir()) < LARGEST
