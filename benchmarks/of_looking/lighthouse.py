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
LIMIT = 120
"""Seconds for a page, of which it takes about ten."""


async def row(bench: Bench, site: str, clean_pages: int) -> list[str]:
    """Return its row of the table; raises `Absent`."""
    runner = Runner(bench, npm(bench.tools, "lighthouse", LIGHTHOUSE))
    found = looked = wrong = 0
    for number, fault in enumerate(FAULTS[:: bench.runs(1, 10)]):
        audits = _audits(fault)
        if not audits:
            continue
        looked += 1
        failed = await runner.failed(f"{site}/planted/{number * bench.runs(1, 10)}", audits)
        is_found = any(fault.rule in OF_PAGE or _is_at(items) for items in failed.values())
        found += is_found
        if not is_found:
            print(f"lighthouse did not find {fault.rule}: {fault.body}: {failed}")
    every = sorted({audit for fault in FAULTS for audit in _audits(fault)})
    pages = range(0, clean_pages, bench.runs(1, 10))
    for number in pages:
        failed = await runner.failed(f"{site}/clean/{number}", every)
        wrong += bool(failed)
        if failed:
            print(f"lighthouse on clean page {number}: {failed}")
    faults = len(FAULTS[:: bench.runs(1, 10)])
    return [f"{found}/{faults}", f"{found}/{looked}", f"{wrong}/{len(pages)}"]


class Runner:
    """Its command line, in a browser that it starts for each page."""

    def __init__(self, bench: Bench, modules: Path) -> None:
        flags = "--headless=new" + ("" if bench.tools.sandbox else " --no-sandbox")
        script = modules / "lighthouse" / "cli" / "index.js"
        self._command = (str(bench.tools.node), str(script), f"--chrome-flags={flags}")
        self._environ = {**os.environ, "CHROME_PATH": str(bench.tools.browser)}

    async def failed(self, url: str, audits: list[str]) -> dict[str, list[Any]]:
        """Return what the audits that failed list."""
        options = (f"--only-audits={','.join(audits)}", "--preset=desktop", "--output=json")
        process = await asyncio.create_subprocess_exec(
            *(*self._command, *options, "--quiet", url),
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
