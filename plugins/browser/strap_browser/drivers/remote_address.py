"""The address of a browser that somebody else runs, which may hold secrets by name."""

import socket
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from strap import Secrets, StrapError

ANSWER_LIMIT = 2.0
"""Seconds for an answer of what listens there already."""
PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


class RemoteAddress:
    """An address of the configuration, and the header fields that go with it."""

    def __init__(
        self, url: SecretStr, headers: Mapping[str, SecretStr] | None, secrets: Secrets
    ) -> None:
        self._url = url.get_secret_value()
        self._headers = headers or {}
        self._secrets = secrets
        parts = urlsplit(self._url)
        self.scheme = parts.scheme
        self.host = parts.hostname or ""
        self.port = parts.port or PORTS[parts.scheme]
        netloc = parts.netloc.rpartition("@")[2]
        self.shown = SplitResult(parts.scheme, netloc, "", "", "").geturl()
        """The address without what may be a credential in it."""

    @property
    def is_local(self) -> bool:
        """Whether the browser runs on this machine, so that its files are here."""
        return is_loopback(self.host)

    async def obtain(self) -> None:
        """Obtain the secrets in it; raises `StrapError` for one that is not to be had."""
        for text in (self._url, *(value.get_secret_value() for value in self._headers.values())):
            await self._secrets.filled(text, self._url)

    def url(self) -> str:
        """Return it with its secrets; raises `StrapError` for one that is not there."""
        return self._secrets.fill(self._url, self._url)

    def headers(self) -> Mapping[str, str]:
        """Return the header fields with their secrets; raises `StrapError`."""
        return {
            name: self._secrets.fill(value.get_secret_value(), self._url)
            for name, value in self._headers.items()
        }

    def answers(self) -> bool:
        """Whether somebody listens there; is not asked more than that."""
        try:
            socket.create_connection((self.host, self.port), ANSWER_LIMIT).close()
        except (OSError, StrapError):
            return False
        return True


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"
