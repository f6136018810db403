"""Sites: the domain under a public suffix, or a private address with its port."""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address

from strap.network.addresses import Space, classify, is_internal
from strap.network.host_patterns import place_of

REMEMBERED = 1_024
"""Hosts whose site is kept in mind: a page asks the same few again and again."""
Site = tuple[str, str]
"""Scheme, and registrable domain or host and port."""
_ADDRESS = re.compile(r"[\d.]+|.*:.*|localhost|[^.]+|.*\.localhost")
"""Hosts that have no registrable domain: IP addresses and names of this machine or network."""
_ENCRYPTED = {"ws": "http", "wss": "https"}
"""Schemes that go the way of another."""


def site_of(url: str) -> Site | None:
    """Return the site of an address of the web, None for any other.

    It is the domain under a public suffix (https://publicsuffix.org), the last two labels where no
    suffix is known; for an address of a network, and for names of this machine, host and port.
    """
    place, scheme = place_of(url), url.strip().partition(":")[0].lower()
    return None if place is None else (_ENCRYPTED.get(scheme, scheme), _name(*place))


def is_private_network(site: Site) -> bool:
    """Whether it is a server of a network that is not public: by its address or its name.

    This machine is none: what a developer serves here is not a private network's.
    """
    host = site[1].rpartition(":")[0].strip("[]") or site[1]
    try:
        return classify(ip_address(host)) not in (Space.PUBLIC, Space.LOOPBACK)
    except ValueError:
        return is_internal(host) and host != "localhost" and not host.endswith(".localhost")


def is_site_of(site: Site, sites: Iterable[Site]) -> bool:
    """Whether it is one of `sites`; who may go there in the clear may go there over TLS."""
    return any(site == known or _encrypts(site, known) for known in sites)


def is_plain(url: str) -> bool:
    """Whether an address says no more than its host."""
    return url.rstrip("/").count("/") == 2 and "?" not in url and "#" not in url


def _encrypts(site: Site, other: Site) -> bool:
    return site[0] == "https" and other == ("http", site[1])


@lru_cache(REMEMBERED)
def _name(host: str, port: int) -> str:
    if _ADDRESS.fullmatch(host):
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    from tld import get_fld

    domain = get_fld(f"https://{host}/", fail_silently=True, search_private=True)
    return domain or ".".join(host.split(".")[-2:])
