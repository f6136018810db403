"""The browser agent against browser-use run bare: start-up, time and tokens per step, memory.

Both attach to a browser that strap's code launched, visit the same page, and ask the same scripted
model; the time of a step is the time between two requests to the model.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table
from strap import Guard, testing
from strap_agent.workers.variables import SWITCHES
from strap_browser.chromium.launch import start
from strap_browser.settings.browser import BrowserSettings
from tests.support.model_server import Model, act, done, scripted

BARE = Path(__file__).with_name("bare_agent.py")
STEPS = 10
RUNS = 20
MB = 1024 * 1024


@dataclass
class Timed:
    """When the model was asked, and with how many tokens."""

    at: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    @property
    def steps(self) -> list[float]:
        return [b - a for a, b in zip(self.at, self.at[1:], strict=False)]


def measure(bench: Bench) -> Table:
    return asyncio.run(_measure(bench))


async def _measure(bench: Bench) -> Table:
    rounds, runs = bench.runs(3, 1), bench.runs(RUNS, 4)
    page = f"{bench.site}/form.html"
    table = Table(title="Browser agent", columns=("", "strap", "browser-use, bare"))
    ours, theirs = [], []
    async with _laboratory() as (web, model, forking):
        cold = await _run(bench, web, model, page)
        for _ in range(rounds):  # in turns, so that both meet the same noise
            ours.append(await _run(bench, web, model, page))
            theirs.append(await _bare(bench, page))
        before = _pss(forking())
        for _ in range(runs):
            await _run(bench, web, model, page, steps=2)
        after = _pss(forking())
    first = [timed.at[0] for timed in ours]
    table.rows += [
        ["call to first request, cold, s", f"{cold.at[0]:.2f}", ""],
        ["call to first request, warm, s", f"{statistics.median(first):.2f}",
         f"{statistics.median(t.at[0] for t in theirs):.2f} (imports included)"],
        ["step, median, ms", f"{_step(ours):.0f}", f"{_step(theirs):.0f}"],
        ["on top of bare, a step, ms (asked: 100)", f"{_step(ours) - _step(theirs):.0f}", ""],
        ["tokens of a request, text and schema", _tokens(ours), _tokens(theirs)],
        [f"memory held before {runs} runs, MB", f"{before:.0f}", ""],
        [f"memory held after {runs} runs, MB (asked: flat)", f"{after:.0f}", ""],
    ]  # fmt: skip
    table.notes.append("Memory is that of strap and of the process that forks workers, PSS.")
    return table


def _script(steps: int) -> tuple[Any, ...]:
    return (*[act("wait", seconds=0)] * (steps - 1), done("seen"))


async def _run(bench: Bench, web: Any, model: Model, page: str, steps: int = STEPS) -> Timed:
    mark = f"[{time.monotonic_ns()}]"
    timed = Timed()
    model.scripts[mark] = [
        _noting(bench, entry, timed, time.monotonic()) for entry in _script(steps)
    ]
    answer = await web(
        resource="browser", action="eval", url=page, task=f"look around {mark}", budget_s=120
    )
    if answer.is_error:
        raise RuntimeError(answer.text)
    model.forget()  # else what is kept here would count as strap's memory
    return timed


def _noting(bench: Bench, entry: Any, timed: Timed, began: float) -> Any:
    def note(body: dict[str, Any]) -> Any:
        timed.at.append(time.monotonic() - began)
        timed.tokens.append(bench.tokens(_text(body)))
        return entry

    return note


def _text(body: dict[str, Any]) -> str:
    """Text that is sent to the model, without the pictures."""
    parts = [json.dumps(body.get("response_format"))]
    for message in body["messages"]:
        content = message["content"]
        if isinstance(content, str):
            parts.append(content)
        else:
            parts += [part["text"] for part in content if part["type"] == "text"]
    return "\n".join(parts)


async def _bare(bench: Bench, page: str) -> Timed:
    timed = Timed()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, scripted(()) as model:
        settings = BrowserSettings(headless=True)
        started = await start(settings, Path(folder) / "data", 0, Guard("all"))
        try:
            began = time.monotonic()
            model.script = [_noting(bench, entry, timed, began) for entry in _script(STEPS)]
            command = [
                sys.executable,
                str(BARE),
                started.browser.address,
                model.url,
                page,
                str(STEPS),
            ]
            await asyncio.to_thread(
                subprocess.run,
                command,
                env=os.environ | SWITCHES | {"TMPDIR": folder, "BROWSER_USE_CONFIG_DIR": folder},
                cwd=folder,
                check=True,
                timeout=180,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        finally:
            await started.stop(0)
    return timed


@asynccontextmanager
async def _laboratory() -> Any:
    """A router with a scripted model; yields it, the model, and the processes that it keeps."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, scripted(()) as model:
        settings = {
            "headless": True,
            "port": 0,
            "model": "openai/scripted",
            "model_url": model.url,
            "model_key": "x",
        }
        async with testing.router(
            home=Path(folder), network="local", plugins={"browser": settings}
        ) as web:
            yield web, model, _kept


def _kept() -> list[int]:
    """This process, and the one that workers are forked from."""
    found = [os.getpid()]
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"strap_agent.worker" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:
            continue
    return found


def _pss(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total / MB


def _step(rounds: list[Timed]) -> float:
    """Return the median time of a step, in milliseconds."""
    return statistics.median(step for timed in rounds for step in timed.steps) * 1000


def _tokens(rounds: list[Timed]) -> str:
    return f"{statistics.median(count for timed in rounds for count in timed.tokens):.0f}"
