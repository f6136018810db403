"""Takes the pictures of docs/live.md from the real page: `python docs/live_pictures.py [DIR]`."""

import asyncio
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

from strap import testing
from tests.plugins.browser.runs.lab import click, shown
from tests.site.server import serve
from tests.support.model_server import act, done, scripted

SHOP = """<!doctype html><title>Willow Garden Shop</title><style>body{font:18px system-ui;margin:0}
header{background:#14532d;color:#fff;padding:26px 48px;font-size:28px}main{display:grid;gap:24px;
grid-template-columns:repeat(3,1fr);padding:40px 48px}article{border:1px solid #ddd;padding:24px;
border-radius:14px}button{padding:10px 18px;border:0;border-radius:9px;background:#15803d;color:
#fff;font:inherit}input{font:inherit;padding:10px;border:1px solid #bbb;border-radius:9px;
width:320px}
</style><header>Willow Garden Shop</header><main><article><h2>Oak seedling</h2><p>12.50 €</p>
<button onclick="this.textContent='In the basket'">Buy oak</button></article><article>
<h2>Birch seedling</h2><p>9.80 €</p><button>Buy birch</button></article><article><h2>Log in</h2>
<p><input aria-label=Name placeholder=Name></p><p><input aria-label=Password type=password
placeholder=Password></p></article></main><script>console.error('No price for pine')</script>"""
TASK = "Buy an oak seedling, then log in as Ada Lovelace"
SCRIPT = [
    click("Buy oak"),
    act("wait", goal="let the basket settle", seconds=2),
    lambda body: act("input", goal="name the customer", index=field_of(body), text="Ada Lovelace"),
    done("An oak seedling is in the basket, and Ada Lovelace is named."),
]
SIZES = {"light": (1360, 820), "dark": (1360, 820), "phone": (390, 844)}


def field_of(body: dict[str, Any]) -> int:
    """The number of the field for the name, as the agent is shown it."""
    return int(re.findall(r"\[(\d+)\]<input", shown(body))[0])


async def take(folder: Path) -> None:
    """Watch a page as a person does, and keep what that looks like."""
    with (
        serve({"/": SHOP}) as site,
        tempfile.TemporaryDirectory() as home,
        scripted(SCRIPT) as model,
    ):
        own = {"model": "openai/scripted", "model_url": model.url, "model_key": "sk-scripted"}
        tables = {"browser": {"headless": True, "port": 0, "live": {"samples": "runs"}, **own}}
        options = {"home": Path(home), "network": "local", "plugins": tables}
        async with testing.router(**options) as web, async_playwright() as playwright:
            chromium = await playwright.chromium.launch(executable_path="/usr/bin/chromium")
            await web(resource="browser", action="eval", url=f"{site}/", task=TASK)
            await web(resource="browser", action="launch")
            for name, (width, height) in SIZES.items():
                scheme = "dark" if name == "dark" else "light"
                page = await chromium.new_page(
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,
                    has_touch=name == "phone",
                )
                await web(resource="browser", action="navigate", url=f"{site}/")
                await watch(web, page, folder, name)
                await look_back(web, page, folder, name)
                await page.close()
            await ask_yes(chromium, folder)
            await chromium.close()


async def ask_yes(chromium: Browser, folder: Path) -> None:
    """Take the question whether the agent may do what `confirm` names."""
    with serve({"/": SHOP}) as site, tempfile.TemporaryDirectory() as home:
        options = {"home": Path(home), "network": "local", "confirm": ["browser.click"]}
        tables = {"browser": {"headless": True, "port": 0}}
        async with testing.router(**options, plugins=tables) as web:
            await web(resource="browser", action="launch")
            await web(resource="browser", action="navigate", url=f"{site}/")
            page = await chromium.new_page(viewport={"width": 1360, "height": 820})
            await page.goto((await web(resource="browser", action="live")).data["url"])
            await page.locator("#screen:not([data-empty])").wait_for()
            buy = {"resource": "browser", "action": "click", "selector": "button >> nth=0"}
            asking = asyncio.create_task(web(**buy))
            await page.locator("#confirm-yes:enabled").wait_for()
            await keep(page, folder, "live-question-light")
            await page.locator("#confirm-yes").click()
            await asking
            await page.close()


async def look_back(web: testing.Web, page: Page, folder: Path, name: str) -> None:
    """Take a run that is over, at a step with its element framed."""
    await page.goto("about:blank")
    await page.goto((await web(resource="browser", action="live")).data["url"])
    await page.locator("#home").click()
    await page.locator(".run").first.click()
    await page.locator("#screen:not([data-empty])").wait_for()
    for _ in range(20):
        await page.locator("#earlier").click()
        await page.wait_for_timeout(400)  # until it is drawn
        if await page.locator(".mark").count():
            break
    await keep(page, folder, f"live-past-{name}")


async def keep(page: Page, folder: Path, name: str) -> None:
    """Keep what a page looks like, in as few bytes as do."""
    file = folder / f"{name}.png"
    await page.screenshot(path=file)
    Image.open(file).quantize(128).save(file, optimize=True)


async def watch(web: testing.Web, page: Page, folder: Path, name: str) -> None:
    """Take the list of places, and one place with the agent at work."""
    link = (await web(resource="browser", action="live")).data["url"]
    await page.goto(link)
    await page.locator("#home").click()  # the list, though there is but one place
    await page.locator(".card").first.wait_for()
    await page.wait_for_timeout(900)
    await keep(page, folder, f"live-list-{name}")
    await page.locator(".card").first.click()
    await page.locator("#screen:not([data-empty])").wait_for()
    await web(resource="browser", action="snapshot")
    await web(resource="browser", action="click", selector="button >> nth=0")
    await page.wait_for_timeout(1_500)
    await keep(page, folder, f"live-watch-{name}")
    asking = asyncio.create_task(web(resource="browser", action="live", text="Please log in."))
    await page.locator("#ask").wait_for()
    await keep(page, folder, f"live-asking-{name}")
    await page.locator("#ask-take").click()
    await page.locator("body[data-held]").wait_for()
    await type_name(page)
    await keep(page, folder, f"live-held-{name}")
    await page.locator("#give").click()
    await asking


async def type_name(page: Page) -> None:
    """Type into the page that is watched, by its picture."""
    box = await page.locator("#canvas").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] * 0.78, box["y"] + box["height"] * 0.345
    await page.mouse.click(x, y)
    await page.keyboard.type("Ada Lovelace")
    await page.wait_for_timeout(700)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures"
    place.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(place))
