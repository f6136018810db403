"""A CONNECT proxy on loopback that plays any HTTPS site, with a throw-away CA of its own."""

import datetime as dt
import ssl
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_PEM = serialization.Encoding.PEM


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteRequest:
    """What a client sent through the tunnel."""

    method: str
    host: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        """The fields of a URL-encoded body; of a repeated field the last value."""
        fields = parse_qs(self.body.decode(), keep_blank_values=True)
        return {name: values[-1] for name, values in fields.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteReply:
    """What the site answers.

    `body` may be an iterator of chunks, which are sent one by one. `stall` sends nothing until
    the client hangs up or the proxy is closed; `drop` closes the connection without an answer.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | bytes | Iterable[bytes] = b""
    stall: bool = False
    drop: bool = False


Site = Callable[[SiteRequest], SiteReply]


class Authority:
    """A certificate authority that lives for one test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "strap test authority")])
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._lock = threading.Lock()
        self.file = folder / "authority.pem"
        certificate = self._sign(self._name, self._key.public_key(), host=None)
        self.file.write_bytes(certificate.public_bytes(_PEM))

    def context(self, host: str) -> ssl.SSLContext:
        """Return the server side of TLS for `host`, with a certificate made on first use."""
        with self._lock:
            if host not in self._contexts:
                self._contexts[host] = self._new_context(host)
            return self._contexts[host]

    def _new_context(self, host: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        certificate = self._sign(name, key.public_key(), host=host)
        private = key.private_bytes(
            _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = self._folder / f"{host}.pem"
        file.write_bytes(private + certificate.public_bytes(_PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(file)
        return context

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, host: str | None
    ) -> x509.Certificate:
        now = dt.datetime.now(dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
        )
        if host is not None:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False
            ).add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
            )
        return builder.sign(self._key, hashes.SHA256())


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
        """What clients take as their proxy."""
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
        self.connection = self.request = context.wrap_socket(self.connection, server_side=True)
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
        thread = threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.closing.set()
            proxy.shutdown()
            thread.join()
        if proxy.errors:
            raise proxy.errors[0]
