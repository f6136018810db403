"""Pages that a fetcher has to survive: large ones, a bomb, a drip, a loop."""

import gzip
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from benchmarks import site

HUGE = 50_000_000
BOMB = 100_000_000
HTML = "text/html; charset=utf-8"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = {
            "/article": site.article().encode(),
            "/large": site.article(2_000_000).encode(),
        }
        self.bomb = gzip.compress(b"<html><body>" + bytes(BOMB))

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the measurement."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        if self.path in self.server.pages:
            self._send(200, self.server.pages[self.path], {"Content-Type": HTML})
        elif self.path == "/bomb":
            headers = {"Content-Type": HTML, "Content-Encoding": "gzip"}
            self._send(200, self.server.bomb, headers)
        elif self.path == "/loop":
            self._send(302, b"", {"Location": "/pool"})
        elif self.path == "/pool":
            self._send(302, b"", {"Location": "/loop"})
        elif self.path == "/huge":
            self._stream(self._huge())
        elif self.path.startswith("/drip/"):
            self._stream(self._drip(int(self.path.rpartition("/")[2])))
        else:
            self._send(404, b"", {})

    def _huge(self) -> Iterator[bytes]:
        page = self.server.pages["/large"].removesuffix(b"</html>\n")
        for _ in range(HUGE // len(page)):
            yield page

    @staticmethod
    def _drip(seconds: int) -> Iterator[bytes]:
        for second in range(seconds):
            yield b"<p>Drop %d</p>" % second
            time.sleep(1)

    def _stream(self, chunks: Iterator[bytes]) -> None:
        """Send a body that does not say how long it is."""
        self.send_response(200)
        self.send_header("Content-Type", HTML)
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(chunk)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def serve() -> Iterator[str]:
    """Serve the pages on loopback; yields the base URL."""
    with _Server() as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
