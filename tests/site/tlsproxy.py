"""A CONNECT proxy on loopback that plays any HTTPS site, with a throw-away CA of its own."""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.site.certificates import Authority
from tests.site.serving import secured, serving


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteRequest:
    """Request that a client sent through the tunnel."""

    method: str
    host: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        """The fields of a URL-encoded body; of a repeated field the last value."""
        return _last_values(self.body.decode())

    @property
    def route(self) -> str:
        """The path without its query."""
        return urlsplit(self.path).path

    @property
    def query(self) -> dict[str, str]:
        """The fields of the query; of a repeated field the last value."""
        return _last_values(urlsplit(self.path).query)


def _last_values(fields: str) -> dict[str, str]:
    parsed = parse_qs(fields, keep_blank_values=True)
    return {name: values[-1] for name, values in parsed.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteReply:
    """Reply of the site.

    `body` may be an iterator of chunks, which are sent one by one. `stall` sends nothing until
    the client hangs up or the proxy is closed; `drop` closes the connection without an answer.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | bytes | Iterable[bytes] = b""
    stall: bool = False
    drop: bool = False


Site = Callable[[SiteRequest], SiteReply]


class TlsProxy(ThreadingHTTPServer):
    """The proxy; `requests` are what the sites behind it were asked, in order.

    `stalled` is set once a request waits in vain, `hung_up` once its client has left.
    """

    daemon_threads = True

    def __init__(self, authority: Authority, site: Site) -> None:
        super().__init__(("127.0.0.1", 0), _Tunnel)
        self.authority = authority
        self.site = site
        self.requests: list[SiteRequest] = []
        self.errors: list[BaseException] = []
        self.closing = threading.Event()
        self.stalled = threading.Event()
        self.hung_up = threading.Event()

    @property
    def url(self) -> str:
        """Return the address of the proxy for clients."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def ca_file(self) -> Path:
        """The certificate that clients have to trust, in PEM."""
        return self.authority.file

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep mistakes of the site for the end; clients that hang up are part of the tests."""
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            self.errors.append(error)


class _Tunnel(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: TlsProxy
    host = ""

    def do_CONNECT(self) -> None:
        self.host = self.path.rpartition(":")[0]
        self.send_response(200, "Connection established")
        self.end_headers()
        context = self.server.authority.context(self.host)
        self.connection = self.request = secured(context, self.connection)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", buffering=0)  # type: ignore[assignment]
        self.close_connection = False

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        request = SiteRequest(
            method=self.command,
            host=self.host,
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length),
        )
        self.server.requests.append(request)
        self._answer(self.server.site(request))

    do_POST = do_GET  # noqa: N815 - the name that http.server looks for

    def _answer(self, reply: SiteReply) -> None:
        if reply.stall:
            self._wait_for_hang_up()
        if reply.stall or reply.drop:
            self.close_connection = True
            return
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        self.send_response(reply.status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", **reply.headers}.items():
            self.send_header(name, value)
        if isinstance(body, bytes):
            self.send_header("Content-Length", str(len(body)))
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        for chunk in [body] if isinstance(body, bytes) else body:
            self.wfile.write(chunk)

    def _wait_for_hang_up(self) -> None:
        self.server.stalled.set()
        self.connection.settimeout(0.05)
        while not self.server.closing.is_set():
            try:
                if not self.connection.recv(1):
                    self.server.hung_up.set()
                    return
            except TimeoutError:
                continue

    def finish(self) -> None:
        """Close what CONNECT opened as well."""
        super().finish()
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the test output clean."""


@contextmanager
def tls_proxy(folder: Path, site: Site) -> Iterator[TlsProxy]:
    """Run a proxy in a thread; certificates are written to `folder`.

    Raises at the end what the site raised while it answered.
    """
    with TlsProxy(Authority(folder), site) as proxy:
        with serving(proxy):
            try:
                yield proxy
            finally:
                proxy.closing.set()
        if proxy.errors:
            raise proxy.errors[0]
