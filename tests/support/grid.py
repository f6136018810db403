"""A hub that lends real Chromiums as Selenium Grid does, and misbehaves on request."""

import asyncio
import json
import os
import signal
from contextlib import asynccontextmanager, suppress

from strap_browser.chromium.executables import find_executable
from strap_browser.chromium.singleton_lock import Singleton
from tests.support.chromium import FOREIGN


class Hub:
    """Speaks WebDriver's requests for sessions; each session is a Chromium of its own."""

    def __init__(self, folder, **address):
        self.folder = folder
        self.asked = []
        """Method and path of each request."""
        self.headers = []
        self.sessions = {}
        self.devtools = {}
        """Port and path of each browser's DevTools."""
        self.most = 9
        self.hangs = False
        self.slow = 0.0
        self.answers = {}
        """Answers to say instead, by method and path: status and JSON."""
        self.address = "ws://127.0.0.1:{port}{path}"
        self._count = 0
        self._over = asyncio.Event()
        self._serving = set()

    @asynccontextmanager
    async def running(self):
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as server:
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            try:
                yield self
            finally:
                self._over.set()
                if self._serving:
                    await asyncio.wait(self._serving)
                await asyncio.gather(*map(self.expire, list(self.sessions)))

    async def expire(self, name):
        """End a session, as a grid does that is not used."""
        process = self.sessions.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.stderr.read()
        await process.wait()
        process._transport.close()
        Singleton(self.folder / name).remove()  # what is killed leaves a temporary folder

    def made(self):
        return self.asked.count(("POST", "/session"))

    def ended(self):
        return [path.rpartition("/")[2] for method, path in self.asked if method == "DELETE"]

    async def _serve(self, reader, writer):
        task = asyncio.current_task()
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            method, path, _ = lines[0].split()
            headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
            await reader.readexactly(int(headers.get("content-length", 0)))
            self.asked.append((method, path))
            self.headers.append(headers)
            status, told = self.answers.get((method, path)) or await self._answer(method, path)
            body = told if isinstance(told, bytes) else json.dumps(told).encode()
            head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
            await writer.drain()
        writer.close()

    async def _answer(self, method, path):
        name = path.split("/")[2] if path.count("/") > 1 else ""
        if method == "POST":
            if self.hangs:
                await self._over.wait()
                return 503, {}
            await asyncio.sleep(self.slow)
            return await self._lend()
        if name not in self.sessions:
            return 404, {"value": {"error": "invalid session id"}}
        if method == "DELETE":
            await self.expire(name)
        return 200, {"value": None}

    async def _lend(self):
        if len(self.sessions) >= self.most:
            return 503, {"value": {"error": "session not created"}}
        self._count += 1
        name = f"s{self._count}"
        process = await asyncio.create_subprocess_exec(
            find_executable(),
            *FOREIGN,
            f"--user-data-dir={self.folder / name}",
            "--remote-debugging-port=0",
            "about:blank",
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        self.sessions[name] = process
        while b"DevTools listening on " not in (line := await process.stderr.readline()):
            assert line
        port, path = line.decode().split("127.0.0.1:")[1].strip().split("/", 1)
        self.devtools[name] = (int(port), f"/{path}")
        address = self.address.format(port=port, path=f"/{path}")
        return 200, {"value": {"sessionId": name, "capabilities": {"se:cdp": address}}}
