"""Run a server of `socketserver` in a thread while a block lasts."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import TCPServer


@contextmanager
def serving(server: TCPServer) -> Iterator[None]:
    """Answer what connects to `server` until the block is left.

    A last connection, which is turned away, ends the wait for the next one: `serve_forever`
    looks whether to end at intervals, which is most of what a quick test takes.
    """
    ending = threading.Event()

    def turn_away(*_: object) -> bool:
        return not ending.is_set()

    def run() -> None:
        while not ending.is_set():
            server.handle_request()

    server.verify_request = turn_away  # type: ignore[method-assign]
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        with suppress(OSError):
            socket.create_connection(server.server_address[:2]).close()
        thread.join()


def secured(
    context: ssl.SSLContext, connection: socket.socket, *, handshake: bool = True
) -> ssl.SSLSocket:
    """The connection with TLS. Raises `OSError` where its client has hung up, and closes it.

    Python's own leaves a socket open then, which is found whenever the next garbage is looked for.
    """
    try:
        connection.getpeername()
        return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=handshake)
    except OSError:
        connection.close()
        raise
