"""The relay's WebSocket server on loopback."""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from strap_browser.cdp.granted_tabs import PARTY
from strap_browser.relay.access.addresses import HOST
from strap_browser.relay.access.admission import Admission, Refused, Role
from strap_browser.relay.access.pairing import Pairing, is_proof, prove
from strap_browser.relay.browser_session import BrowserSession
from strap_browser.relay.extension_peer import ExtensionPeer
from strap_browser.relay.granted_tabs import GrantedTabs
from strap_browser.relay.hub import Hub
from strap_browser.relay.outbox import Message, Outbox

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

PROTOCOL = 1
NOT_PAIRED = 4401
MALFORMED = 1002
"""Close code for a message that makes no sense (RFC 6455, 7.4.1)."""
SILENT = 1011
HELLO_BYTES = 64 * 1024
"""Largest message of an extension that has not shown yet that it knows the secret."""
MOST_BYTES = 64 * 1024 * 1024
"""Largest message of the extension (screenshots, documents) and of clients."""
HELLO_LIMIT = 5.0
"""Seconds for the handshake and the proofs: no stranger keeps a socket for longer."""
PING = 20.0
"""Seconds between pings: Chrome stops an extension's worker after 30 s without an event."""
SILENCE = 70.0
"""Seconds without a word after which an extension counts as gone: three pings, and some more."""
log = logging.getLogger(__name__)
LINES = logging.getLogger("strap.audit")


class BadMessage(Exception):
    """A frame that is no JSON object."""


MALFORMED_MESSAGE = (BadMessage, AttributeError, KeyError, TypeError, ValueError)
"""Errors that a malformed message raises."""


class Relay:
    """One relay; `start` it on a free port, and `aclose` it."""

    def __init__(self, pairing: Pairing, extension: str, port: int) -> None:
        self.port = port
        self.hub = Hub()
        self._pairing = pairing
        self._admission = Admission(extension)
        self._server: Server | None = None
        self._waiting: dict[ServerConnection, None] = {}
        self._admitted: WeakKeyDictionary[ServerConnection, tuple[Role, str]] = WeakKeyDictionary()

    async def start(self) -> None:
        """Listen; raises `OSError` where the port is in use. Port 0 is any free one."""
        from websockets.asyncio.server import serve

        from strap_browser.relay.waiting import Arriving

        quiet = logging.getLogger(f"{__name__}.sockets")
        quiet.disabled = True  # the audit lines say who came; the library would add tracebacks
        self._server = await serve(
            self._serve,
            HOST,
            self.port,
            process_request=self._admit,
            create_connection=type("Own", (Arriving,), {"waiting": self._waiting}),
            compression=None,
            open_timeout=HELLO_LIMIT,
            ping_interval=None,
            close_timeout=1,
            max_size=HELLO_BYTES,
            server_header=None,
            logger=quiet,
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def aclose(self) -> None:
        """Stop listening and disconnect everybody; Chrome and its tabs stay."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def _admit(self, socket: "ServerConnection", request: "Request") -> "Response | None":
        secret = self._pairing.read()
        self._waiting.pop(socket, None)
        try:
            role, answer = self._admission.judge(request, self.port, secret)
        except Refused as refused:
            if not self._admission.silent:
                path = request.path.partition("?")[0]  # what follows may be a misplaced secret
                LINES.warning("relay %r refused: %s", path[:100], refused)
            return socket.respond(refused.status, "")
        assert secret is not None
        if role == "identity":
            return socket.respond(HTTPStatus.OK, answer)
        self._admitted[socket] = role, secret
        return None

    async def _serve(self, socket: "ServerConnection") -> None:
        from websockets.exceptions import ConnectionClosed

        role, secret = self._admitted[socket]
        outcome = "closed"
        try:
            if role == "cdp":
                LINES.info("relay cdp accepted")
                await self._serve_client(socket, secret)
            else:
                await self._serve_extension(socket, secret)
        except ConnectionClosed:
            pass
        except TimeoutError:
            outcome = "broken off: it said nothing"
        except MALFORMED_MESSAGE:
            outcome = "broken off: a frame that makes no sense"
            log.debug("A message to the relay", exc_info=True)
            await socket.close(MALFORMED)
        except Exception:
            outcome = "broken off: an error"
            log.exception("The relay failed")
        finally:
            LINES.info("relay %s %s (%s)", role, outcome, socket.close_code)

    async def _serve_client(self, socket: "ServerConnection", secret: str) -> None:
        _accept_large(socket)
        parties = socket.request.headers.get_all(PARTY) if socket.request else []
        party = next(iter(parties), "") or secrets.token_hex(16)
        client = BrowserSession(self.hub, Outbox(socket), party)
        self.hub.clients.add(client)
        watch = asyncio.create_task(self._watch(client.outbox, secret))
        try:
            await _read(socket, client.outbox, client.receive)
        finally:
            watch.cancel()
            self.hub.leave(client)
            await client.aclose()

    async def _serve_extension(self, socket: "ServerConnection", secret: str) -> None:
        async with asyncio.timeout(HELLO_LIMIT):
            hello = await self._greet(socket, secret)
            if hello is None:
                return
            LINES.info("relay extension accepted (%r)", str(hello.get("browser"))[:100])
            tabs = _parsed(await socket.recv())["tabs"]
        peer = ExtensionPeer(Outbox(socket), hello)
        granted = GrantedTabs(peer)
        for tab in tabs:
            granted.take(tab)
        self.hub.connect(granted)
        watch = asyncio.create_task(self._watch(peer.outbox, secret, peer))
        try:
            await _read(socket, peer.outbox, partial(self.hub.take, granted))
        finally:
            watch.cancel()
            self.hub.disconnect(granted)
            await peer.outbox.aclose()

    async def _greet(self, socket: "ServerConnection", secret: str) -> Message | None:
        """Prove to the extension that the relay knows the secret, and have it do the same."""
        hello = _parsed(await socket.recv())
        theirs, ours = str(hello["nonce"]), secrets.token_hex(16)
        if hello.get("type") != "hello" or hello.get("protocol") != PROTOCOL:
            raise BadMessage
        challenge = {"type": "challenge", "protocol": PROTOCOL, "nonce": ours}
        proof = prove(secret, "relay", theirs, ours)
        await socket.send(json.dumps({**challenge, "proof": proof}))
        answer = _parsed(await socket.recv())
        if not is_proof(answer.get("proof"), secret, "extension", theirs, ours):
            LINES.warning("relay extension refused: wrong secret")
            await socket.close(NOT_PAIRED, "not paired")
            return None
        _accept_large(socket)
        await socket.send(json.dumps({"type": "welcome"}))
        return hello

    async def _watch(self, outbox: Outbox, secret: str, peer: ExtensionPeer | None = None) -> None:
        """Keep the extension awake; end what is dead or was begun with an old secret."""
        while True:
            await asyncio.sleep(PING)
            if self._pairing.read() != secret:
                outbox.close(NOT_PAIRED, "paired anew")
            if peer is not None:
                outbox.put({"type": "ping"})
                if time.monotonic() - peer.heard > SILENCE:
                    outbox.close(SILENT, "no answer")


async def _read(
    socket: "ServerConnection", outbox: Outbox, take: Callable[[Message], None]
) -> None:
    try:
        async for frame in socket:
            take(_parsed(frame))
    except MALFORMED_MESSAGE:
        outbox.close(MALFORMED, "malformed")
        raise


def _accept_large(socket: "ServerConnection") -> None:
    socket.protocol.max_size = MOST_BYTES


def _parsed(frame: str | bytes) -> dict[str, Any]:
    try:
        message = json.loads(frame)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise BadMessage
    return message
