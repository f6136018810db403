"""Losses of batches on Ray when workers and drivers are killed: `make deep` asserts them."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from benchmarks.processes import PROC, living, tree, wait_until
from benchmarks.site import serving

HOMES = "strap-worker-"
"""Prefix of the names of the workers' homes, before the process's id."""
PATIENCE = 180.0
"""Seconds without a further row after which a batch counts as stuck."""
FINISHED = (0, 1)
"""Exit statuses of a batch all of whose items have a row; any other one is to be gone on with."""
STARTS = 5
"""How often a batch is gone on with that ended by itself before its end."""
LINE = ("--call", "http fetch url={url}")
STEPS = ("browser navigate url={url}", "browser text")


@dataclass
class Site:
    """Pages that take their time, and when each was asked for."""

    url: str = ""
    delay: float = 0.05
    hits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    deadly: str = ""
    """The page whose reader is killed."""

    @contextmanager
    def served(self) -> Iterator["Site"]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path in ("/robots.txt", "/favicon.ico"):
                    self.send_error(404)
                    return
                outer.hits[self.path].append(time.time())
                if outer.deadly and self.path == outer.deadly:
                    with suppress(ProcessLookupError):
                        os.kill(_reader(self.client_address[1]), signal.SIGKILL)
                threading.Event().wait(outer.delay)
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(b"<title>page</title><p>text</p>")

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        with serving(Handler) as self.url:
            yield self


@dataclass
class Fault:
    """Outcome of a batch."""

    items: int
    kills: int = 0
    lost: int = 0
    doubled: int = 0
    repeated: int = 0
    """Items that ran again although their row was in the journal."""
    executions: int = 0
    """Beyond one for each item."""
    failed: list[str] = field(default_factory=list)
    """Codes of rows that are not ok."""
    seconds: list[float] = field(default_factory=list)
    """From each kill until no browser of the worker was left."""
    stopped: list[str] = field(default_factory=list)
    """Messages of ends before the batch was done; it was run again."""
    left: list[str] = field(default_factory=list)
    """Files of the temporary folder that are still there."""


class Run:
    """A batch of so many pages in a folder of its own, run as a process again and again."""

    def __init__(self, folder: Path, site: Site, items: int, *options: str, steps: bool = False):
        self.folder = folder
        self.site = site
        self.fault = Fault(items)
        (folder / "tmp").mkdir()
        urls = [f"{site.url}/{n}" for n in range(items)]
        self._source = _source(folder, urls, steps=steps)
        self._options = options
        self._known: list[tuple[float, set[str]]] = []

    def start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "strap", "batch", "run", *self._source, *self._options]
        command += ["--to", "results", "--home", "home", "--per-host", "0"]
        environ = {**os.environ, "TMPDIR": str(self.folder / "tmp"), "STRAP_HEADLESS": "true"}
        log = (self.folder / "log").open("ab")
        with log:
            return subprocess.Popen(
                command, cwd=self.folder, env=environ, stdout=subprocess.DEVNULL, stderr=log
            )

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._journal().splitlines()]

    def number(self) -> int:
        """How many rows there are."""
        return self._journal().count(b"\n")

    def _journal(self) -> bytes:
        path = self.folder / "results" / "journal.jsonl"
        whole, end, _ = (path.read_bytes() if path.exists() else b"").rpartition(b"\n")
        return whole + end

    def workers(self) -> list[int]:
        """The processes of workers that live."""
        homes = (self.folder / "tmp").glob(f"{HOMES}*")
        pids = {int(home.name.removeprefix(HOMES).partition("-")[0]) for home in homes}
        return [pid for pid in sorted(pids) if (PROC / str(pid)).exists()]

    def reaches(self, rows: int, process: "subprocess.Popen[bytes]") -> bool:
        """Wait until there are so many rows; whether the batch still runs then."""
        self._watch(process, lambda: self.number() >= rows)
        return process.poll() is None

    def kill(self, pid: int) -> None:
        known = {row["key"] for row in self.rows()}
        os.kill(pid, signal.SIGKILL)
        self._known.append((time.time(), known))
        self.fault.kills += 1

    def _watch(
        self, process: "subprocess.Popen[bytes]", enough: Callable[[], bool] = lambda: False
    ) -> None:
        """Wait for what is enough, or the end; a batch without progress is ended, and an error."""
        seen, since = -1, time.monotonic()
        while process.poll() is None and not enough():
            if (rows := self.number()) > seen:
                seen, since = rows, time.monotonic()
            if time.monotonic() - since > PATIENCE:
                process.kill()
                process.wait()
                raise TimeoutError(f"no row after {seen} in {PATIENCE:.0f} s: {self._said()}")
            time.sleep(0.02)

    def _said(self) -> str:
        """The last that it wrote."""
        return (self.folder / "log").read_text()[-2000:]

    def ended(self, process: "subprocess.Popen[bytes]") -> Fault:
        """Wait for the end, go on where it came too soon, and count."""
        self._watch(process)
        while process.returncode not in FINISHED and len(self.fault.stopped) < STARTS:
            self.fault.stopped.append(f"{process.returncode}: {self._said()}")
            process = self.start()
            self._watch(process)
        found, rows = self.fault, self.rows()
        urls = [row["url"] or row["key"] for row in rows]
        found.lost = found.items - len({row["key"] for row in rows})
        found.doubled = len(urls) - len({row["key"] for row in rows})
        found.failed = [row["code"] or row["status"] for row in rows if row["status"] != "ok"]
        found.executions = sum(map(len, self.site.hits.values())) - len(self.site.hits)
        paths = {row["key"]: "/" + row["url"].rpartition("/")[2] for row in rows}
        found.repeated = sum(
            any(at > moment for at in self.site.hits[paths[key]])
            for moment, known in self._known
            for key in known
        )
        found.left = [path.name for path in (self.folder / "tmp").iterdir()]
        return found


RAY = ("--engine", "ray", "--workers", "2", "--concurrency", "4")


def workers_killed(times: int) -> Fault:
    """Kill a worker at random moments of one batch."""
    with _run(max(200, 60 * times), *LINE, *RAY) as run:
        process = run.start()
        for number in _moments(times, run.fault.items):
            number = max(number, run.number() + 10)  # noqa: PLW2901 - this machine is slow
            if run.reaches(number, process) and (pids := run.workers()):
                run.kill(random.choice(pids))
        return run.ended(process)


def drivers_killed(times: int, options: Sequence[str] = RAY) -> Fault:
    """Kill the driver at random moments, and begin again each time."""
    with _run(max(200, 60 * times), *LINE, *options) as run:
        process = run.start()
        for number in _moments(times, run.fault.items):
            if run.reaches(number, process):
                run.kill(process.pid)
                process.wait()
                wait_until(lambda: not run.workers(), 30)
                process = run.start()
        return run.ended(process)


def poisoned() -> Fault:
    """Let one page kill whoever reads it."""
    with _run(200, *LINE, *RAY) as run:
        run.site.deadly = "/50"
        return run.ended(run.start())


def browsers_killed(times: int) -> Fault:
    """Kill workers whose browsers are open, and look how long those live on."""
    with _run(30 * times, *RAY[:4], "--concurrency", "2", steps=True) as run:
        run.site.delay = 0.3
        process = run.start()
        for number in _moments(times, run.fault.items):
            if not run.reaches(number, process):
                break
            wait_until(lambda: any(_browsers(pid) for pid in run.workers()), 30)
            pid = max(run.workers(), key=lambda each: len(_browsers(each)))
            browsers = _browsers(pid)
            run.kill(pid)
            since = time.monotonic()
            wait_until(lambda b=browsers: not living(b), 30)  # type: ignore[misc]
            run.fault.seconds.append(time.monotonic() - since)
        return run.ended(process)


FAULTS: dict[str, Callable[[int], Fault]] = {
    "a worker, fetches": workers_killed,
    "the driver, fetches": drivers_killed,
    "a worker, pages": browsers_killed,
    "whoever reads one page": lambda _: poisoned(),
}


@contextmanager
def _run(items: int, *options: str, steps: bool = False) -> Iterator[Run]:
    with tempfile.TemporaryDirectory(prefix="f") as folder, Site().served() as site:
        yield Run(Path(folder), site, items, *options, steps=steps)


def _source(folder: Path, urls: list[str], *, steps: bool) -> list[str]:
    if not steps:
        (folder / "items.csv").write_text("url\n" + "\n".join(urls))
        return ["items.csv"]
    entries = [{"steps": [each.replace("{url}", url) for each in STEPS]} for url in urls]
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, entries)))
    return ["items.jsonl"]


def _moments(times: int, items: int) -> list[int]:
    """So many numbers of rows, at random but apart, and none when but suspects are left."""
    step = items // (2 * times)
    return [step * n + random.randrange(step) for n in range(1, times + 1)]


def _browsers(pid: int) -> set[Any]:
    return {each for each in tree(pid, "-") if each.pid != pid and each.name.startswith("chrom")}


def _reader(port: int) -> int:
    """The process that has this port of a connection to us."""
    line = next(
        line.split()
        for line in (PROC / "net" / "tcp").read_text().splitlines()[1:]
        if line.split()[1].endswith(f":{port:04X}")
    )
    link = f"socket:[{line[9]}]"
    for folder in PROC.glob("[0-9]*/fd"):
        with suppress(OSError):
            if any(str(each.readlink()) == link for each in folder.iterdir()):
                return int(folder.parent.name)
    raise ProcessLookupError(port)
