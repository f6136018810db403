"""A throw-away certificate authority, and server sides of TLS with its certificates."""

import datetime as dt
import ssl
import threading
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_PEM = serialization.Encoding.PEM
_DAY = dt.timedelta(days=1)


class Authority:
    """A certificate authority that lives for one test; `file` is its certificate in PEM."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("strap test authority")
        self._contexts: dict[tuple[str, bool, bool], ssl.SSLContext] = {}
        self._lock = threading.Lock()
        self.file = folder / "authority.pem"
        certificate = self._sign(self._name, self._key.public_key(), host=None)
        self.file.write_bytes(certificate.public_bytes(_PEM))

    def context(
        self, host: str, *, expired: bool = False, self_signed: bool = False
    ) -> ssl.SSLContext:
        """Return the server side of TLS for `host`, a name or an address; made on first use."""
        with self._lock:
            kind = host, expired, self_signed
            if kind not in self._contexts:
                self._contexts[kind] = self._new_context(*kind)
            return self._contexts[kind]

    def _new_context(self, host: str, expired: bool, self_signed: bool) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        signer = key if self_signed else None
        certificate = self._sign(_named(host), key.public_key(), host, expired, signer)
        private = key.private_bytes(
            _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = self._folder / f"{len(self._contexts)}.pem"
        file.write_bytes(private + certificate.public_bytes(_PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(file)
        return context

    def _sign(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePublicKey,
        host: str | None,
        expired: bool = False,
        signer: ec.EllipticCurvePrivateKey | None = None,
    ) -> x509.Certificate:
        end = dt.datetime.now(dt.UTC) + (-_DAY if expired else _DAY)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name if signer is None else subject)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(end - 3 * _DAY)
            .not_valid_after(end)
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
        )
        if host is not None:
            builder = builder.add_extension(_alternative(host), critical=False).add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
            )
        return builder.sign(signer or self._key, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _alternative(host: str) -> x509.SubjectAlternativeName:
    try:
        return x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))])
    except ValueError:
        return x509.SubjectAlternativeName([x509.DNSName(host)])
