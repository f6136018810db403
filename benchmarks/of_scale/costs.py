"""Cost of fetches and pages of a batch, and of a million of them a day."""

import asyncio
import json
import logging
import math
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from benchmarks.bench import Bench, Table
from benchmarks.of_content.corpora import mixed
from benchmarks.of_scale import naps
from benchmarks.peers import Absent
from benchmarks.processes import MARKER, PROC, Process, tree
from benchmarks.site import serve_files
from strap import testing
from strap.config.json_lines import JsonLines
from strap.config.secrets import Secrets
from tests.support.model_server import act, done, scripted

TICK = os.sysconf("SC_CLK_TCK")
DAY = 86_400
USE = 0.6
"""Share of a core that work may take for the rest to stay quick."""
ROUNDS = 5
ROUNDS_OF_ITEMS = 3
"""An odd number; a round takes a minute or two."""
PARTS = ("own", "foreign", "calls")
MARK = "item-{}-"
"""By which the scripted model knows whose answers it gives."""
SCRIPT = (act("scroll", down=True, pages=1.0), act("scroll", down=False, pages=1.0), done("seen"))


FETCH = "http fetch url={url}"
PAGE = '["browser navigate url={url}", "browser text"]'
RUN = """["browser eval url={url} task='What is on {url}?'"]"""
ONLY_HERE = "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'"
"""Pages ask other hosts for nothing: what the name server here makes of those is not measured."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Cost of an item; `memory` is the peak of all processes in MB, idle ones included."""

    rate: float
    cpu: float
    wall: float
    memory: float
    steady: float = 0
    """Rows a second between the first and the last: what start and end take is not in it."""
    at_once: int = 1
    """Items in flight, which took that memory together."""


def measure(bench: Bench) -> list[Table]:
    if bench.part not in ("", *PARTS):
        sys.exit(f"no part {bench.part!r} of costs (of {', '.join(PARTS)})")
    return [
        table for part in (bench.part and (bench.part,)) or PARTS for table in _part(part, bench)
    ]


def _part(part: str, bench: Bench) -> list[Table]:
    if part == "calls":
        return [asyncio.run(_calls(bench))]
    if part == "own":
        return _items(bench, "an article of 60 kB", [f"{bench.site}/article.html"])
    with _foreign() as urls:
        return _items(bench, f"{len(urls)} pages of a public corpus", urls) if urls else []


def _items(bench: Bench, what: str, urls: list[str]) -> list[Table]:
    rounds, found = bench.runs(ROUNDS_OF_ITEMS, 1), defaultdict[str, list[Cost]](list)
    numbers = {"fetch": bench.runs(600, 50), "page": bench.runs(66, 10), "run": bench.runs(22, 4)}
    for _ in range(rounds):
        for name, cost in _round(urls, **numbers):
            found[name].append(cost)
    costs = {name: _median(each) for name, each in found.items()}
    columns = ("item", "at a time", "items a second", "CPU s", "wall s", "memory of all, MB")
    table = Table(title=f"Items of a batch: {what}", columns=columns)
    for name, cost in costs.items():
        row = [cost.at_once, f"{cost.rate:.1f}", f"{cost.cpu:.4f}", f"{cost.wall:.3f}"]
        table.rows.append([name, *row, f"{cost.memory:.0f}"])
    table.notes.append(
        "CPU and memory (PSS) of the whole tree, start and end included; wall is the mean. "
        f"Medians of {rounds} rounds in turns, each of {numbers['fetch']} fetches, "
        f"{numbers['page']} pages, {numbers['run']} runs of {len(SCRIPT)} answers of a "
        "scripted model, which answers at once."
    )
    return [table, _a_day(costs)]


def _round(urls: list[str], *, fetch: int, page: int, run: int) -> Iterator[tuple[str, Cost]]:
    """Yield what so many items of each kind cost."""
    yield "fetch", _cost(FETCH, _repeated(urls, fetch), 16)
    if find_spec("ray"):
        ray = ("--engine", "ray", "--workers", "2")
        yield "fetch on Ray", _cost(FETCH, _repeated(urls, fetch), 8, *ray)
    yield "page", _cost(PAGE, _repeated(urls, page), 4)
    with scripted(()) as model:
        model.scripts = {MARK.format(n): SCRIPT for n in range(run)}
        environ = {"STRAP_MODEL": "openai/scripted", "STRAP_BROWSER__MODEL_URL": model.url}
        environ["STRAP_BROWSER__MODEL_KEY"] = "none"
        yield "run of the agent", _cost(RUN, _repeated(urls, run), 2, **environ)


def _median(costs: list[Cost]) -> Cost:
    names = [field.name for field in fields(Cost)]
    return Cost(**{name: statistics.median(getattr(c, name) for c in costs) for name in names})


def _cost(call: str, urls: list[str], at_once: int, *options: str, **more: str) -> Cost:
    cost = batch_cost(call, urls, "--concurrency", str(at_once), *options, **more)
    workers = 2 if "--workers" in options else 1
    return replace(cost, at_once=at_once * workers)


def _repeated(urls: list[str], number: int) -> list[str]:
    return [f"{urls[n % len(urls)]}#{MARK.format(n)}" for n in range(number)]


@contextmanager
def _foreign() -> Iterator[list[str]]:
    """Serve the pages of a public corpus; yields their addresses, none where it cannot be had."""
    try:
        pages = {f"/{page.name}.html": page.html for page in mixed()}
    except Absent:
        pages = {}
    with serve_files(Path("/nonexistent"), pages, policy=ONLY_HERE) as address:
        yield [address + quote(path) for path in pages]


def _a_day(found: dict[str, Cost]) -> Table:
    columns = ("a day", *(f"{name}: in flight · cores · memory" for name in found))
    table = Table(title=f"What so many a day take, at {USE:.0%} use of a core", columns=columns)
    for number in (1_000, 10_000, 100_000, 1_000_000):
        a_second = number / DAY
        row = [_taken(a_second, cost) for cost in found.values()]
        table.rows.append([f"{number:,}", *row])
    table.notes.append("Memory is that of as many such batches as hold what is in flight.")
    return table


def _taken(a_second: float, cost: Cost) -> str:
    in_flight = a_second * cost.wall
    memory = math.ceil(in_flight / cost.at_once) * cost.memory / 1000
    return f"{in_flight:.2f} · {a_second * cost.cpu / USE:.3f} · {memory:.1f} GB"


def batch_cost(call: str, urls: list[str], *options: str, **more: str) -> Cost:
    """Run a batch of these addresses as a process, and look at all that it starts.

    `more` is for its environment.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, run, number = Path(name), secrets.token_hex(8), len(urls)
        source, line = _source(folder, call, urls)
        command = [sys.executable, "-m", "strap", "batch", "run", str(source), *line, *options]
        command += ["--to", str(folder / "results"), "--home", str(folder / "home")]
        environ = {**os.environ, MARKER: run, "STRAP_HEADLESS": "true", "TMPDIR": name}
        environ |= {"STRAP_HTTP__CACHE_BYTES": "0"} | more
        started = time.monotonic()
        process = subprocess.Popen(
            [*command, "--per-host", "0"], env=environ, cwd=name, stderr=subprocess.DEVNULL
        )
        cpu, memory = _watched(process, run)
        took = time.monotonic() - started
        rows = (folder / "results" / "journal.jsonl").read_text().splitlines()
        told = [json.loads(row) for row in rows]
    failed = [(row["url"], row["message"]) for row in told if row["status"] != "ok"]
    if failed or len(told) != number:
        raise RuntimeError(f"{len(told)} rows of {number}, {len(failed)} failed: {failed[:3]}")
    ends = sorted(row["started"] + row["seconds"] for row in told)
    return Cost(
        rate=number / took,
        cpu=cpu / number,
        wall=statistics.fmean(row["seconds"] for row in told),
        memory=memory,
        steady=(number - 1) / (ends[-1] - ends[0]),
    )


def _source(folder: Path, call: str, urls: list[str]) -> tuple[Path, list[str]]:
    if not call.startswith("["):
        path = folder / "items.csv"
        path.write_text("url\n" + "\n".join(urls))
        return path, ["--call", call]
    path = folder / "items.jsonl"
    steps = json.loads(call)
    lines = [json.dumps({"steps": [step.replace("{url}", url) for step in steps]}) for url in urls]
    path.write_text("\n".join(lines))
    return path, []


def _watched(process: "subprocess.Popen[bytes]", run: str) -> tuple[float, float]:
    """Return the CPU seconds of all processes, and their most memory, until the end."""
    seconds: dict[Process, float] = {}
    most, looked = 0.0, 0.0
    while process.poll() is None:
        family = tree(process.pid, run)
        seconds |= {each: used for each in family if (used := _seconds(each.pid))}
        if time.monotonic() - looked > 1:
            looked = time.monotonic()
            most = max(most, sum(each.pss_mb() for each in family))
        time.sleep(0.1)
    return sum(seconds.values()), most


def _seconds(pid: int) -> float:
    """CPU seconds of a process by itself: those of its children are looked at as theirs."""
    try:
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


async def _calls(bench: Bench) -> Table:
    """Cost of the log as JSON and of spans for a call, in turns."""
    table = Table(title="A call that does nothing", columns=("what", "µs"))
    number = bench.runs(2_000, 200)
    with tempfile.TemporaryDirectory() as home:
        async with testing.router(naps.Naps(), home=Path(home)) as web:
            found: dict[str, list[float]] = {}
            for _ in range(ROUNDS):
                found.setdefault("plain", []).append(await _each(web, number))
                with _logged():
                    found.setdefault("with a line of JSON", []).append(await _each(web, number))
            _collect_spans()
            for _ in range(ROUNDS):
                found.setdefault("with a span", []).append(await _each(web, number))
    for name, times in found.items():
        table.rows.append([name, f"{statistics.median(times):.0f}"])
    return table


async def _each(web: testing.Web, number: int) -> float:
    call = naps.call(0)
    started = time.perf_counter()
    for _ in range(number):
        await web.router.call(call)
    return (time.perf_counter() - started) / number * 1e6


@contextmanager
def _logged() -> Iterator[None]:
    logger = logging.getLogger("strap.audit")
    handler = logging.FileHandler(os.devnull)
    handler.setFormatter(JsonLines(Secrets()))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()
        logger.setLevel(logging.NOTSET)


def _collect_spans() -> None:
    """Set the SDK up as `opentelemetry-instrument` does, with spans that go nowhere."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    trace.set_tracer_provider(TracerProvider())
