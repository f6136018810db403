"""Replays of test cases: how soon they are done, and what they do on pages that changed."""

import asyncio
import json
import statistics
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.mutations import Flow, mutated
from strap import Config, Router, open_router
from strap_cases.reading import read_cases
from strap_cases.replays.finding import Drift
from strap_cases.replays.playing import play
from strap_cases.replays.recordings import Act, Head, Recording, Target, place_of, write
from strap_cases.running.configuring import PROFILE, for_cases
from strap_cases.running.engine import Engine, Options
from strap_cases.running.results import CaseResult
from strap_cases.running.session import CaseSession
from strap_cases.running.trying import digest
from tests.site.server import Reply, Request, serve

PATIENCE = 0.6
"""Seconds to wait for an element: longer than the latest one of a page."""
CASE = """---
base_url: {site}
---
## Order
Fill in the form and order.
### Expect
- `url /thanks`
- `text "Thank you, Ada"`
"""
FORM = """<!doctype html><title>Order</title><form action=/thanks>
<label>Name <input name=name></label> <label>Town <input name=town></label>
<label>Size <select name=size><option>small<option>large</select></label>
<label><input type=checkbox name=agree> I agree</label> <button>Order</button></form>"""
STEPS = (
    Act(do="fill", at="/", find=Target(role="textbox", name="Name", field="name"), text="Ada"),
    Act(do="fill", find=Target(role="textbox", name="Town", field="town"), text="Turin"),
    Act(do="select", find=Target(role="combobox", name="Size", field="size"), text="large"),
    Act(do="click", find=Target(role="checkbox", name="I agree", field="agree")),
    Act(do="click", find=Target(role="button", name="Order")),
)


def measure(bench: Bench) -> list[Table]:
    replays, pages = bench.runs(30, 8), bench.runs(200, 40)
    with tempfile.TemporaryDirectory() as folder:
        return [
            asyncio.run(_replays(Path(folder), replays)),
            asyncio.run(_mutations(Path(folder), pages)),
        ]


async def _replays(folder: Path, number: int) -> Table:
    routes = {"/": FORM, "/thanks": lambda asked: f"Thank you, {asked.query['name'][0]}"}
    refuses = {"/v1/chat/completions": Reply(status=500)}
    with serve(refuses) as model, serve(routes) as site:
        path = folder / "order.case.md"
        path.write_text(CASE.format(site=site))
        [case] = read_cases([path])
        head = Head(case=case.name, steps=digest(case, {}), actions=len(STEPS))
        write(Recording(head, STEPS), place_of(case))
        results: list[CaseResult] = []

        async def tell(result: CaseResult) -> None:
            results.append(result)

        async with open_router(config=config_in(folder, f"{model}/v1")) as router:
            engine = Engine(router, Options(replay="only"))
            await engine.prepare(agent=False)
            for _ in range(number):
                await engine.run([case], tell)
        asked = len(model.requests)
    seconds = sorted(result.seconds for result in results)
    passed = sum(result.verdict.status == "passed" for result in results)
    table = Table(
        title="A recorded case of 5 steps and 2 checks",
        columns=("replays", "passed", "calls of a model", "median", "95th percentile"),
    )
    late = seconds[min(len(seconds) - 1, round(0.95 * len(seconds)))]
    cells = [number, passed, asked, f"{statistics.median(seconds):.2f} s", f"{late:.2f} s"]
    table.rows.append(cells)
    return table


def config_in(folder: Path, model: str = "") -> Config:
    """Return a configuration for cases in a folder."""
    config = Config.load(network="local")
    browser = {**config.plugins.get("browser", {}), "headless": True}
    if model:
        browser |= {"model": "openai/none", "model_url": model, "model_key": "none"}
    plugins: Mapping[str, Mapping[str, object]] = {**config.plugins, "browser": browser}
    return for_cases(replace(config, plugins=plugins), folder / "data", jobs=1)


async def _mutations(folder: Path, number: int) -> Table:
    table = Table(
        title=f"Recordings of 5 actions on {number} pages that changed",
        columns=("change", "pages", "still possible", "done of these", "drift", "wrong elements"),
    )
    counts: dict[str, Counter[str]] = {"all": Counter()}
    async with open_router(config=config_in(folder)) as router:
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
            await session.open(f"{site}/flows/{flow.number}", state="", viewport="")
            drifted = False
            try:
                values = {"base_url": str(site)}
                await play(session, flow.acts, values, patience=PATIENCE, tell=lambda _: None)
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
