"""Recordings of one session as other tools read them: HAR, trace, video."""

from pathlib import Path

import av
from playwright.async_api import Browser, async_playwright

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import callers
from tests.site.server import Reply, serve

PAGE = """<title>Shop</title><link rel=stylesheet href=/style.css><h1>Shop</h1>
<button onclick="fetch('/api', {method: 'POST', body: 'item=spade'}).then(r => r.text())
  .then((text) => { document.querySelector('p').textContent = text })">Buy</button><p></p>"""

DEVTOOLS = "devtools://devtools/bundled/models"
"""Modules of the DevTools that each Chromium has."""
HAR = f"""async (text) => {{
  const {{ HARFormat, Importer }} = await import("{DEVTOOLS}/har/har.js");
  const log = new HARFormat.HARRoot(JSON.parse(text)).log;
  const read = Importer.Importer.requestsFromHARLog(log);
  return read.map((each) => `${{each.requestMethod}} ${{each.statusCode}}`).join(", ");
}}"""
TRACE = f"""async (text) => {{
  const {{ TraceModel }} = await import("{DEVTOOLS}/trace/trace.js");
  const model = TraceModel.Model.createWithAllHandlers();
  const {{ traceEvents }} = JSON.parse(text);
  await model.parse(traceEvents, {{ metadata: {{}} }});
  const read = model.parsedTrace(0);
  const clicks = traceEvents.filter((each) => each.args?.data?.type === "click").length;
  const requests = (read.data ?? read).NetworkRequests.byTime.length;
  return `${{traceEvents.length}} events, ${{requests}} requests, ${{clicks}} click`;
}}"""


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
        found = [["HAR", "Playwright, routeFromHAR", f"page, {colour}, Ordered"]]
        found += await _in_devtools(browser, files)
        await browser.close()
    return _table(files, found)


async def _in_devtools(browser: Browser, files: Path) -> list[list[str]]:
    """Have the modules of Chromium's own DevTools read what theirs write."""
    page = await browser.new_page()
    await page.goto(f"{DEVTOOLS}/har/har.js")
    return [
        ["HAR", "Chromium's DevTools", await page.evaluate(HAR, (files / "visit.har").read_text())],
        [
            "trace",
            "Chromium's DevTools",
            await page.evaluate(TRACE, (files / "visit.trace.json").read_text()),
        ],
    ]


def _table(files: Path, found: list[list[str]]) -> Table:
    table = Table(title="Recordings in other tools", columns=("file", "read by", "found"))
    table.rows += found
    with av.open(str(files / "visit.webm")) as video:
        pictures = sum(1 for _ in video.decode(video=0))
        stream = video.streams.video[0]
        seen = f"{stream.codec_context.name} {stream.width} x {stream.height}, {pictures} pictures"
    table.rows.append(["video", "FFmpeg (PyAV)", seen])
    table.notes.append("Perfetto's loader is absent: its package downloads a program at first use.")
    return table
