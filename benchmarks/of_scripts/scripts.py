"""Scripts on pages that changed: how many are done, and how many act on a wrong element.

Playwright's locators as its code generator writes them (test id, else role and name) are tried on
the same pages.
"""

import json
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Error, Page, async_playwright

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.mutations import Control, Flow, flow, mutated
from benchmarks.of_pages.widgets import REQUIREMENTS
from benchmarks.of_scripts import apps, evidence, exports, secrets
from benchmarks.of_scripts.sessions import Web, call, opened, recorded, replayed
from benchmarks.parts import Parts, measured
from benchmarks.peers import npm
from benchmarks.site import serve_files
from strap import Caller
from tests.site.server import serve

PATIENCE = 0.6
"""Seconds to wait for an element: longer than the latest one of a page."""


def measure(bench: Bench) -> list[Table]:
    parts: Parts = {
        "changes": _changes,
        "flows": _flows,
        "evidence": evidence.measured,
        "exports": exports.measured,
        "secrets": secrets.measured,
        "apps": apps.measured,
        "widgets": partial(_changes, widgets=True),
    }
    return measured(bench, "scripts", parts)


async def _flows(bench: Bench, folder: Path) -> Table:
    """Replay each script many times, each time in a fresh browser, on the page as it was."""
    flows, times = bench.runs(60, 10), bench.runs(20, 3)
    count: Counter[str] = Counter()
    async with opened(folder) as router:
        for made in map(flow, range(flows)):
            web = partial(router.call, caller=Caller(session=str(made.number)))
            with serve({"/flow": made.html()}) as site:
                name = folder / f"{made.number}.strap"
                await recorded(web, made, f"{site}/flow", {"strap": name.name})
                for _ in range(times):
                    count += await _played(web, name, made, made, str(site), heal=False)
    keys = ("pages", "done", "stopped", "wrong")
    return Table(
        title=f"{flows} scripts of 5 calls, each replayed {times} times in fresh browsers",
        columns=("replays", "done", "stopped", "wrong elements"),
        rows=[[count[key] for key in keys]],
    )


async def _changes(bench: Bench, folder: Path, *, widgets: bool = False) -> Table:
    number = bench.runs(200, 40)
    assets = npm(bench.tools, "widgets", *REQUIREMENTS) if widgets else folder
    table = Table(
        title=f"Scripts of 5 calls on {number} pages{' of widgets' * widgets} that changed",
        columns=("how", "pages", "still possible", "done of these", "stopped", "wrong elements"),
    )
    counts: dict[str, Counter[str]] = {}
    async with opened(folder) as router, async_playwright() as playwright:
        peer = await playwright.chromium.launch(
            executable_path=bench.tools.browser, chromium_sandbox=bench.tools.sandbox
        )
        for at in range(number):
            made, changed = flow(at), mutated(at)
            if widgets:
                made, changed = made.of_widgets(), changed.of_widgets()
            web = partial(router.call, caller=Caller(session=str(at)))
            for how, count in (await _tried(web, peer, folder, assets, made, changed)).items():
                counts.setdefault(how, Counter()).update(count)
                if count["wrong"]:
                    print(f"page {at}, {how}: {changed.mutations}")
        await peer.close()
    for how, count in counts.items():
        keys = ("pages", "possible", "done", "stopped", "wrong")
        table.rows.append([how, *(count[key] for key in keys)])
    return table


async def _tried(
    web: Web, peer: Browser, folder: Path, assets: Path, before: Flow, after: Flow
) -> Mapping[str, Counter[str]]:
    """Record on a page as it was, and replay in three ways on the page as it is."""
    name = folder / f"{before.number}.strap"
    with serve_files(assets, {"/flow.html": before.html()}) as site:
        await recorded(web, before, f"{site}/flow.html", {"strap": name.name})
    with serve_files(assets, {"/flow.html": after.html()}) as site:
        played = partial(_played, web, name, before, after, site)
        return {
            "strap run": await played(heal=False),
            "strap run --heal=yes": await played(heal=True),
            "Playwright's locators": await _located(peer, before, after, f"{site}/flow.html"),
        }


async def _played(
    web: Web, file: Path, before: Flow, after: Flow, site: str, *, heal: bool
) -> Counter[str]:
    failure = await replayed(web, file, {"base_url": site}, heal=heal, patience=PATIENCE)
    answer = await call(web, "evaluate", text="JSON.stringify(window.acts)")
    await call(web, "close")
    return _counted(before, after, _acts(answer), stopped=failure is not None)


async def _located(peer: Browser, before: Flow, after: Flow, url: str) -> Counter[str]:
    page = await peer.new_page()
    stopped = False
    try:
        await page.goto(url)
        for step in before.steps:
            await _act(page, step)
    except Error:
        stopped = True
    acts = await page.evaluate("window.acts")
    await page.close()
    return _counted(before, after, acts, stopped=stopped)


async def _act(page: Page, step: Control) -> None:
    role: Any = step.role
    if step.testid:
        found = page.get_by_test_id(step.testid)
    else:
        found = page.get_by_role(role, name=step.name, exact=True)
    if step.role == "textbox":
        await found.fill("abc", timeout=1000 * PATIENCE)
    else:
        await found.click(timeout=1000 * PATIENCE)


def _counted(before: Flow, after: Flow, acts: list[str], *, stopped: bool) -> Counter[str]:
    if any(each.widget for each in after.controls):  # whose parts tell of one click twice
        acts = [uid for uid, _ in groupby(acts)]
    possible = all(_is_known(step, after) for step in before.steps)
    right = acts == after.wanted[: len(acts)]
    whole = acts == after.wanted and not stopped
    return Counter(
        pages=1,
        possible=possible,
        done=possible and whole,
        stopped=stopped,
        wrong=not right or (not stopped and not whole),
    )


def _is_known(step: Control, after: Flow) -> bool:
    """Whether an element is there with a name, test id or id that no other of its role has."""
    shown = [each for each in after.controls if not each.hidden and each.role == step.role]
    for part in ("name", "testid", "id"):
        own = getattr(step, part)
        alike = [each.uid for each in shown if own and getattr(each, part) == own]
        if alike == [step.uid]:
            return True
    return False


def _acts(answer: Any) -> list[str]:
    told: list[str] = json.loads(answer.data["result"])
    return told
