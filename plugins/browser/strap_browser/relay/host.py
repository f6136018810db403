"""Host of the relay of a port: the first strap process, and the next one when it ends."""

import asyncio
import errno
import json
import logging
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from strap import Guard
from strap_browser.cdp.granted_tabs import PARTY, STATUS
from strap_browser.relay.access.addresses import CDP, HOST, IDENTITY
from strap_browser.relay.access.extension_id import extension_id
from strap_browser.relay.access.pairing import Pairing, bearer, is_proof

if TYPE_CHECKING:
    from strap_browser.relay.server import Relay

log = logging.getLogger(__name__)
RETRY = 1.0
"""Seconds between attempts to host; another process may end at any time."""
ASK_LIMIT = 2.0
"""Seconds for another process of ours to answer: `status` waits for it."""
MOST_BYTES = 4_096
"""Bytes of a proof of identity that are read; ours is far below."""


class Host:
    """The part of this process in the relay of `port`: it hosts it, or waits to take it over."""

    def __init__(self, pairing: Pairing, port: int, guard: Guard | None = None) -> None:
        """`guard` learns that this process listens on the port."""
        self.port = port
        self._pairing = pairing
        self._guard = guard
        self._party = {PARTY: secrets.token_hex(16)}
        self._relay: Relay | None = None
        self._task: asyncio.Task[None] | None = None
        self._tried = asyncio.Event()

    @property
    def address(self) -> str:
        """WebSocket address for CDP clients."""
        return f"ws://{HOST}:{self.port}{CDP}"

    async def begin(self) -> None:
        """Host the relay as soon as the port is free, until `aclose`; returns after one attempt."""
        if self._task is None:
            self._task = asyncio.create_task(self._keep_trying(), name="host relay")
        await self._tried.wait()

    async def aclose(self) -> None:
        """Stop hosting."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        if self._relay is not None:
            await self._relay.aclose()
            if self._guard is not None:
                self._guard.release(self.port)

    async def status(self) -> dict[str, Any] | None:
        """Return what the relay's host says (see `Hub.status`), None where there is no relay."""
        if self._relay is not None:
            return self._relay.hub.status()
        secret = self._pairing.read()
        if secret is None:
            return None
        try:
            async with asyncio.timeout(ASK_LIMIT):
                return await self._ask(secret) if await self._is_ours(secret) else None
        except (OSError, TimeoutError, ValueError, KeyError):
            return None

    async def token(self) -> dict[str, str]:
        """Return the headers for CDP clients of this process.

        Raises `OSError` unless a relay of ours listens: another user's program may have taken the
        port, which must not be shown the secret.
        """
        secret = self._pairing.read()
        if secret is None:
            raise OSError(errno.ENOENT, "not paired")
        if self._relay is None:
            try:
                async with asyncio.timeout(ASK_LIMIT):
                    ours = await self._is_ours(secret)
            except TimeoutError:
                ours = False
            if not ours:
                raise OSError(errno.ECONNREFUSED, "something else listens on the port")
        return bearer(secret) | self._party

    async def _keep_trying(self) -> None:
        from strap_browser.relay.server import Relay

        while self._relay is None:
            relay = Relay(self._pairing, extension_id(), self.port)
            try:
                await relay.start()
            except OSError as error:
                log.debug("The relay's port is taken: %s", error)
                self._tried.set()
                await asyncio.sleep(RETRY)
            else:
                self._relay = relay
                if self._guard is not None:
                    self._guard.reserve(self.port, "relay")
        self._tried.set()

    async def _is_ours(self, secret: str) -> bool:
        nonce = secrets.token_hex(16)
        reader, writer = await asyncio.open_connection(HOST, self.port)
        try:
            head = f"GET {IDENTITY}?nonce={nonce} HTTP/1.1\r\nHost: {HOST}:{self.port}\r\n\r\n"
            writer.write(head.encode())
            answer = await reader.read(MOST_BYTES)
        finally:
            writer.close()
        proof = answer.rpartition(b"\r\n\r\n")[2].decode("ascii")
        return is_proof(proof, secret, "identity", nonce)

    async def _ask(self, secret: str) -> dict[str, Any]:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        with suppress(WebSocketException):
            async with connect(
                self.address, additional_headers=bearer(secret), compression=None, proxy=None
            ) as socket:
                await socket.send(json.dumps({"id": 1, "method": STATUS}))
                answer: dict[str, Any] = json.loads(await socket.recv())["result"]
                return answer
        raise ConnectionRefusedError
