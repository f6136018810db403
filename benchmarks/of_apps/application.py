"""An application in a folder of its own: installed, started, reset, ended; and its tasks."""

import http.client
import json
import os
import secrets
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.bench import KEPT
from benchmarks.peers import ROOT, Tools
from benchmarks.processes import MARKER, end, tree
from benchmarks.wire import Failed

FOLDER = ROOT / ".cache" / "apps"
BOOT = 180.0
"""Seconds until an application must answer: Label Studio migrates its database at first."""
PATIENCE = 5.0
"""Seconds for which an application may take to save what it was told."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One task: calls by names, a line each, and what must be in the data afterwards."""

    name: str
    plan: str
    judge: Callable[[Any], str]
    """Takes the application; returns what is wrong with its data, "" where nothing is."""
    prepare: Callable[[Any], None] | None = None
    """Changes what `reset` has put back, where a task begins with something else."""


class Application:
    """Declaration of an application; the frame does the rest."""

    name: ClassVar[str]
    version: ClassVar[str]
    tasks: ClassVar[Sequence[Task]]
    entry: ClassVar[str] = "navigate url={base}"
    """Calls before each task, such as a log-in; they are not counted."""
    uploads: ClassVar[Mapping[str, bytes]] = {}
    """Files that plans upload, by name."""
    theme: ClassVar[str] = ""
    """The theme that `restyle` switches to, "" for none."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.folder = FOLDER / self.name
        self.port = 0
        self._run = ""
        self._started: list[subprocess.Popen[bytes]] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def install(self) -> None:
        """Install it below `.cache`; raises `Absent`."""
        raise NotImplementedError

    def boot(self) -> None:
        """Write its data into the empty folder, and `spawn` its processes."""
        raise NotImplementedError

    def answers(self) -> bool:
        """Whether it can be used by now."""
        return bool(self.fetch("/"))

    def reset(self) -> None:
        """Put its data back to what every task begins with."""

    def restyle(self) -> None:
        """Switch to another theme, for all tasks from now on."""
        raise NotImplementedError

    def values(self) -> Mapping[str, str]:
        """Values that plans name in braces."""
        return {"base": self.base}

    def spawn(self, *command: str | Path, **environ: str) -> None:
        """Start a process that ends with the application."""
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self._environ(environ),
                start_new_session=True,
            )
        self._started.append(process)

    def do(self, *command: str | Path, timeout: float = 120, **environ: str) -> str:
        """Run a command to its end and return its output; raises `Failed`."""
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self._environ(environ),
            timeout=timeout,
            check=False,
        )
        if done.returncode:
            raise Failed(f"{command[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
        return done.stdout

    def fetch(self, path: str, data: Any = None, method: str = "", **headers: str) -> bytes:
        """Ask the application itself; `data` goes as JSON. Returns "" where it refuses."""
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(self.base + path, body, method=method or None)
        if body is not None:
            request.add_header("Content-Type", "application/json")
        for key, value in headers.items():
            request.add_header(key.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return bytes(answer.read())
        except (http.client.HTTPException, OSError):
            return b""

    @contextmanager
    def running(self) -> Iterator[None]:
        """The application, from an empty folder to its last process."""
        self._clear()
        self.port = free_port()
        self._run = secrets.token_hex(8)
        self._mark.write_text(self._run)
        try:
            self.boot()
            self.wait()
            yield
        finally:
            self._clear()

    def stop(self) -> None:
        """End its processes, and keep its data."""
        end(tree(0, self._run) if self._run else [])
        while self._started:
            self._started.pop().wait(5)

    def memory_mb(self) -> float:
        """Megabytes of memory of all its processes, shared pages once."""
        return sum(process.pss_mb() for process in tree(0, self._run))

    @property
    def _mark(self) -> Path:
        return FOLDER / f"{self.name}.run"

    def _clear(self) -> None:
        """End the processes of the last run, be it this one or one that was killed."""
        if self._mark.is_file():
            end(tree(0, self._mark.read_text()))
            self._mark.unlink()
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def wait(self) -> None:
        """Return once it answers; raises `Failed`."""
        deadline = time.monotonic() + BOOT
        while not self.answers():
            if time.monotonic() > deadline or not tree(0, self._run):
                log = self.folder / "log"
                said = log.read_text(errors="replace").strip()[-300:] if log.is_file() else ""
                raise Failed(f"{self.name} did not start: {said}")
            time.sleep(0.2)

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        kept = {key: os.environ[key] for key in KEPT if key in os.environ}
        return {**kept, "HOME": str(self.folder), **more, MARKER: self._run}


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def judged(task: Task, app: Application) -> str:
    """Return what is wrong with the data once the application has had time to save it."""
    deadline = time.monotonic() + PATIENCE
    while wrong := task.judge(app):
        if time.monotonic() > deadline:
            return wrong
        time.sleep(0.25)
    return ""
