"""A web site on loopback for tests: routes or a folder in, base URL out.

    moved = Reply(status=302, headers={"Location": "/"})
    with serve({"/": "<h1>Hello</h1>", "/old": moved}) as site:
        fetch(f"{site}/old")
        assert [request.path for request in site.requests] == ["/old", "/"]

    with serve(Path("tests/site/pages")) as site: ...

A route is what is answered, or a function of the request that returns it: a `Reply`, HTML as a
string, or `Raw` bytes where a well-formed answer would not do.
"""

import mimetypes
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from tests.site.serving import secured, serving


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """Request of a client; `path` is without the query, `client` the port it came from."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes
    client: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """An answer. An iterable `body` is sent in chunks; a string is HTML unless `headers` say so.

    Content-Type, Content-Length and Transfer-Encoding are added where they are not given.
    """

    status: int = 200
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = field(default_factory=dict)
    body: str | bytes | Iterable[bytes] = b""


@dataclass(frozen=True, kw_only=True, slots=True)
class Raw:
    """Bytes that are sent as they are; then the connection is closed, or reset."""

    chunks: Iterable[bytes] = ()
    reset: bool = False


Answer = Reply | Raw | str | bytes
Route = Answer | Callable[[Request], Answer]


class Site(str):
    """The base URL of a running site, without a slash at its end; and what it was asked."""

    __slots__ = ("port", "requests")

    requests: list[Request]
    port: int


@contextmanager
def serve(
    source: Mapping[str, Route] | Path,
    *,
    folder: Path | None = None,
    tls: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
) -> Iterator[Site]:
    """Serve routes by path, or the files of a folder, on a free port until the block is left.

    With `tls` the site speaks HTTPS. Paths that no route answers are looked up in `folder`. A
    route that raises fails the test when the block is left.
    """
    if isinstance(source, Path):
        source, folder = {}, source
    server = _Server(host, source, folder, tls)
    site = Site(f"{'https' if tls else 'http'}://{server.shown_host}:{server.server_port}")
    site.requests, site.port = server.requests, server.server_port
    try:
        with serving(server):
            yield site
    finally:
        server.hang_up()
    if server.errors:
        raise server.errors[0]


def drip(chunk: bytes, *, every: float, first: bytes = b"") -> Iterator[bytes]:
    """Yield `first`, then `chunk` for ever, at intervals of `every` seconds."""
    yield first
    pause = threading.Event()
    while True:
        yield chunk
        pause.wait(every)


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close() waits for them

    def __init__(
        self,
        host: str,
        routes: Mapping[str, Route],
        folder: Path | None,
        tls: ssl.SSLContext | None,
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, 0), _Handler)
        self.shown_host = f"[{host}]" if ":" in host else host
        self.routes = routes
        self.folder = folder.resolve() if folder else None
        self.tls = tls
        self.requests: list[Request] = []
        self.errors: list[BaseException] = []
        self._open: set[socket.socket] = set()

    def get_request(self):
        connection, address = super().get_request()
        if self.tls is not None:
            connection = secured(self.tls, connection, handshake=False)
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request):
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Hang up on everybody and wait for the threads."""
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def handle_error(self, request, client_address) -> None:
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            self.errors.append(error)

    def answer(self, request: Request) -> Answer:
        route = self.routes.get(request.path)
        if callable(route):
            return route(request)
        return route if route is not None else self._file(request.path)

    def _file(self, path: str) -> Answer:
        if self.folder is not None:
            file = (self.folder / path.lstrip("/")).resolve()
            file = file / "index.html" if file.is_dir() else file
            if file.is_file() and file.is_relative_to(self.folder):
                mime = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                return Reply(headers={"Content-Type": mime}, body=file.read_bytes())
        return Reply(status=404, body="<h1>Not found</h1>")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes
    server: _Server

    def answer(self) -> None:
        request = self._request()
        self.server.requests.append(request)
        answer = self.server.answer(request)
        if isinstance(answer, Raw):
            self._send_raw(answer)
        else:
            reply = answer if isinstance(answer, Reply) else Reply(body=answer)
            self._send(reply, bodiless=request.method == "HEAD" or reply.status in (204, 304))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815

    def _request(self) -> Request:
        parts = urlsplit(self.path)
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        if len(body) < size:
            raise ConnectionResetError("The client hung up within its request.")
        return Request(
            method=self.command,
            path=unquote(parts.path),
            query=parse_qs(parts.query, keep_blank_values=True),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            client=self.client_address[1],
        )

    def _send(self, reply: Reply, *, bodiless: bool) -> None:
        headers = list(
            reply.headers.items() if isinstance(reply.headers, Mapping) else reply.headers
        )
        names = {name.lower() for name, _ in headers}
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        chunked = not isinstance(body, bytes) and "content-length" not in names
        if "content-type" not in names and not bodiless:
            headers.append(("Content-Type", "text/html; charset=utf-8"))
        if chunked:
            headers.append(("Transfer-Encoding", "chunked"))
        elif "content-length" not in names and isinstance(body, bytes):
            headers.append(("Content-Length", str(len(body))))
        send = self.send_response_only if "date" in names else self.send_response
        send(reply.status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if not bodiless:
            self._send_body((body,) if isinstance(body, bytes) else body, chunked=chunked)

    def _send_body(self, chunks: Iterable[bytes], *, chunked: bool) -> None:
        for chunk in filter(None, chunks):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk) if chunked else chunk)
            self.wfile.flush()
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _send_raw(self, raw: Raw) -> None:
        self.close_connection = True
        for chunk in filter(None, raw.chunks):
            self.wfile.write(chunk)
            self.wfile.flush()
        if raw.reset:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()

    def log_message(self, *args) -> None:
        """Say nothing."""
