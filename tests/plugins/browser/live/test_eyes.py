"""Live page as a person sees it: one entry for one act, names, titles, room, contrast."""

import re

import pytest

from tests.support.waiting import becomes, eventually

from .test_mouse import held  # noqa: F401 - a fixture
from .test_page import at, chromium, page  # noqa: F401 - fixtures
from .watcher import watching

pytestmark = pytest.mark.anyio
PHONE = {"width": 390, "height": 844}
FAINT = """() => {
  const parts = (color) => {
    const canvas = document.createElement('canvas').getContext('2d');
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].reduce((sum, each, at) => {
    const part = each / 255;
    const line = part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    return sum + line * [0.2126, 0.7152, 0.0722][at];
  }, 0);
  const behind = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const color = parts(getComputedStyle(each).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = [];
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !node.checkVisibility()) continue;
    if (node.closest('script, .mark') || !parseFloat(getComputedStyle(node).fontSize)) continue;
    const [text, ground] = [light(parts(getComputedStyle(node).color)), light(behind(node))];
    const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    if (contrast < 4.5) faint.push([node.className || node.id, texts.currentNode.data, contrast]);
  }
  return faint;
}"""


def texts(viewer, kind):
    return [
        each["text"] for each in viewer.said if each["type"] == "entry" and each["kind"] == kind
    ]


def clicks_of(viewer):
    clicks = [text for text in texts(viewer, "call") if text.startswith("click")]
    return clicks if len(clicks) == 2 else None


async def test_elements_are_told_by_their_names_however_they_were_found(caller, link):
    await caller.open("/form")
    async with watching(await link()) as viewer:
        await viewer.open()
        await caller("click", selector="button >> nth=0")
        taken = await caller("snapshot")
        [ref] = re.findall(r'"Press".*?\b(e\d+)\b', taken)
        await caller("click", ref=ref)
        clicks = await eventually(lambda: clicks_of(viewer))
    assert [text.partition(" — ")[0] for text in clicks] == ['click button "Press"'] * 2


async def test_a_double_press_of_take_control_is_one_entry_and_handing_back_has_its_time(person):
    message = {"type": "take", "place": person.place, "epoch": person.now["epoch"]}
    for _ in range(2):
        await person.viewer.send(**message)
    await eventually(lambda: person.now["state"] == "held")
    await person.order("give", "agent")
    await becomes(
        lambda: texts(person.viewer, "person"), ["A person took control", "A person handed back"]
    )
    [*_, back] = [each for each in person.viewer.said if each.get("kind") == "person"]
    assert back["ms"] >= 0


async def test_a_request_that_fails_is_told_once(caller, link):
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        await caller.run("fetch('/nothing-here').then(() => { console.error('after') }); 0")
        await viewer.next("entry", lambda told: told["text"] == "after")
        await viewer.next("entry", lambda told: told["text"].endswith("/nothing-here 404"))
    assert texts(viewer, "console") == ["after"]


async def test_titles_are_learned_of_pages_that_nobody_draws(caller, link, site):
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        await caller.run("setTimeout(() => { document.title = 'Much later' }, 1500); 0")
        await caller("new_page", url=f"{site}/form")
        await viewer.next("place", lambda told: told["pages"][0]["title"] == "Much later")


async def test_a_mouse_that_never_moved_is_told_to_nobody(caller, link):
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        await caller("click", x=321, y=123)
        told = await viewer.next("pointer")
        assert (told["x"], told["y"]) == (321, 123)


async def test_the_only_place_is_opened_and_the_list_stays_where_it_was_chosen(caller, link, page):  # noqa: F811
    await caller.open("/form")
    await page.goto(await link())
    await page.locator("#take").wait_for()
    await page.get_by_role("button", name="strap live: all browsers").click()
    await page.locator(".card strong:text-is('Form')").wait_for()
    await page.reload()
    await page.locator(".card").wait_for()
    assert await page.locator("#take").is_hidden()
    await page.goto("about:blank")
    await page.goto(await link())
    await page.locator("#take").wait_for()


async def test_on_a_phone_the_picture_has_most_of_the_room(caller, link, page):  # noqa: F811
    await caller.open("/form")
    await page.set_viewport_size(PHONE)
    await page.goto(await link())
    await page.locator("#screen:not([data-empty])").wait_for()
    assert (await page.locator("#screen").bounding_box())["y"] < 180
    await page.locator("#take").click()
    await page.locator("body[data-held]").wait_for()
    await becomes(lambda: page.locator("#private").is_visible())
    assert (await page.locator("#screen").bounding_box())["y"] < 240
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_prompt_is_answered_by_the_keyboard_alone(caller, held):  # noqa: F811
    await held.locator("#give").click()
    await held.locator("body:not([data-held])").wait_for()
    await caller.run("d.onclick = () => { document.title = prompt('Who?', 'Bob') }; 0")
    await held.locator("#take").click()
    await held.locator("body[data-held]").wait_for()
    await held.mouse.click(*await at(held, 140, 240))
    await held.locator("#dialog-value:focus").wait_for()
    await held.keyboard.press("End")
    await held.keyboard.type("by")
    await held.keyboard.press("Enter")
    await held.locator("#dialog").wait_for(state="hidden")
    await becomes(lambda: held.evaluate("document.activeElement.id"), "keys")
    await held.locator("#give").click()
    await held.locator("body:not([data-held])").wait_for()
    assert await caller.run("document.title") == "Bobby"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_all_texts_have_enough_contrast(caller, keep, link, chromium, scheme):  # noqa: F811
    keep(task="Buy an oak", events=30)
    await caller.open("/hostile")
    await caller.fails("click", selector="#nothing")
    page = await chromium.new_page(color_scheme=scheme)  # noqa: F811
    await page.goto(await link())
    await page.locator("#screen:not([data-empty])").wait_for()
    assert await page.evaluate(FAINT) == []
    await page.locator("#take").click()
    await page.locator("body[data-held]").wait_for()
    assert await page.evaluate(FAINT) == []
    await page.locator("#give").click()
    await page.locator("#take").wait_for()
    await page.locator("#home").click()
    await page.locator(".run .chip").wait_for()
    assert await page.evaluate(FAINT) == []
    await page.locator(".run").click()
    await page.locator(".entry .acts").first.wait_for()
    assert await page.evaluate(FAINT) == []
    await page.close()
