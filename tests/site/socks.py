"""A SOCKS5 proxy on loopback that leads every connection to one port (RFC 1928, RFC 1929)."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

from tests.site.serving import serving


class SocksProxy(ThreadingTCPServer):
    """The proxy; `asked` are the hosts and ports that clients named.

    With `password` clients have to give it. `reply` is the code that requests are answered with:
    0 connects, 2 is "not allowed", None speaks something else than SOCKS.
    """

    daemon_threads = True

    def __init__(self, port: int, password: str, reply: int | None) -> None:
        super().__init__(("127.0.0.1", 0), _Client)
        self.port, self.password, self.reply = port, password, reply
        self.asked: list[tuple[str, int]] = []

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_address[1]}"


class _Client(BaseRequestHandler):
    server: SocksProxy

    def handle(self) -> None:
        if self.server.reply is None:
            self.request.recv(512)
            self.request.sendall(b"220 mail.example ESMTP\r\n")
            return
        with suppress(OSError):
            if self._authenticated():
                self._connect()

    def _authenticated(self) -> bool:
        offered = self._read(self._read(2)[1])
        wanted = 2 if self.server.password else 0
        self.request.sendall(bytes((5, wanted if wanted in offered else 255)))
        if wanted not in offered:
            return False
        if not wanted:
            return True
        self._read(self._read(2)[1])
        right = self._read(self._read(1)[0]).decode() == self.server.password
        self.request.sendall(bytes((1, 0 if right else 1)))
        return right

    def _connect(self) -> None:
        kind = self._read(4)[3]
        length = {1: 4, 4: 16}.get(kind) or self._read(1)[0]
        host = self._read(length)
        port = int.from_bytes(self._read(2))
        self.server.asked.append((host.decode() if kind == 3 else socket.inet_ntoa(host), port))
        # The bound address is full of line feeds: a client must not take them for its own.
        self.request.sendall(bytes((5, self.server.reply or 0, 0, 1, 10, 10, 10, 10, 10, 10)))
        if self.server.reply == 0:
            with socket.create_connection(("127.0.0.1", self.server.port)) as site:
                back = threading.Thread(target=_pump, args=(site, self.request), daemon=True)
                back.start()
                _pump(self.request, site)
                back.join(5)

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.request.recv(count - len(data))
            if not more:
                raise OSError
            data += more
        return data


def _pump(source: Any, target: Any) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def socks_proxy(port: int, *, password: str = "", reply: int | None = 0) -> Iterator[SocksProxy]:
    """Run a proxy in a thread that leads everything to `port` on loopback."""
    with SocksProxy(port, password, reply) as proxy, serving(proxy):
        yield proxy
