"""Who shows which bearer token."""

from collections.abc import Mapping
from hashlib import sha256

LOCAL, BEARER = "local", "bearer"
"""Whoever calls where no token is asked for; who shows the one token of the command line."""


def can_be_sent(token: str) -> bool:
    """Whether a token can stand in a header: visible ASCII, and no blank (RFC 6750, 2.1)."""
    return bool(token) and all("!" <= each <= "~" for each in token)


def digest(token: str) -> bytes:
    """Return what is kept of a token: looking it up takes as long for a wrong one."""
    return sha256(token.encode()).digest()


class Tokens:
    """The principals by the digests of their tokens; without any, everybody is `LOCAL`."""

    def __init__(self, principals: Mapping[bytes, str]) -> None:
        self._principals = principals

    def principal(self, authorization: str) -> str | None:
        """Return who sends this header, None for a stranger."""
        if not self._principals:
            return LOCAL
        scheme, _, given = authorization.partition(" ")
        return self._principals.get(digest(given.strip())) if scheme.lower() == "bearer" else None
