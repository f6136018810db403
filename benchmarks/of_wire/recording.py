"""Cost of recording a click that asks the server, in turns; Playwright's `recordHar` beside."""

import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import callers
from tests.site.server import Reply, serve

PAGE = """<title>Shop</title><button>Buy</button><p>0</p><script>
let count = 0;
document.querySelector("button").onclick = async () => {
  const answer = await fetch("/api?" + count, { method: "POST", body: "item=spade" });
  const told = await answer.text();
  document.querySelector("p").textContent = `${++count} ${told.length}`;
};</script>"""
BODY = "x" * 20_000
WARM = 3
"""Clicks before those that count."""
Times = dict[str, list[float]]


async def measure(bench: Bench, folder: Path) -> Table:
    rounds, clicks = bench.runs(8, 3), bench.runs(15, 5)
    reply = Reply(body=BODY, headers={"Content-Type": "text/plain"})
    with serve({"/": PAGE, "/api": reply}) as site:
        ours, grown = await _strap(site, folder, rounds, clicks)
        theirs = await _playwright(bench, site, folder, rounds, clicks)
    table = Table(
        title=f"A click with a request, {rounds * clicks} in turns",
        columns=("who", "plain, ms", "recorded, ms", "ratio"),
    )
    for who, times in (("strap", ours), ("Playwright", theirs)):
        plain, *recorded = (statistics.median(taken) * 1000 for taken in times.values())
        for how, ms in zip(tuple(times)[1:], recorded, strict=True):
            table.rows.append([f"{who}, {how}", f"{plain:.1f}", f"{ms:.1f}", f"{ms / plain:.2f}"])
    growth = ", ".join(f"{mb:.0f} MB with {how}" for how, mb in grown.items())
    table.notes.append(f"strap's process grew most in one recording by {growth}.")
    return table


async def _strap(
    site: str, folder: Path, rounds: int, clicks: int
) -> tuple[Times, dict[str, float]]:
    times: Times = {"plain": [], "har": [], "har,video": []}
    async with callers(folder) as caller:
        web = caller("clicks")
        await web("navigate", url=f"{site}/")

        async def click() -> None:
            await web("click", selector="button")

        await _timed(click, WARM)
        grown = dict.fromkeys(("har", "har,video"), 0.0)
        for number in range(rounds):
            times["plain"] += await _timed(click, clicks)
            for value in ("har", "har,video"):
                before = _rss_mb()
                await web("record", value=value, output=f"{value.partition(',')[2]}{number}")
                times[value] += await _timed(click, clicks)
                grown[value] = max(grown[value], _rss_mb() - before)
                await web("record", value="stop")
        return times, grown


async def _playwright(bench: Bench, site: str, folder: Path, rounds: int, clicks: int) -> Times:
    times: Times = {"plain": [], "recordHar": []}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=bench.tools.browser, chromium_sandbox=bench.tools.sandbox
        )
        for number in range(rounds):
            for how in times:
                file: dict[str, Any] = {"record_har_path": folder / f"peer{number}.har"}
                context = await browser.new_context(**(file if how == "recordHar" else {}))
                page = await context.new_page()
                await page.goto(f"{site}/")

                async def click(page: Any = page) -> None:
                    count = int((await page.inner_text("p")).split()[0])
                    await page.click("button")
                    await page.wait_for_function(
                        "n => document.querySelector('p').textContent.startsWith(n)",
                        arg=f"{count + 1} ",
                    )

                await _timed(click, WARM)
                times[how] += await _timed(click, clicks)
                await context.close()
        await browser.close()
    return times


async def _timed(click: Callable[[], Awaitable[None]], number: int) -> list[float]:
    times = []
    for _ in range(number):
        began = time.perf_counter()
        await click()
        times.append(time.perf_counter() - began)
    return times


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6
