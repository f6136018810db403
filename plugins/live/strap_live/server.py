"""The listener of the live view: a fixed table of files, and one socket for all else."""

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from strap_browser.api import RateLimiter, Refused
from strap_live.admission import SOCKET, Admission
from strap_live.messages import MOST_BYTES

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

HOST = "127.0.0.1"
HELLO_LIMIT = 5.0
"""Seconds for the handshake: no stranger keeps a connection for longer."""
MOST_LOGGED = 60
"""Refusals a minute that are logged."""
PAGE = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
LINES = logging.getLogger("strap.audit")
Serve = Callable[["ServerConnection"], Awaitable[None]]


class LiveServer:
    """Listens on loopback from `start` to `aclose`."""

    def __init__(self, serve: Serve, public: str | None = None) -> None:
        """`serve` has each socket that was let in, until it returns.

        `public` is the origin of a reverse proxy before it.
        """
        self._public = public
        self.port = 0
        self._serve = serve
        self._server: Server | None = None
        self._admission = Admission(0, frozenset())
        self._files: dict[str, tuple[str, bytes]] = {}
        self._refused = RateLimiter(MOST_LOGGED)
        self._waiting: dict[ServerConnection, None] = {}

    async def start(self, port: int) -> None:
        """Listen on a port, 0 for any; raises `OSError` where it is in use."""
        from websockets.asyncio.server import serve

        from strap_browser.api import Arriving

        quiet = logging.getLogger(f"{__name__}.sockets")
        quiet.disabled = True  # the audit lines say who came; the library would add tracebacks
        self._files = {
            "/" if path.name == "index.html" else f"/{path.name}": (
                TYPES[path.suffix],
                path.read_bytes(),
            )
            for path in PAGE.iterdir()
            if path.suffix in TYPES
        }
        self._server = await serve(
            self._serve,
            HOST,
            port,
            process_request=self._admit,
            create_connection=type("Viewing", (Arriving,), {"waiting": self._waiting}),
            compression=None,
            open_timeout=HELLO_LIMIT,
            ping_interval=20,
            ping_timeout=20,
            close_timeout=1,
            max_size=MOST_BYTES,
            max_queue=64,
            server_header=None,
            logger=quiet,
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]
        self._admission = Admission(self.port, frozenset(self._files), self._public)

    async def aclose(self) -> None:
        """Stop listening and disconnect everybody."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def _admit(self, socket: "ServerConnection", request: "Request") -> "Response | None":
        self._waiting.pop(socket, None)
        try:
            path = self._admission.judge(request)
        except Refused as refused:
            if not self._refused.exceeded:
                self._refused.count()
                where = request.path.partition("?")[0][:100]
                LINES.warning("live %r refused: %s", where, refused)
            return _answer(socket, refused.status, "text/plain", b"")
        if path == SOCKET:
            return None
        return _answer(socket, HTTPStatus.OK, *self._files[path])


def _answer(socket: "ServerConnection", status: HTTPStatus, kind: str, body: bytes) -> "Response":
    response = socket.respond(status, "")
    for name in ("Content-Type", "Content-Length"):
        del response.headers[name]
    response.headers["Content-Type"] = f"{kind}; charset=utf-8"
    response.headers["Content-Length"] = str(len(body))
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.body = body
    return response
