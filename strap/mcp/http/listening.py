"""Listening socket of the server, and the host names that it answers to."""

import json
import socket
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from strap.errors import StartupError
from strap.mcp.http.exposure import is_loopback

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raises `StartupError`."""
    if not 0 <= port <= 65535:
        raise StartupError(f"There is no port {port}.", hint="Choose one from 0 to 65535.")
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise StartupError(
            f"There is no address {host!r} to listen at: {error.strerror}.",
            hint="Give one of this machine with --host.",
        ) from None
    try:
        listener = socket.socket(family, kind)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        raise StartupError(
            f"Cannot listen on port {port} of {host!r}: {error.strerror}.",
            hint="Choose another port with --port; 0 is any free one.",
        ) from None
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the address that clients of this machine use."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def hosts(listener: socket.socket, names: Iterable[str]) -> Iterator[str]:
    """The hosts that the server is called by."""
    yield from (*LOOPBACK, *names)
    if not is_loopback(listener):
        yield from (listener.getsockname()[0], socket.gethostname())


class News:
    """Says what a server has to say of itself, for people, or as JSON like the log beside it."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def tell(self, event: str, text: str) -> None:
        """Say it at once, whatever the level of the log."""
        line = f"strap: {text}"
        if self._as_json:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            level = "warning" if event == "warning" else "info"
            line = json.dumps({"time": now, "level": level, "event": event, "message": text})
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
