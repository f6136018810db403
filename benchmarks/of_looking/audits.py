"""Audits of pages with a planted fault, and of clean pages, next to axe-core and Lighthouse."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from benchmarks.bench import Bench, Table
from benchmarks.of_looking import lighthouse
from benchmarks.of_looking.faults import FAULTS, LARGE, OF_PAGE, Planted, clean, planted
from benchmarks.of_looking.looking import Call, browser
from benchmarks.peers import Absent, npm
from tests.site.server import Reply, Request, serve

AXE = "axe-core@4.14.1"
SLOW, TTFB = 0.8, 1.0
"""Seconds for a script and for a page that are slow: 500 and 800 ms are good."""
RUN = """async () => {
  const { violations } = await axe.run({ rules: { "target-size": { enabled: true } } });
  const x = document.querySelector("#x");
  const isAround = ([path]) => !!document.querySelector(path)?.contains(x);
  return violations.map(({ id, nodes }) =>
    ({ id, around: nodes.some(({ target }) => isAround(target)) })); }"""


async def measured(bench: Bench) -> Table:
    pages, alright, notes = planted(), clean(), list[str]()
    try:
        axe: Path | None = npm(bench.tools, "axe", AXE) / "axe-core" / "axe.min.js"
    except Absent as error:
        axe = None
        notes.append(f"absent: {error}")
    routes: dict[str, Any] = {f"/planted/{n}": _served(n, page) for n, page in enumerate(pages)}
    routes |= {f"/clean/{n}": page for n, page in enumerate(alright)}
    routes |= {"/large.svg": Reply(body=LARGE, headers={"Content-Type": "image/svg+xml"})}
    routes |= {"/slow.js": _slow_script, "/page-that-is-no-picture": "<p>No picture"}
    routes |= {"/favicon.ico": Reply(status=204)}  # Lighthouse tells of its absence
    with serve(routes) as site:
        async with browser() as call:
            own = await _own(call, str(site), len(alright))
        rows = [["strap", *own]]
        if axe is not None:
            async with async_playwright() as playwright:
                peer = await playwright.chromium.launch(
                    executable_path=bench.tools.browser, chromium_sandbox=bench.tools.sandbox
                )
                rows.append([AXE, *await _axes(peer, axe, str(site), len(alright))])
                await peer.close()
        try:
            own = await lighthouse.row(bench, str(site), len(alright))
            rows.append([lighthouse.LIGHTHOUSE, *own])
        except Absent as error:
            notes.append(f"absent: {error}")
    return Table(
        title=f"Audits of {len(pages)} pages with a planted fault, and {len(alright)} without",
        columns=("", "faults found", "of those that it looks for", "clean pages with findings"),
        rows=rows,
        notes=[*notes, "Found: by a rule about it, at its element if it has one."],
    )


def _served(number: int, page: str) -> Any:
    def late(_: Request) -> str:
        time.sleep(TTFB)
        return page

    return late if FAULTS[number].rule == "ttfb" else page


def _slow_script(_: Request) -> Reply:
    time.sleep(SLOW)
    return Reply(body="", headers={"Content-Type": "text/javascript"})


async def _own(call: Call, site: str, clean_pages: int) -> list[str]:
    found = 0
    for number, fault in enumerate(FAULTS):
        await call("cookies", value="clear") if number else None
        await call("navigate", url=f"{site}/planted/{number}")
        if fault.rule in ("lcp", "cls"):
            await call("wait", value="3.5")
        told = (await call("audit")).data["findings"]
        is_found = await _is_found(call, fault, told)
        found += is_found
        if not is_found:
            print(f"strap did not find {fault.rule}: {fault.body}: {told}")
    wrong = Counter[str]()
    for number in range(clean_pages):
        await call("cookies", value="clear")
        await call("navigate", url=f"{site}/clean/{number}")
        for one in (await call("audit")).data["findings"]:
            wrong[f"{number}"] += 1
            print(f"strap on clean page {number}: {one}")
    whole = len(FAULTS)
    return [f"{found}/{whole}", f"{found}/{whole}", f"{len(wrong)}/{clean_pages}"]


async def _is_found(call: Call, fault: Planted, told: list[dict[str, Any]]) -> bool:
    for one in told:
        if one["rule"] != fault.rule:
            continue
        if fault.rule in OF_PAGE:
            return True
        script = "(element) => element.id === 'x' || !!element.querySelector('#x')"
        if (await call("evaluate", text=script, ref=one["ref"])).data["result"] is True:
            return True
    return False


async def _axes(peer: Browser, axe: Path, site: str, clean_pages: int) -> list[str]:
    page = await peer.new_page()

    async def violations(path: str) -> list[dict[str, Any]]:
        await page.goto(f"{site}/{path}")
        await page.add_script_tag(path=axe)
        found: list[dict[str, Any]] = await page.evaluate(RUN)
        return found

    found = 0
    for number, fault in enumerate(FAULTS):
        if not fault.axe:
            continue
        told = await violations(f"planted/{number}")
        is_found = any(
            one["id"] in fault.axe and (fault.rule in OF_PAGE or one["around"]) for one in told
        )
        found += is_found
        if not is_found:
            print(f"axe-core did not find {fault.rule}: {fault.body}: {told}")
    wrong = 0
    for number in range(clean_pages):
        told = await violations(f"clean/{number}")
        wrong += bool(told)
        if told:
            print(f"axe-core on clean page {number}: {told}")
    looked = sum(bool(fault.axe) for fault in FAULTS)
    return [f"{found}/{len(FAULTS)}", f"{found}/{looked}", f"{wrong}/{clean_pages}"]
