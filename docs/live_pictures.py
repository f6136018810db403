"""Takes the pictures of docs/live.md from the real page: `python docs/live_pictures.py [DIR]`."""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright

from strap import testing
from tests.site.server import serve

PAGES = Path(__file__).parents[1] / "tests" / "site" / "pages"
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
SIZES = {"light": (1360, 820), "dark": (1360, 820), "phone": (390, 844)}


async def take(folder: Path) -> None:
    """Watch a page as a person does, and keep what that looks like."""
    tables = {"browser": {"headless": True, "port": 0}}
    with serve({"/": SHOP}) as site, tempfile.TemporaryDirectory() as home:
        options = {"home": Path(home), "network": "local", "plugins": tables}
        async with testing.router(**options) as web, async_playwright() as playwright:
            chromium = await playwright.chromium.launch(executable_path="/usr/bin/chromium")
            await web(resource="browser", action="launch")
            await web(resource="browser", action="navigate", url=f"{site}/")
            for name, (width, height) in SIZES.items():
                scheme = "dark" if name == "dark" else "light"
                page = await chromium.new_page(
                    viewport={"width": width, "height": height}, color_scheme=scheme
                )
                await watch(web, page, folder, name)
                await page.close()
            await chromium.close()


async def watch(web: testing.Web, page: Page, folder: Path, name: str) -> None:
    """Take the list of places, and one place with the agent at work."""
    link = (await web(resource="browser", action="live")).data["url"]
    await page.goto(link)
    await page.locator(".card").first.wait_for()
    await page.wait_for_timeout(900)
    await page.screenshot(path=folder / f"list-{name}.png")
    await page.locator(".card").first.click()
    await page.locator("#screen:not([data-empty])").wait_for()
    await web(resource="browser", action="snapshot")
    await web(resource="browser", action="click", selector="button >> nth=0")
    await page.wait_for_timeout(1_500)
    await page.screenshot(path=folder / f"watch-{name}.png")
    asking = asyncio.create_task(web(resource="browser", action="live", text="Please log in."))
    await page.locator("#ask").wait_for()
    await page.screenshot(path=folder / f"asking-{name}.png")
    await page.locator("#ask-take").click()
    await page.locator("body[data-held]").wait_for()
    await type_name(page)
    await page.screenshot(path=folder / f"held-{name}.png")
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
