"""Replicas as processes, and the load balancers of `deploy/` before them."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

HOUSE = Path(__file__).resolve().parents[2]
DEPLOY = HOUSE / "deploy"
PROXIES = {
    "nginx.conf": ("nginx", "-g", "daemon off; pid nginx.pid; error_log stderr;", "-p", ".", "-c"),
    "haproxy.cfg": ("haproxy", "-db", "-f"),
}
"""The examples that can be run, and how."""
WAIT = 60.0
"""Seconds for a start on a machine with much to do."""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _until(ready: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + WAIT
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Replica:
    """A server at a port that stays its own over restarts; use it in a `with` block."""

    def __init__(self, folder: Path, name: str = "", **options: object) -> None:
        self.folder, self.name, self.port = folder, name, free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self._options = {"port": self.port, "replica": name or None, **options}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def start(self) -> None:
        environ = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
        environ |= {"STRAP_HOME": str(self.folder / "home"), "REPLICA": self.name}
        environ["PYTHONPATH"] = str(HOUSE)
        command = [sys.executable, "-m", "benchmarks.serving.replica", json.dumps(self._options)]
        self._process = subprocess.Popen(
            command, cwd=self.folder, env=environ, stderr=subprocess.DEVNULL
        )
        _until(lambda: listens(self.port), f"{self.name} does not listen")

    def end(self) -> int:
        """Ask it to leave, and return its exit status."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(WAIT)

    def cpu_ns(self) -> int:
        """Processor time of all its threads until now, in ns."""
        assert self._process is not None
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in tasks)

    def noted(self, word: str) -> int:
        notes = self.folder / "notes"
        return notes.read_text().split().count(word) if notes.exists() else 0


class Proxy:
    """An example of `deploy/` before replicas named a, b, c; use it in a `with` block."""

    def __init__(self, name: str, ports: Mapping[str, int], folder: Path) -> None:
        self.port = free_port()
        text = (DEPLOY / name).read_text().replace("bind :80", f"bind 127.0.0.1:{self.port}")
        text = text.replace("listen 80;", f"listen 127.0.0.1:{self.port};")
        for letter, port in ports.items():
            text = text.replace(f"replica-{letter}:8000", f"127.0.0.1:{port}")
        (folder / name).write_text(text)
        (folder / "logs").mkdir(exist_ok=True)
        self._command, self._folder = (*PROXIES[name], str(folder / name)), folder

    @staticmethod
    def installed(name: str) -> bool:
        return shutil.which(PROXIES[name][0]) is not None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, cwd=self._folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        _until(lambda: listens(self.port), "the proxy does not listen")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(WAIT)
