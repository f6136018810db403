"""Bearer tokens, and the principals that they stand for."""

from collections.abc import Mapping
from hashlib import sha256

LOCAL, BEARER = "local", "bearer"
"""Principals: a caller where no token is required; one with the command line's only token."""


def can_be_sent(token: str) -> bool:
    """Whether a token can stand in a header: visible ASCII, and no blank (RFC 6750, 2.1)."""
    return bool(token) and all("!" <= character <= "~" for character in token)


def digest(token: str) -> bytes:
    """Return what is kept of a token: looking it up takes as long for a wrong one."""
    return sha256(token.encode()).digest()


def bearer(authorization: str) -> str | None:
    """Return the token of a header `Authorization`, None where it holds none."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


class Tokens:
    """The principals by the digests of their tokens."""

    def __init__(self, principals: Mapping[bytes, str]) -> None:
        self._principals = principals
        self.any = bool(principals)
        """Whether anybody shows one."""

    def principal(self, token: str | None) -> str | None:
        """Return whose token it is, None for a stranger's."""
        return None if token is None else self._principals.get(digest(token))
