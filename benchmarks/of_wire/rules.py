"""Cost of rules for a click and a page with 200 requests.

Beside it: Playwright's `route`, and Chromium's `Fetch` alone, the least that a rule can cost.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from playwright.async_api import Page, async_playwright

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import callers
from tests.site.server import Reply, serve

MANY = 200
PAGE = """<title>Shop</title><button>Buy</button><p>0</p><script>
let count = 0;
const show = (text) => { document.querySelector("p").textContent = text };
document.querySelector("button").onclick = async () => {
  await (await fetch("/api/one")).text();
  show(++count);
};
const many = async () => {
  const all = Array.from({length: MANY}, (_, n) => fetch("/many/" + n).then((r) => r.text()));
  return (await Promise.all(all)).length;
};
let floods = false;
const flood = (on) => {
  if (!(floods = on)) return;
  const ask = () => floods && fetch("/many/0").then((r) => r.text()).then(ask, ask);
  for (let n = 0; n < 64; n++) ask();
};</script>""".replace("MANY", str(MANY))
HOW = ("none", "matches nothing", "matches")
PATTERNS = {"matches nothing": "*/nowhere/*", "matches": "*/api/*"}
MANY_PATTERNS = {**PATTERNS, "matches": "*/many/*"}
Work = Callable[[], Awaitable[Any]]
Rule = Callable[[str, bool], Awaitable[Any]]
"""Adds a rule for a pattern, or drops it."""


async def measure(bench: Bench, folder: Path) -> Table:
    rounds = bench.runs(60, 4)
    text = Reply(body="ok", headers={"Content-Type": "text/plain"})
    paths = ("/api/one", *(f"/many/{number}" for number in range(MANY)))
    table = Table(
        title=f"Rules for requests, medians of {rounds} turns",
        columns=("who", "what", "none, ms", *(f"{how}, ratio" for how in HOW[1:])),
    )
    with serve({"/": PAGE, **dict.fromkeys(paths, text)}) as site:
        async with callers(folder) as caller:
            web = caller("rules")
            await web("navigate", url=f"{site}/")

            async def rule(pattern: str, on: bool) -> None:
                if on:
                    await web("mock", url=pattern, value="delay=0")
                else:
                    await web("mock", url=pattern, value="clear")

            await _rows(
                table,
                "strap",
                rounds,
                rule,
                {
                    "click": lambda: web("click", selector="button"),
                    f"{MANY} requests": lambda: web("evaluate", text="many()"),
                },
            )
            await web("evaluate", text="flood(true)")
            flooded = {"text, while the page asks without end": lambda: web("text")}
            await _rows(table, "strap", rounds, rule, flooded)
            await web("evaluate", text="flood(false)")
        await _playwright(bench, table, site, rounds)
    return table


async def _playwright(bench: Bench, table: Table, site: str, rounds: int) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=bench.tools.browser, chromium_sandbox=bench.tools.sandbox
        )
        page = await browser.new_page()
        await page.goto(f"{site}/")

        async def rule(pattern: str, on: bool) -> None:
            if on:
                await page.route(f"*{pattern}", lambda route: route.continue_())
            else:
                await page.unroute(f"*{pattern}")

        works: dict[str, Work] = {
            "click": lambda: _click(page),
            f"{MANY} requests": lambda: page.evaluate("many()"),
        }
        await _rows(table, "Playwright, route", rounds, rule, works)
        protocol = await page.context.new_cdp_session(page)
        protocol.on(
            "Fetch.requestPaused",
            lambda event: asyncio.ensure_future(
                protocol.send("Fetch.continueRequest", {"requestId": event["requestId"]})
            ),
        )

        async def bare_rule(pattern: str, on: bool) -> None:
            if on:
                await protocol.send("Fetch.enable", {"patterns": [{"urlPattern": pattern}]})
            else:
                await protocol.send("Fetch.disable")

        await _rows(table, "Chromium, Fetch alone", rounds, bare_rule, works)
        await browser.close()


async def _click(page: Page) -> None:
    before = int(await page.inner_text("p"))
    await page.click("button")
    await page.wait_for_function(
        "n => document.querySelector('p').textContent == n", arg=str(before + 1)
    )


async def _rows(table: Table, who: str, rounds: int, rule: Rule, works: dict[str, Work]) -> None:
    for what, work in works.items():
        patterns = PATTERNS if what == "click" else MANY_PATTERNS
        times: dict[str, list[float]] = {how: [] for how in HOW}
        for at in range(rounds + 3):  # the first ones warm up
            for how in HOW:
                if how in patterns:
                    await rule(patterns[how], True)
                began = time.perf_counter()
                await work()
                took = time.perf_counter() - began
                if at >= 3:
                    times[how].append(took * 1000)
                if how in patterns:
                    await rule(patterns[how], False)
        plain, *others = (statistics.median(times[how]) for how in HOW)
        table.rows.append([who, what, f"{plain:.1f}", *(f"{each / plain:.3f}" for each in others)])
