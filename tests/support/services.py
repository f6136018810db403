"""Hubs that lend real Chromiums as the services' documentation says that they do."""

import asyncio
import json
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

from tests.support.grid import Hub

KEY = "a-key-of-the-service"


class Service(Hub):
    """Base of the services: a key, JSON both ways, browsers behind the hub's own port."""

    base = ""
    ends_with_connection = False

    def profile(self):
        """The settings of a profile that uses it."""
        table = {"driver": "cdp", "provider": type(self).__name__.lower()}
        return table | {"cdp_url": self.url + self.base, "headers": {self.header: self.value}}

    header, value = "Authorization", f"Bearer {KEY}"

    def _allowed(self, headers, query):
        return headers.get(self.header.lower()) == self.value.lower()

    async def _answer(self, method, path, headers, body):
        parts = urlsplit(path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        where = parts.path.removeprefix(self.base)
        if "upgrade" in headers:
            return await self._connect(where, query, headers)
        if not self._allowed(headers, query):
            return 401, {"error": "no key"}
        return await self._api(method, where, query, json.loads(body or "null"))

    async def _connect(self, where, query, headers):
        name = self._named(where, query)
        if not self._may_connect(headers, query):
            return 401, {}
        if name not in self.sessions:
            return 404, {}
        return name

    def _may_connect(self, headers, query):
        return True

    async def _browser(self):
        """Start a Chromium; returns its name, or None where there is none left."""
        status, told = await self._lend()
        return told["value"]["sessionId"] if status == 200 else None

    def _at(self, rest):
        return f"{self.url.replace('http', 'ws', 1)}{self.base}{rest}"

    async def _serve(self, reader, writer):
        task = asyncio.current_task()
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            method, path, _ = lines[0].split()
            headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.asked.append((method, path))
            answer = await self._answer(method, path, headers, body)
            if isinstance(answer, str):
                await self._relay(answer, head, path, reader, writer)
            else:
                status, told = answer
                body = json.dumps(told).encode()
                said = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n"
                writer.write(f"{said}Connection: close\r\n\r\n".encode() + body)
                await writer.drain()
        writer.close()

    async def _relay(self, name, head, path, reader, writer):
        """Be between a client and the DevTools of a browser until one of them leaves."""
        port, rest = self.devtools[name]
        there, back = await asyncio.open_connection("127.0.0.1", port)
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"host:")]
        lines[0] = lines[0].replace(path.encode(), rest.encode())
        lines.insert(1, f"Host: 127.0.0.1:{port}".encode())
        back.write(b"\r\n".join(lines))
        pipes = [asyncio.create_task(_pipe(*each)) for each in ((reader, back), (there, writer))]
        over = asyncio.create_task(self._over.wait())
        try:
            await asyncio.wait([*pipes, over], return_when=asyncio.FIRST_COMPLETED)
        finally:  # also where the test ends first
            for task in (*pipes, over):
                task.cancel()
            back.close()
        if self.ends_with_connection and name in self.sessions:
            await self.expire(name)


async def _pipe(reader, writer):
    with suppress(ConnectionError):
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()


class Steel(Service):
    """docs.steel.dev, sessions API: the key goes into the address of the browser as well."""

    header, value = "steel-api-key", KEY

    async def _api(self, method, where, query, body):
        if (method, where) == ("POST", "/v1/sessions"):
            if not isinstance(body["timeout"], int):
                return 400, {}
            if (name := await self._browser()) is None:
                return 429, {"message": "too many sessions"}
            at = self._at(f"/?sessionId={name}")
            return 201, {"id": name, "status": "live", "websocketUrl": at}
        name = where.split("/")[3]
        if (method, where) == ("GET", f"/v1/sessions/{name}"):
            return 200, {"id": name, "status": "live" if name in self.sessions else "released"}
        assert (method, where) == ("POST", f"/v1/sessions/{name}/release")
        if name in self.sessions:
            await self.expire(name)
        return 200, {"success": True}

    def _named(self, where, query):
        return query.get("sessionId")

    def _may_connect(self, headers, query):
        return query.get("apiKey") == KEY


class Browserbase(Service):
    """docs.browserbase.com, sessions API: a session ends with its connection."""

    header, value = "X-BB-API-Key", KEY
    ends_with_connection = True

    async def _api(self, method, where, query, body):
        if (method, where) == ("POST", "/v1/sessions"):
            if not (isinstance(body["timeout"], int) and 60 <= body["timeout"] <= 21_600):
                return 400, {}
            if (name := await self._browser()) is None:
                return 429, {}
            at = self._at(f"/?signingKey=sealed-{name}")
            return 201, {"id": name, "status": "RUNNING", "connectUrl": at}
        name = where.split("/")[3]
        assert (method, body) == ("POST", {"status": "REQUEST_RELEASE"})
        if name in self.sessions:
            await self.expire(name)
        return 200, {"id": name, "status": "COMPLETED"}

    def _named(self, where, query):
        return query.get("signingKey", "").removeprefix("sealed-")


class Cloudflare(Service):
    """developers.cloudflare.com, Browser Rendering, CDP: kept for 600 s at most without use."""

    base = "/client/v4/accounts/0a/browser-rendering"

    async def _api(self, method, where, query, body):
        if (method, where) == ("POST", "/devtools/browser"):
            if not 60_000 <= int(query["keep_alive"]) <= 600_000:
                return 400, {}
            if (name := await self._browser()) is None:
                return 429, {}
            at = self._at(f"/devtools/browser/{name}")
            return 200, {"sessionId": name, "webSocketDebuggerUrl": at}
        name = where.rpartition("/")[2]
        assert (method, where) == ("DELETE", f"/devtools/browser/{name}")
        if name not in self.sessions:
            return 404, {}
        await self.expire(name)
        return 200, {"status": "closed"}

    def _named(self, where, query):
        return where.rpartition("/")[2]

    def _may_connect(self, headers, query):
        return self._allowed(headers, query)


class Browserless(Service):
    """docs.browserless.io: each connection is a browser, for `timeout` milliseconds."""

    ends_with_connection = True

    def profile(self):
        at = f"{self.url.replace('http', 'ws', 1)}/?token={KEY}"
        return {"driver": "cdp", "provider": "browserless", "cdp_url": at}

    async def _connect(self, where, query, headers):
        if query.get("token") != KEY:
            return 401, {}
        if not query.get("timeout", "").isdigit():
            return 400, {}
        name = await self._browser()
        return (429, {}) if name is None else name
