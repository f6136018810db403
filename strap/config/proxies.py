"""Proxies that the operator names: their settings, and what goes through them."""

from collections.abc import Sequence
from dataclasses import field
from ipaddress import ip_address
from typing import Annotated, Self
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, SecretStr

from strap.config.name_lists import split_names
from strap.network import VettedURL
from strap.records import record

PORTS = {"http": 80, "https": 443, "socks5": 1080}
"""The usual port of each kind of proxy."""


def _proxy_url(proxy: SecretStr) -> SecretStr:
    """Say what is wrong without showing the value: it may hold a password."""
    try:
        parts = urlsplit(proxy.get_secret_value())
        fits = bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or parts.scheme not in PORTS or parts.path.strip("/"):
        raise ValueError(f"must be scheme://host:port, scheme one of {tuple(PORTS)}")
    return proxy


ProxyUrl = Annotated[SecretStr, AfterValidator(_proxy_url)]
"""A setting: `http://[user:password@]host:port`, `https://` or `socks5://`."""
HostNames = Annotated[tuple[str, ...], split_names]
"""A setting: names of hosts, in the environment with commas or spaces between them."""


@record
class ProxyServer:
    """Address of a proxy, and `exceptions`: hosts reached without it, with all below them.

    Loopback is always reached without it. `user` and `password` are empty if it needs none.
    """

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    exceptions: tuple[str, ...] = ()

    @classmethod
    def at(cls, url: str, exceptions: Sequence[str] = ()) -> Self:
        """Return the proxy at a valid `ProxyUrl`."""
        parts = urlsplit(url)
        return cls(
            scheme=parts.scheme,
            host=parts.hostname or "",
            port=parts.port or PORTS[parts.scheme],
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            exceptions=tuple(name.lower().strip(".") for name in exceptions),
        )

    def takes(self, target: VettedURL) -> bool:
        """Whether `target`, which need not be resolved, is reached through the proxy."""
        if any(ip_address(address).is_loopback for address in target.addresses):
            return False
        return not any(f".{target.host}".endswith(f".{name}") for name in self.exceptions)
