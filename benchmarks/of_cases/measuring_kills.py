"""`strap test` killed at any moment: what had finished is kept, and the rest is run later."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.engines import record
from strap import read_journal
from strap_cases.reading import read_cases
from strap_cases.replays.recordings import call
from tests.site.server import Request, serve
from tests.support.model_server import Model, done, scripted

CASES = 10
LIVE = 4
"""One run in so many asks the agent, the others replay."""
GONE = 20.0
"""Seconds for processes to be gone whose runner was killed, on a busy machine."""
PAGE = """<!doctype html><title>Page</title><button onclick="said.textContent = 'Pressed'">Press
</button><p id=said>{told}</p>"""
CASE = """## Case {number}
```yaml case
url: /page/{number}
```
Press case {number}.
### Expect
- `text "{expected}"`
"""
CONFIG = """[plugins.browser]
headless = true
model = "openai/none"
model_url = "{model}"
model_key = "none-0123456789"
"""


@dataclass(frozen=True, kw_only=True)
class Came:
    """Outcome of a kill."""

    told: int
    """Results that were told before."""
    lost: int
    """Those of them that are not in the journal."""
    left: int
    """Processes that are still there."""
    twice: int
    """Cases that had a result, and were run again."""
    complete: bool
    """Whether the resumed run has all results, each passed."""
    why: str
    """Statuses and errors of the resumed run."""


class Pages:
    """A site that counts which case was begun."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self._lock = Lock()

    def page(self, asked: Request) -> str:
        number = int(asked.path.rpartition("/")[2])
        with self._lock:
            self.asked.append(number)
        return PAGE.format(told="")


def measure(bench: Bench) -> Table:
    moments = bench.runs(20, 4)
    came = killed(moments)
    table = Table(
        title=f"strap test of {CASES} cases, killed at {moments} moments",
        columns=(
            "kills",
            "results told",
            "lost",
            "processes left",
            "run twice",
            "completed by --resume",
        ),
    )
    sums = [sum(getattr(each, name) for each in came) for name in ("told", "lost", "left", "twice")]
    table.rows.append([len(came), *sums, sum(each.complete for each in came)])
    table.notes += [f"not completed: {each.why}" for each in came if not each.complete]
    table.notes.append(f"told before the kill: {sorted(each.told for each in came)}")
    return table


def killed(moments: int) -> list[Came]:
    """Kill so many runs, each at another moment."""
    chance, found = random.Random(moments), []
    for number in range(moments):
        with tempfile.TemporaryDirectory(prefix="k-", dir="/tmp") as folder:
            live = number % LIVE == LIVE - 1
            at = chance.randrange(CASES), chance.random() * (1.5 if live else 0.5)
            found.append(_killed(Path(folder), at, live=live))
    return found


def _killed(folder: Path, at: tuple[int, float], *, live: bool) -> Came:
    """Kill a run so many results and seconds after its begin, and resume it."""
    pages = Pages()
    routes: dict[str, Any] = {f"/page/{n}": pages.page for n in range(CASES)}
    says = done("It is there.\n<status>completed</status>")
    with scripted([says]) as model, serve(routes) as site:
        _project(folder, str(site), model, live=live)
        words = ("--jobs", "2", "--replay", "off" if live else "only", "--json")
        told = _until(folder, at, words)
        left = _left_of(folder)
        kept = _kept(folder)
        pages.asked.clear()
        resumed = subprocess.run(
            _command(*words, "--resume"), cwd=folder, env=_environ(folder), capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        twice = set(pages.asked) & {int(name.split()[1]) for name in kept}
    whole = _kept(folder)
    wrong = {name: status for name, status in whole.items() if status != "passed"}
    return Came(
        told=len(told),
        lost=len(told - kept.keys()),
        left=left,
        twice=len(twice),
        complete=len(whole) == CASES and not wrong and not resumed.returncode,
        why=f"{len(whole)} results, {wrong}, {resumed.stderr[-300:]}",
    )


def _project(folder: Path, site: str, model: Model, *, live: bool) -> None:
    expected = "Press" if live else "Pressed"
    cases = [CASE.format(number=n, expected=expected) for n in range(CASES)]
    path = folder / "many.case.md"
    path.write_text("\n".join([f"---\nbase_url: {site}\n---", *cases]))
    (folder / "strap.toml").write_text(CONFIG.format(model=model.url))
    press = call("click", ref='button "Press"')
    for case in read_cases([path]):
        record(case, [press])


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "strap", "test", *words]


def _environ(folder: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STRAP_", "CI"))}
    return {**kept, "OF_KILLED_RUN": str(folder)}


def _until(folder: Path, at: tuple[int, float], words: Sequence[str]) -> set[str]:
    """Run until so many results were told, and kill it; returns those results."""
    process = subprocess.Popen(
        _command(*words), cwd=folder, env=_environ(folder), text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(at[0])]
    time.sleep(at[1])
    process.send_signal(signal.SIGKILL)
    told += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    return {json.loads(line)["name"] for line in told if line.endswith("\n")}


def _kept(folder: Path) -> dict[str, str]:
    with suppress(FileNotFoundError):
        found = read_journal(folder / ".strap/test/journal.jsonl")
        return {each["name"]: each["reason"] or each["status"] for each in found}
    return {}


def _left_of(folder: Path) -> int:
    """Return how many processes of a run in a folder have not ended."""
    until = time.monotonic() + GONE
    while (left := _alive(str(folder))) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def _alive(mark: str) -> int:
    """Count the processes that inherited the mark, or name it: browsers have own sessions."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            told = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
            found += mark.encode() in told
    return found
