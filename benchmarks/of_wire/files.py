"""Recordings of one session as other tools read them: HAR, trace, video."""

import json
from pathlib import Path

import av
from playwright.async_api import async_playwright

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import callers
from tests.site.server import Reply, serve

PAGE = """<title>Shop</title><link rel=stylesheet href=/style.css><h1>Shop</h1>
<button onclick="fetch('/api', {method: 'POST', body: 'item=spade'}).then(r => r.text())
  .then((text) => { document.querySelector('p').textContent = text })">Buy</button><p></p>"""


async def measure(bench: Bench, folder: Path) -> Table:
    style = Reply(body="h1 { color: rgb(1, 2, 3) }", headers={"Content-Type": "text/css"})
    with serve({"/": PAGE, "/style.css": style, "/api": "Ordered"}) as site:
        async with callers(folder) as caller:
            web = caller("files")
            await web("new_page")
            await web("record", value="har,profile,video", output="visit")
            await web("navigate", url=f"{site}/")
            await web("click", selector="button")
            await web("wait", value="0.5")
            await web("record", value="stop")
    files = folder / "files"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=bench.tools.browser, chromium_sandbox=bench.tools.sandbox
        )
        page = await browser.new_page()  # the server is gone
        await page.route_from_har(files / "visit.har", not_found="abort")
        await page.goto(f"{site}/")
        await page.click("button")
        await page.wait_for_selector("text=Ordered")
        colour = await page.evaluate("getComputedStyle(document.querySelector('h1')).color")
        await browser.close()
    return _table(files, colour)


def _table(files: Path, colour: str) -> Table:
    table = Table(title="Recordings in other tools", columns=("file", "read by", "found"))
    table.rows.append(["HAR", "Playwright, routeFromHAR", f"page, {colour}, Ordered"])
    events = json.loads((files / "visit.trace.json").read_text())["traceEvents"]
    named = {each["name"] for each in events}
    whole = all({"name", "ph", "pid", "ts"} <= each.keys() for each in events)
    clicks = "click" if "EventDispatch" in named else "no click"
    table.rows.append(
        [
            "trace",
            "the form of Chrome's traces",
            f"{len(events):,} events, {clicks}, whole: {whole}",
        ]
    )
    with av.open(str(files / "visit.webm")) as video:
        pictures = sum(1 for _ in video.decode(video=0))
        stream = video.streams.video[0]
        found = f"{stream.codec_context.name} {stream.width} x {stream.height}, {pictures} pictures"
    table.rows.append(["video", "FFmpeg (PyAV)", found])
    table.notes.append("Perfetto's loader is absent: its package downloads a program at first use.")
    return table
