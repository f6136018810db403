"""A minimal MCP client over stdio, the same for every server: raw JSON-RPC lines and a clock."""

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import MARKER, Process, end, tree, wait_until

PROTOCOL = "2025-06-18"
INITIALIZE = {
    "protocolVersion": PROTOCOL,
    "capabilities": {},
    "clientInfo": {"name": "benchmarks", "version": "1"},
}


class Failed(Exception):
    """A server that gave no answer, or an error where an answer was due."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The result of a request, the bytes of its line, and how long it took (ms)."""

    result: dict[str, Any]
    size: int
    ms: float

    @property
    def text(self) -> str:
        parts = self.result.get("content", ())
        return "\n".join(part["text"] for part in parts if part.get("type") == "text")

    @property
    def failed(self) -> bool:
        return bool(self.result.get("isError"))


class Server:
    """A spawned server; `end` leaves no process of it behind."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], folder: Path) -> None:
        self.run = secrets.token_hex(8)
        self._errors = (folder / "stderr").open("ab")
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**environ, MARKER: self.run},
            cwd=folder,
            start_new_session=True,
            bufsize=0,
        )
        self._buffer = bytearray()
        self._number = 0
        self._seen: set[Process] = set()

    @property
    def since_start(self) -> float:
        """Milliseconds since the process was spawned."""
        return (time.perf_counter() - self.started) * 1000

    def initialize(self, timeout: float = 60) -> Answer:
        self.initialized = self.request("initialize", INITIALIZE, timeout)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self.initialized

    def tools(self, timeout: float = 60) -> list[dict[str, Any]]:
        """All tools, over as many pages as the server makes of them."""
        tools: list[dict[str, Any]] = []
        cursor = None
        while True:
            params: dict[str, Any] = {"cursor": cursor} if cursor else {}
            page = self.request("tools/list", params, timeout).result
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor:
                return tools

    def call(self, tool: str, arguments: Mapping[str, Any], timeout: float = 90) -> Answer:
        """Call a tool; raises `Failed` where the server says that it did not work."""
        params = {"name": tool, "arguments": arguments}
        answer = self.request("tools/call", params, timeout)
        if answer.failed:
            raise Failed(f"{tool} {dict(arguments)}: {answer.text[:300]}")
        return answer

    def request(self, method: str, params: Mapping[str, Any], timeout: float) -> Answer:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        sent = time.perf_counter()
        self._send(message)
        for line in self._lines(time.monotonic() + timeout, method):
            took = (time.perf_counter() - sent) * 1000
            reply = self._parse(line)
            if "method" in reply:
                self._refuse(reply)
            elif reply.get("id") == self._number:
                if "error" in reply:
                    raise Failed(f"{method}: {reply['error'].get('message')}")
                return Answer(result=reply["result"], size=len(line), ms=took)
        raise Failed(f"{method}: the server closed its output")

    def processes(self) -> set[Process]:
        """The living processes of this server, detached ones included."""
        found = tree(self.process.pid, self.run)
        self._seen |= found
        return found

    def left(self) -> list[Process]:
        """The processes that were seen and live on, and those that carry the mark."""
        return [process for process in self.processes() | self._seen if process.lives()]

    def close_input(self) -> None:
        if self.process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()

    def end(self) -> None:
        """End of input, then a kill by id of whatever of it still lives."""
        self.processes()
        self.close_input()
        if not self.exits(5):
            self.process.send_signal(signal.SIGTERM)
            self.exits(2)
        # A server that has just exited may need a moment to take its browser along.
        wait_until(lambda: not self.left(), 1, pause=0.02)
        end(self.left())
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(5)
        if self.process.stdout:
            self.process.stdout.close()
        self._errors.close()

    def exits(self, seconds: float) -> bool:
        return wait_until(lambda: self.process.poll() is not None, seconds)

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin
        data = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        try:
            while data:
                data = data[os.write(self.process.stdin.fileno(), data) :]
        except BrokenPipeError:
            raise Failed("the server has closed its input") from None

    def _lines(self, deadline: float, waiting_for: str) -> Iterator[bytes]:
        assert self.process.stdout
        fd = self.process.stdout.fileno()
        while True:
            end_of_line = self._buffer.find(b"\n")
            if end_of_line >= 0:
                line = bytes(self._buffer[: end_of_line + 1])
                del self._buffer[: end_of_line + 1]
                yield line
                continue
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                raise Failed(f"{waiting_for}: no answer in time")
            chunk = os.read(fd, 1 << 20)
            if not chunk:
                return
            self._buffer += chunk

    @staticmethod
    def _parse(line: bytes) -> dict[str, Any]:
        """A line that is no JSON object is what some servers print by mistake."""
        try:
            reply = json.loads(line)
        except ValueError:
            return {}
        return reply if isinstance(reply, dict) else {}

    def _refuse(self, request: Mapping[str, Any]) -> None:
        """Answer a request of the server: this client offers nothing but `ping`."""
        if "id" not in request:
            return
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] == "ping":
            self._send({**answer, "result": {}})
        else:
            self._send({**answer, "error": {"code": -32601, "message": "Method not found"}})
