"""Cost of the runner of test cases: time beside its evals, tokens, collecting, the report."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.engines import opened
from strap import Router
from strap_cases.reading import read_cases
from strap_cases.reports import page
from strap_cases.running.attempt import run_attempt
from strap_cases.running.configuring import PROFILE
from strap_cases.running.results import CaseResult, as_record
from strap_cases.running.task import for_segment
from strap_cases.sanity.scenario_run import WitnessedSession
from tests.plugins.browser.runs.lab import index_before, shown
from tests.site.server import serve
from tests.support.model_server import acts, done, scripted

CASE = """---
base_url: {site}
expect_timeout_s: {patience}
---
## Press
Press the button.
### Expect
- `url /`
- `text "{expected}"`
- `no failed requests`
"""
PAGE = """<!doctype html><title>Press</title><h1>Press</h1>
<button onclick="said.textContent = 'It is pressed'">Now</button><p id=said></p>{more}"""
MORE = "".join(
    f"<p style='color:hsl({n * 7},70%,40%)'>Line {n} of what it shows</p>" for n in range(60)
)
STEP = "1. Put the thing of number {n} into the basket and go on.\n"
IMPORT = (
    "import pytest, time; began = time.process_time(); import strap_cases.for_pytest.plugin;"
    " print(time.process_time() - began)"
)


def measure(bench: Bench) -> Table:
    table = Table(title="What the runner of cases adds", columns=("what", "goal", "measured"))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        number = bench.runs(20, 5)
        beside, share, failed = asyncio.run(_runs(folder, number))
        collected = statistics.median(_collected(folder) for _ in range(5))
        imported = statistics.median(_imported() for _ in range(bench.runs(9, 3)))
        size, opening = asyncio.run(_report(folder, failed))
    tokens = bench.tokens(for_segment("")), bench.tokens(for_segment("", ("The page is red.",)))
    table.rows += [
        ["beside its evals, a case with 3 checks", "0.6 s", f"{beside:.2f} s"],
        ["the same as a share of the case", "10 %", f"{share:.0%}"],
        ["tokens added to a segment, with an expectation", "150", f"{tokens[0]}, {tokens[1]}"],
        ["collecting 200 cases in 20 files", "0.3 s", f"{collected:.2f} s of CPU"],
        ["the plugin's import where pytest is", "5 ms", f"{imported * 1000:.1f} ms of CPU"],
        ["index.html of 100 cases that failed", "15 MB", f"{size / 1e6:.1f} MB"],
        ["opening it", "1 s", f"{opening:.2f} s"],
    ]
    return table


async def _runs(folder: Path, number: int) -> tuple[float, float, CaseResult]:
    """Return seconds beside evals, their share, and a case that failed."""

    def press(body):  # type: ignore[no-untyped-def]
        there = shown(body)
        if "It is pressed" in there:
            return done("Pressed.\n<status>completed</status>")
        return acts({"click": {"index": index_before(there, "Now")}})

    with scripted([press]) as model, serve({"/": PAGE.format(more=MORE)}) as site:
        async with opened(folder, model.url) as router:
            await router.prepare("browser.eval")
            found = [await _one(router, folder, str(site), "It is pressed") for _ in range(number)]
            _, _, failed = await _one(router, folder, str(site), "It is not")
    besides = statistics.median(whole - evals for whole, evals, _ in found)
    return besides, besides / statistics.median(whole for whole, _, _ in found), failed


async def _one(
    router: Router, folder: Path, site: str, expected: str
) -> tuple[float, float, CaseResult]:
    path = folder / "press.case.md"
    patience = 5 if expected == "It is pressed" else 0.1
    path.write_text(CASE.format(site=site, expected=expected, patience=patience))
    [case] = read_cases([path])
    session = WitnessedSession(router, PROFILE.format(1), f"press-{time.monotonic()}")
    attempt = await run_attempt(case, session, 1, {})
    assert attempt.verdict.status == ("passed" if patience > 1 else "failed"), attempt.verdict
    evals = sum(call["seconds"] for call in session.calls if call["call"]["action"] == "eval")
    return (
        attempt.seconds,
        evals,
        CaseResult(case=case, verdict=attempt.verdict, attempts=[attempt]),
    )


def _collected(folder: Path) -> float:
    many = folder / "many"
    many.mkdir(exist_ok=True)
    for file in range(20):
        cases = [
            f"## Case {n} @smoke\n{''.join(STEP.format(n=k) for k in range(3))}"
            f'### Expect\n- `url /thanks`\n- `text "Total {n}"`\n- The page is red.\n'
            for n in range(10)
        ]
        text = "\n".join(["---\nbase_url: http://127.0.0.1:1\n---\n# Many", *cases])
        (many / f"file-{file}.case.md").write_text(text)
    began = time.process_time()
    assert len(read_cases([many])) == 200
    return time.process_time() - began


def _imported() -> float:
    command = [sys.executable, "-c", IMPORT]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


async def _report(folder: Path, failed: CaseResult) -> tuple[int, float]:
    """Return the bytes of a page about 100 failed cases, and the seconds to open it."""
    record = as_record(failed, folder / "pictures")
    records = [{**record, "name": f"Case {n}", "line": n} for n in range(100)]
    page.write(records, folder / "index.html")
    html = (folder / "index.html").read_bytes()
    with serve({"/": html}) as site:
        async with opened(folder, "") as router:
            session = WitnessedSession(router, PROFILE.format(1), "report")
            await session.launch()
            began = time.perf_counter()
            await session.start(viewport="")
            await session.go(f"{site}/", state="")
            took = time.perf_counter() - began
            await session.end()
    return len(html), took
