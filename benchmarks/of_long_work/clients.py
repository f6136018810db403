"""Clients that give up on a request after some seconds, and how they get a long run's answer."""

import asyncio
import json
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2

PREFIX = "io.modelcontextprotocol/"
TASKS = f"{PREFIX}tasks"
ACCEPT = {"accept": "application/json, text/event-stream"}
INFO = {"name": "benchmarks", "version": "1"}
LEGACY, MODERN = "2025-11-25", "2026-07-28"
LINE = 1 << 24
"""Bytes of a line over stdio at most."""
POLL = 2.0
"""Seconds between two polls of a task."""
Answer = dict[str, Any]


def environment(home: Path) -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
    own = {"HOME": str(home), "STRAP_HOME": str(home / "data"), "STRAP_NETWORK": "local"}
    return {**kept, **own}


@asynccontextmanager
async def started(home: Path, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A server with a home of its own; ended by a signal, at last by a kill."""
    with (home / "stderr").open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "strap", "serve", *words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env=environment(home),
            cwd=home,
            limit=LINE,
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), 20)
        except TimeoutError:
            process.kill()


@asynccontextmanager
async def listening(home: Path) -> AsyncIterator[str]:
    """A server over HTTP, at the address that this yields."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with started(home, "--http", "--port", str(port)):
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            await asyncio.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"


def _of(message: Answer) -> Answer:
    """Return the object of a run in an answer of the tool."""
    answer: Answer = json.loads(message["result"]["content"][0]["text"])
    return answer


async def by_polling(home: Path, order: Mapping[str, Any], patience: float) -> Answer:
    """Detach, over stdio and with a server of its own, then ask for the run until it is over."""
    async with started(home) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        output, number = process.stdout, 0

        async def ask(method: str, **params: Any) -> Answer:
            nonlocal number
            number += 1
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
            async with asyncio.timeout(patience):
                while True:
                    told = json.loads(await output.readline())
                    if told.get("id") == number:
                        return dict(told)

        async def web(action: str, **fields: Any) -> Answer:
            fields = {"resource": "browser", "action": action, **fields}
            return _of(await ask("tools/call", name="web", arguments=fields))

        await ask("initialize", protocolVersion=LEGACY, capabilities={}, clientInfo=INFO)
        begun = await web("eval", **order, detach=True)
        while True:
            wait = min(45, patience / 2)
            told = await web("get_run", session_id=begun["session_id"], timeout=wait)
            if "status" in told:
                return told


async def by_task(url: str, order: Mapping[str, Any], patience: float) -> Answer:
    """Call as a client that takes tasks, and ask for the task until it is completed."""
    arguments = {"resource": "browser", "action": "eval", **order, "session": secrets.token_hex(8)}
    async with httpx2.AsyncClient(timeout=patience) as http:

        async def ask(method: str, params: Answer, named: str) -> Answer:
            meta = {
                f"{PREFIX}protocolVersion": MODERN,
                f"{PREFIX}clientCapabilities": {"extensions": {TASKS: {}}},
                f"{PREFIX}clientInfo": INFO,
            }
            message = {"jsonrpc": "2.0", "id": 1, "method": method}
            headers = {"mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": named}
            body = message | {"params": params | {"_meta": meta}}
            async with asyncio.timeout(patience):
                told = await http.post(url, json=body, headers=ACCEPT | headers)
            return dict(_message(told.text)["result"])

        told = await ask("tools/call", {"name": "web", "arguments": arguments}, "web")
        if (task := told.get("taskId")) is None:  # it was over at once
            return _of({"result": told})
        while told["status"] == "working":
            await asyncio.sleep(POLL)
            told = await ask("tasks/get", {"taskId": task}, task)
        return _of(told)


async def by_coming_back(url: str, order: Mapping[str, Any], patience: float) -> Answer:
    """Call over a connection that drops after `patience`, and go on with `Last-Event-ID`."""
    arguments = {"resource": "browser", "action": "eval", **order}
    params = {"name": "web", "arguments": arguments, "_meta": {"progressToken": 1}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": INFO}
    async with httpx2.AsyncClient(timeout=patience, headers=ACCEPT) as http:
        opening = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
        opened = await http.post(url, json=opening)
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        headers = {**session, "mcp-protocol-version": LEGACY}
        seen = ""
        while True:
            more = {"last-event-id": seen} if seen else {}
            method, body = ("GET", None) if seen else ("POST", message)
            with suppress(TimeoutError, httpx2.TransportError):
                async with (
                    asyncio.timeout(patience),
                    http.stream(method, url, json=body, headers=headers | more) as stream,
                ):
                    async for line in stream.aiter_lines():
                        if line.startswith("id:"):
                            seen = line[3:].strip()
                        if line.startswith("data:") and line[5:].strip():
                            told = json.loads(line[5:])
                            if told.get("id") == 1:
                                return _of(told)
            await asyncio.sleep(1)


def _message(text: str) -> Answer:
    if text.startswith("{"):
        return dict(json.loads(text))
    data = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
    return dict(json.loads(data[-1]))
