"""HTTP servers on loopback, each on a free port: they end with their block, whatever hangs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from strap import record

MOST_BODY = 4 * 1024 * 1024
"""Bytes of a request: pictures of a page for a model are the largest."""
POLL = 0.02
"""Seconds until a server sees that it is to end."""


@record
class Request:
    """HTTP request; `path` is without the query."""

    method: str
    path: str
    query: dict[str, str]
    cookies: str
    body: bytes


@record
class Reply:
    """An answer; HTML unless it says otherwise. With status 0 the server hangs up."""

    body: str = ""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


Answer = Callable[[Request], Reply]
"""Answers requests, in threads."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hang up: a browser that is closed does."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        size = min(int(self.headers.get("Content-Length") or 0), MOST_BODY)
        request = Request(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query)),
            cookies=self.headers.get("Cookie", ""),
            body=self.rfile.read(size),
        )
        reply = self.server.answer(request)
        if not reply.status:
            return
        data = reply.body.encode()
        self.send_response(reply.status)
        for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET  # noqa: N815 - named by the library

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing of what is asked."""


@contextmanager
def serve(answer: Answer, closing: threading.Event) -> Iterator[int]:
    """Serve on a free loopback port until the block ends; `closing` ends answers that wait."""
    with _Server(answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(POLL,), daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            closing.set()
            server.shutdown()
            thread.join()
