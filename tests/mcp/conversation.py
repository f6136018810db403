"""A client that writes and reads the wire of a real server process, byte by byte if need be."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from tests.conftest import MARK

SCRIPT = str(Path(__file__).with_name("serve_probe.py"))
COMMAND = (sys.executable, SCRIPT)
WAIT = 30
"""Seconds after which a server that says nothing is a failure; none is expected to need it."""

LATE = b"the clean-up took too long"
INFO = {"name": "tests", "version": "1"}
PREFIX = "io.modelcontextprotocol/"


def environment(home, **more):
    """Return what a client passes on: few variables, the folder of Node's cache, the mark."""
    names = ("PATH", "LANG", "NODE_COMPILE_CACHE", MARK)
    kept = {key: os.environ[key] for key in names if key in os.environ}
    return {**kept, "HOME": str(home), "STRAP_HOME": str(Path(home) / "data"), **more}


def request(method, params=None, number=1):
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


def notification(method, params=None):
    message = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def initialize(version="2025-11-25", number=0):
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": INFO}
    return request("initialize", params, number)


def modern(method, number=1, version="2026-07-28", **params):
    meta = {
        PREFIX + "protocolVersion": version,
        PREFIX + "clientCapabilities": {},
        PREFIX + "clientInfo": INFO,
    }
    return request(method, {"_meta": meta, **params}, number)


def call(number=5, /, **arguments):
    return request("tools/call", {"name": "web", "arguments": arguments}, number)


def text_of(message):
    return message["result"]["content"][0]["text"]


class Conversation:
    """One server process; closed at the end of a `with` block, whatever happened."""

    wait = WAIT
    """Seconds for a message of the server."""

    def __init__(self, home, command=COMMAND, **env):
        self.notes = Path(home) / "data" / "notes"
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home, **env),
            cwd=home,
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._log: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_log, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_log(self):
        self._log.extend(self.process.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(WAIT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(BrokenPipeError):
                stream.close()

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages):
        self.write(b"".join(json.dumps(m).encode() + b"\n" for m in messages))

    def receive(self):
        """The next message of the server; None at its end."""
        line = self._lines.get(timeout=self.wait)
        return None if line is None else json.loads(line)

    def ask(self, message):
        self.send(message)
        return self.receive()

    def open(self, version="2025-11-25"):
        """Shake hands."""
        answer = self.ask(initialize(version))
        self.send(notification("notifications/initialized"))
        return answer

    def sleep(self):
        """Begin a call that does not end by itself, and wait until its action runs."""
        self.send(call(99, resource="probe", action="sleep", number=60))
        self.wait_for("asleep")

    def wait_for(self, word):
        for _ in range(WAIT * 50):
            if word in self.noted():
                return
            threading.Event().wait(0.02)
        raise AssertionError(f"{word!r} is not in {self.noted()}")

    def noted(self):
        return self.notes.read_text().split("\n")[:-1] if self.notes.exists() else []

    def finish(self):
        """End the input and return the exit status."""
        self.process.stdin.close()
        return self.process.wait(WAIT)

    def end(self, number=signal.SIGTERM):
        """Send a signal and return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(WAIT)

    def ends_well(self):
        """Whether the server leaves in order when it gets a signal.

        It has two seconds for that, however little of the processor it gets meanwhile: on a
        machine with too much to do, lack of time is no failure.
        """
        if self.end() == 0:
            return True
        self._threads[1].join(1)
        return LATE in b"".join(self._log) and os.getloadavg()[0] > 2 * os.cpu_count()

    def log(self):
        """Return the server's output on stderr, once it has ended."""
        self._threads[1].join(WAIT)
        return b"".join(self._log).decode()


class Listening(Conversation):
    """A server process on a free port of loopback, at `url`; it is not spoken to by its input."""

    def __init__(self, home, command, **env):
        super().__init__(home, command, **env)
        for _ in range(WAIT * 50):
            lines = [line for line in b"".join(self._log).split(b"\n") if b"listening on" in line]
            if lines or self.process.poll() is not None:
                break
            self._threads[1].join(0.02)
        self.url = lines[0].split()[-1].strip(b'"}').decode() if lines else ""
