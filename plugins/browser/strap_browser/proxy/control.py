"""Messages of a process to the proxy of the browser that it uses, its own or another process's."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from strap import ActionError, PolicyDenied, Space, StrapError, VettedURL, record

CONTROL = b"\0"
"""The first byte of a connection that does not speak SOCKS."""
LIMIT = 5.0
"""Seconds for a proxy on this machine to answer, which computes nothing; the page waits for it."""
_UNTOLD = ("SOCKS_", "EMPTY_RESPONSE", "CONNECTION_CLOSED", "CONNECTION_RESET")
"""How the names begin that Chromium gives to the failure of a connection its proxy did not make."""


@record
class ProxyControl:
    """Port of the proxy, and the secret that it knows its users by."""

    port: int
    token: str

    async def address(self, target: VettedURL) -> None:
        """Tell that a caller goes to `target`: private servers serve nobody else's requests."""
        if target.space is not Space.PUBLIC:
            await self._ask("address", target.host, target.port)

    @asynccontextmanager
    async def journey(self, target: VettedURL, *, again: bool = False) -> AsyncIterator[None]:
        """Tell that a caller leads a page to `target` meanwhile, `again` if it was there before.

        As long as somebody is led to a public site, no private server is taken for the goal.
        """
        public = target.space is Space.PUBLIC
        wish = {"do": "go", "host": "" if public else target.host, "port": target.port}
        line = f"{self.token} {json.dumps(wish | {'again': again})}\n"
        writer = None
        try:
            with suppress(OSError, ValueError):  # the browser has ended with its process
                async with asyncio.timeout(LIMIT):
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                    writer.write(CONTROL + line.encode())
                    if not public:
                        await reader.readline()
            yield
        finally:
            if writer is not None:
                writer.close()

    async def explain(self, url: str) -> StrapError | None:
        """Return why the last connection to the server of `url` was not made."""
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        answer = await self._ask("explain", parts.hostname or "", port)
        if answer is None:
            return None
        kind, message, hint, code = answer
        error = PolicyDenied if kind == "PolicyDenied" else ActionError
        return error(message, hint=hint, code=code)

    async def _ask(self, what: str, host: str, port: int) -> Any:
        wish = {"do": what, "host": host, "port": port}
        line = f"{self.token} {json.dumps(wish)}\n"
        try:
            async with asyncio.timeout(LIMIT):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                try:
                    writer.write(CONTROL + line.encode())
                    return json.loads(await reader.readline())
                finally:
                    writer.close()
        except (OSError, ValueError):
            return None  # the browser has ended with the process that owns it


def may_be_refused(error: str) -> bool:
    """Whether Chromium's `net::ERR_…` may be that of a connection which the proxy did not make."""
    return error.removeprefix("net::ERR_").startswith(_UNTOLD)
