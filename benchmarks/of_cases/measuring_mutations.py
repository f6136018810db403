"""Replays on pages that changed since they were recorded: the right elements, or none."""

import asyncio
import json
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.engines import opened
from benchmarks.of_cases.mutations import Flow, mutated
from strap import Router
from strap_cases.replays.playing import Drift, play
from strap_cases.running.configuring import PROFILE
from strap_cases.running.session import CaseSession
from tests.site.server import Request, serve

PATIENCE = 0.6
"""Seconds to wait for an element: longer than the latest one of a page."""


def measure(bench: Bench) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder), bench.runs(200, 40)))


async def _measure(folder: Path, number: int) -> Table:
    table = Table(
        title=f"Recordings of 5 actions on {number} pages that changed",
        columns=("change", "pages", "still possible", "done of these", "drift", "wrong elements"),
    )
    counts: dict[str, Counter[str]] = {"all": Counter()}
    async with opened(folder, "") as router:
        for flow in map(mutated, range(number)):
            came = await replayed(router, flow)
            for name in ("all", *sorted(set(flow.mutations))):
                counts.setdefault(name, Counter()).update(came)
    for name in [*sorted(set(counts) - {"all"}), "all"]:
        found = counts[name]
        keys = ("pages", "possible", "done", "drift", "wrong")
        table.rows.append([name, *(found[key] for key in keys)])
    return table


async def replayed(router: Router, flow: Flow) -> Counter[str]:
    """Replay the recording of a page as it was on the page as it is; returns what to count."""

    def page(_: Request) -> str:
        return flow.html()

    with serve({f"/flows/{flow.number}": page}) as site:
        session = CaseSession(router, PROFILE.format(1), f"flow-{flow.number}")
        try:
            await session.launch()
            await session.start(viewport="")
            await session.go(f"{site}/flows/{flow.number}", state="")
            drifted = False
            try:
                values = {"base_url": str(site)}
                await play(session, flow.lines, values, patience=PATIENCE, tell=lambda _: None)
            except Drift:
                drifted = True
            code = "JSON.stringify(window.acts)"
            answer = await session.on_page("evaluate", text=code)
        finally:
            await session.end()
    acted = json.loads(answer.data["result"])
    right = acted == flow.wanted[: len(acted)]
    whole = right and not drifted and acted == flow.wanted
    return Counter(
        pages=1,
        possible=flow.is_whole,
        done=whole and flow.is_whole,
        drift=drifted,
        wrong=not right or (not drifted and not whole),
    )
