"""The five commonest actions on the form page, next to the bare Playwright calls."""

import asyncio
import re
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from benchmarks.bench import Bench, Samples, Table, ready
from benchmarks.peers import Peer
from benchmarks.wire import Failed, Server

ACTIONS = ("snapshot", "click", "fill", "evaluate", "screenshot")
SCRIPT = "document.title"
BARE = "bare Playwright"
SCREENSHOT = {"type": "jpeg", "quality": 80, "scale": "css"}


def measure(bench: Bench) -> list[Table]:
    return asyncio.run(_measure(bench))


async def _measure(bench: Bench) -> list[Table]:
    from playwright.async_api import async_playwright

    samples = Samples(ACTIONS)
    # browser-use waits for half a second an action, and its polling would disturb the others.
    contenders = [peer for peer in bench.variants if peer.name != "browser-use"]
    with ExitStack() as stack:
        servers: dict[Peer, Driven] = {}
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=bench.tools.browser, chromium_sandbox=bench.tools.sandbox
            )
            page = await browser.new_page(viewport={"width": 1280, "height": 720})
            bare = Bare(page)
            await page.goto(f"{bench.site}/form.html")
            for peer in contenders:
                with samples.trial(peer.name):
                    servers[peer] = Driven(peer, stack.enter_context(ready(peer)), bench.site)
            for number in range(bench.runs(30, 5) + 1):
                kept = samples if number else Samples(ACTIONS)  # the first round warms up
                for what in ACTIONS:
                    kept.add(BARE, what, await bare.do(what, number))
                    for peer, driven in list(servers.items()):
                        with samples.trial(peer.name):
                            kept.add(peer.name, what, driven.do(what, number))
                        if peer.name in samples.failures:
                            del servers[peer]
            await browser.close()
    rivals = [peer.name for peer in contenders if peer is not bench.strap]
    table = samples.table("Actions on the form page over MCP, ms", others=rivals)
    return [_against_bare(samples), table]


class Driven:
    """A server with the form page open, and the handles of the last snapshot."""

    def __init__(self, peer: Peer, server: Server, site: str) -> None:
        assert peer.dialect
        self.dialect = peer.dialect
        self.server = server
        self.dialect.open(server, f"{site}/form.html")
        self.snapshot = ""

    def do(self, what: str, number: int) -> float:
        """Take an action, and return how long it took (ms)."""
        answer = self.server.call(*self._call(what, number))
        if what == "snapshot":
            self.snapshot = answer.text
        if what == "evaluate" and "Sign up" not in answer.text:
            raise Failed(f"evaluate gave {answer.text[:200]!r}")
        return answer.ms

    def _call(self, what: str, number: int) -> Any:
        dialect = self.dialect
        match what:
            case "snapshot":
                return dialect.snapshot
            case "click":
                return dialect.click(dialect.find(self.snapshot, "button", "Count"))
            case "fill":
                ref = dialect.find(self.snapshot, "textbox", "Name")
                return dialect.fill(ref, f"Ada {number}")
            case "evaluate":
                assert dialect.evaluate
                return dialect.evaluate(SCRIPT)
            case _:
                return dialect.screenshot


class Bare:
    """The same actions as plain Playwright calls on a page of its own."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.snapshot = ""

    async def do(self, what: str, number: int) -> float:
        call = self._call(what, number)
        started = time.perf_counter()
        answer = await call()
        took = (time.perf_counter() - started) * 1000
        if what == "snapshot":
            self.snapshot = answer
        return took

    def _call(self, what: str, number: int) -> Callable[[], Awaitable[Any]]:
        page = self.page
        match what:
            case "snapshot":
                return partial(page.aria_snapshot, mode="ai")
            case "click":
                button = self._locator("button", "Count")
                return partial(button.click)
            case "fill":
                box = self._locator("textbox", "Name")
                return partial(box.fill, f"Ada {number}")
            case "evaluate":
                return partial(page.evaluate, SCRIPT)
            case _:
                return partial(page.screenshot, **SCREENSHOT)

    def _locator(self, role: str, name: str) -> Any:
        found = re.search(rf'{role} "{name}"[^\n]*?\[ref=(\w+)\]', self.snapshot)
        assert found, self.snapshot
        return self.page.locator(f"aria-ref={found.group(1)}")


def _against_bare(samples: Samples) -> Table:
    """strap's median next to the bare one, and to the bound 1.3 * bare + 1 ms."""
    table = Table(
        title="Actions over MCP next to the bare Playwright call, ms",
        columns=("", "strap", "bare", "ratio", "difference", "1.3 * bare + 1"),
    )
    for what in ACTIONS:
        own, bare = samples.of("strap", what), samples.of(BARE, what)
        row = [what, samples.show("strap", what), samples.show(BARE, what)]
        if own and bare:
            a, b = statistics.median(own), statistics.median(bare)
            row += [f"{a / b:.2f}", f"{a - b:.2f}", f"{1.3 * b + 1:.2f}"]
        table.rows.append([*row, *["-"] * (6 - len(row))])
    return table
