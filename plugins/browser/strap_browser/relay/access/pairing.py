"""The secret that strap and the user's extension share, and the proofs that both know it."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from strap import ActionError, write_atomically

SECRET_BYTES = 32
"""Bytes of a secret: 256 bits, which nobody finds by trying."""
LONGEST = 256
"""Bytes of a secret that is read; ours have 43."""


class Pairing:
    """The file that keeps the secret: 32 random bytes as URL-safe Base64, for the user alone."""

    def __init__(self, home: Path) -> None:
        self._path = home / "chrome" / "secret"

    def read(self) -> str | None:
        """Return the secret, None where strap and Chrome are not paired yet."""
        try:
            with self._path.open("rb") as opened:
                return opened.read(LONGEST).decode("ascii").strip() or None
        except (OSError, ValueError):
            return None

    def renew(self) -> str:
        """Make a new secret, which ends every earlier pairing; raises `ActionError`."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        try:
            write_atomically(self._path, secret.encode())
        except OSError as error:
            raise ActionError(
                f"Cannot write {str(self._path)!r}: {os.strerror(error.errno or 0)}.",
                hint="Set STRAP_HOME to a directory that may be written.",
                code="home",
            ) from None
        return secret


def prove(secret: str, *words: str) -> str:
    """Return the HMAC-SHA256 of the words, joined by colons, in hex (RFC 2104)."""
    return hmac.new(secret.encode(), ":".join(words).encode(), hashlib.sha256).hexdigest()


def is_proof(proof: object, secret: str, *words: str) -> bool:
    """Whether `proof` is what `prove` returns; takes as long for a near miss as for any other."""
    return constant_time_equal(proof, prove(secret, *words))


def constant_time_equal(value: object, expected: str) -> bool:
    """Compare without telling by the time where the two differ."""
    if not isinstance(value, str):
        return False
    return hmac.compare_digest(value.encode("utf-8", "surrogatepass"), expected.encode())


def bearer(secret: str) -> dict[str, str]:
    """Return the header with which a CDP client shows that it is strap's own."""
    return {"Authorization": f"Bearer {secret}"}
