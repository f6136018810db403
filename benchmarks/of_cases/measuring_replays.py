"""Replays of recorded cases: how soon they are done."""

import asyncio
import statistics
import tempfile
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.engines import opened, record, run
from strap_cases.reading import read_cases
from strap_cases.replays.recordings import call
from strap_cases.running.engine import Options
from tests.site.server import Reply, serve

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
    call("wait", url="/"),
    call("fill", ref='textbox "Name" field:name', value="Ada"),
    call("fill", ref='textbox "Town" field:town', value="Turin"),
    call("select", ref='combobox "Size" field:size', value="large"),
    call("click", ref='checkbox "I agree" field:agree'),
    call("click", ref='button "Order"'),
)


def measure(bench: Bench) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder), bench.runs(30, 8)))


async def _measure(folder: Path, number: int) -> Table:
    routes = {"/": FORM, "/thanks": lambda asked: f"Thank you, {asked.query['name'][0]}"}
    refuses = {"/v1/chat/completions": Reply(status=500)}
    with serve(refuses) as model, serve(routes) as site:
        path = folder / "order.case.md"
        path.write_text(CASE.format(site=site))
        [case] = read_cases([path])
        record(case, STEPS)
        async with opened(folder, f"{model}/v1") as router:
            options = Options(replay="only")
            results = [(await run(router, [case], options))[0] for _ in range(number)]
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
