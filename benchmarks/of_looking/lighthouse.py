"""Lighthouse on the pages of the audits: what it finds of their faults, and on clean pages."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench
from benchmarks.of_looking.faults import FAULTS, OF_PAGE, Planted
from benchmarks.peers import npm

LIGHTHOUSE = "lighthouse@12.8.2"
OF_RULES = {
    "blocking": ("render-blocking-resources", "render-blocking-insight"),
    "cls": ("cumulative-layout-shift",),
    "console": ("errors-in-console",),
    "image": ("errors-in-console",),
    "lcp": ("largest-contentful-paint",),
    "oversized": ("uses-responsive-images", "image-delivery-insight"),
    "ttfb": ("server-response-time",),
}
"""Its audits beside those of axe-core, which have the names of axe-core's rules."""
GOOD = 0.9
"""Scores from here on are green in its report."""
FLAGS = "--disable-full-page-screenshot", "--output=json", "--quiet"
LIMIT = 300
"""Seconds for a page, of which it takes about ten."""
AT_ONCE = 4
"""Pages at once: it waits for most of its time."""


async def row(bench: Bench, site: str, clean_pages: int) -> list[str]:
    """Return its row of the table; raises `Absent`."""
    runner = Runner(bench, npm(bench.tools, "lighthouse", LIGHTHOUSE))
    every, step = sorted({audit for fault in FAULTS for audit in _audits(fault)}), bench.runs(1, 10)
    planted = [(number, fault) for number, fault in enumerate(FAULTS) if number % step == 0]
    looked = [(number, fault) for number, fault in planted if _audits(fault)]
    pages = range(0, clean_pages, step)
    found = await asyncio.gather(
        *(runner.finds(f"{site}/planted/{number}", fault) for number, fault in looked)
    )
    wrong = await asyncio.gather(
        *(runner.failed(f"{site}/clean/{number}", every) for number in pages)
    )
    for number, failed in zip(pages, wrong, strict=True):
        if failed:
            print(f"lighthouse on clean page {number}: {failed}")
    right = f"{sum(found)}/{len(planted)}", f"{sum(found)}/{len(looked)}"
    return [*right, f"{sum(map(bool, wrong))}/{len(pages)}"]


class Runner:
    """Its command line, in a browser that it starts for each page."""

    def __init__(self, bench: Bench, modules: Path) -> None:
        flags = "--headless=new" + ("" if bench.tools.sandbox else " --no-sandbox")
        script = modules / "lighthouse" / "cli" / "index.js"
        self._command = (str(bench.tools.node), str(script), f"--chrome-flags={flags}")
        self._environ = {**os.environ, "CHROME_PATH": str(bench.tools.browser)}
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def finds(self, url: str, fault: Planted) -> bool:
        """Return whether it finds a fault of the page, at its element."""
        failed = await self.failed(url, _audits(fault))
        is_found = any(fault.rule in OF_PAGE or _is_at(items) for items in failed.values())
        if not is_found:
            print(f"lighthouse did not find {fault.rule}: {fault.body}: {failed}")
        return is_found

    async def failed(self, url: str, audits: list[str]) -> dict[str, list[Any]]:
        """Return what the audits that failed list."""
        options = (f"--only-audits={','.join(audits)}", "--preset=desktop")
        async with self._turns:
            process = await asyncio.create_subprocess_exec(
                *(*self._command, *options, *FLAGS, url),
                env=self._environ,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            told, _ = await asyncio.wait_for(process.communicate(), LIMIT)
        return {
            name: (audit.get("details") or {}).get("items", [])
            for name, audit in json.loads(told)["audits"].items()
            if audit["score"] is not None and audit["score"] < GOOD
        }


def _audits(fault: Planted) -> list[str]:
    return [*fault.axe, *OF_RULES.get(fault.rule, ())]


def _is_at(items: list[Any]) -> bool:
    """Tell whether the faulty element is listed, or its address, as in a picture's error."""
    told = json.dumps(items)
    return (
        "#x" in told
        or 'id=\\"x\\"' in told
        or "/gone.png" in told
        or "/page-that-is-no-picture" in told
    )
