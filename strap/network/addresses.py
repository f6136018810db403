"""Network that an IP address belongs to, by the IANA special-purpose registries."""

from collections.abc import Iterator
from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address, ip_network

Address = IPv4Address | IPv6Address
_INTERNAL_SUFFIXES = (
    ".localhost", ".localdomain", ".local", ".internal", ".intranet", ".private", ".lan", ".corp",
    ".home", ".home.arpa", ".svc", ".cluster.local",
)  # fmt: skip


class Space(IntEnum):
    """How private an address is: a greater value is more private, the last two are unreachable.

    The first three are the address spaces of https://wicg.github.io/local-network-access/.
    """

    PUBLIC = 0
    PRIVATE = 1
    LOOPBACK = 2
    RESERVED = 3
    """No destination at all: multicast, unspecified, documentation, for future use."""
    METADATA = 4
    """Hands out the credentials of a cloud machine to whoever asks."""


# https://www.iana.org/assignments/iana-ipv4-special-registry (entries that are globally reachable
# left out) and https://www.iana.org/assignments/multicast-addresses. `ipaddress.is_global` is not
# used: it calls multicast and NAT64 global and differs between Python versions.
_IPV4 = (
    ("0.0.0.0/8", Space.RESERVED),
    ("10.0.0.0/8", Space.PRIVATE),
    ("100.64.0.0/10", Space.PRIVATE),
    ("127.0.0.0/8", Space.LOOPBACK),
    ("169.254.0.0/16", Space.PRIVATE),
    ("172.16.0.0/12", Space.PRIVATE),
    ("192.0.0.0/24", Space.PRIVATE),
    ("192.0.2.0/24", Space.RESERVED),
    ("192.88.99.0/24", Space.RESERVED),
    ("192.168.0.0/16", Space.PRIVATE),
    ("198.18.0.0/15", Space.PRIVATE),
    ("198.51.100.0/24", Space.RESERVED),
    ("203.0.113.0/24", Space.RESERVED),
    ("224.0.0.0/3", Space.RESERVED),
)
# https://www.iana.org/assignments/iana-ipv6-special-registry; the first match decides, and what is
# not in 2000::/3, the only global unicast space, is private.
_IPV6 = (
    ("::1/128", Space.LOOPBACK),
    ("::/128", Space.RESERVED),
    ("ff00::/8", Space.RESERVED),
    ("100::/63", Space.RESERVED),
    ("2001:db8::/32", Space.RESERVED),
    ("3fff::/20", Space.RESERVED),
    ("::ffff:0:0/96", Space.PUBLIC),
    ("64:ff9b::/96", Space.PUBLIC),
    ("2001::/23", Space.PRIVATE),
    ("2002::/16", Space.PRIVATE),
    ("2000::/3", Space.PUBLIC),
    ("::/0", Space.PRIVATE),
)
# Where an IPv6 address carries an IPv4 address that a translator or tunnel may deliver to: prefix,
# position of the lowest bit, mask to undo an inversion.
_CARRIERS = (
    ("::/96", 0, 0),  # IPv4-compatible, RFC 4291 2.5.5.1
    ("::ffff:0:0/96", 0, 0),  # IPv4-mapped, RFC 4291 2.5.5.2
    ("::ffff:0:0:0/96", 0, 0),  # IPv4-translated, RFC 2765
    ("64:ff9b::/96", 0, 0),  # NAT64, RFC 6052
    ("64:ff9b:1::/48", 0, 0),  # local NAT64, RFC 8215
    ("2002::/16", 80, 0),  # 6to4, RFC 3056
    ("2001::/32", 64, 0),  # Teredo server, RFC 4380
    ("2001::/32", 0, 0xFFFF_FFFF),  # Teredo client, RFC 4380
)
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # interface identifiers, RFC 5214 6.1

_METADATA = frozenset(
    int(IPv6Address(text)) if ":" in text else int(IPv4Address(text))
    for text in (
        "169.254.169.254",  # AWS, Google, Azure, Oracle, OpenStack and others
        "169.254.169.253",  # AWS
        "169.254.170.2",  # AWS container credentials
        "169.254.170.23",  # AWS pod identity
        "169.254.42.42",  # Scaleway
        "169.254.0.23",  # Tencent
        "100.100.100.200",  # Alibaba
        "168.63.129.16",  # Azure WireServer, although public
        "192.0.0.192",  # Oracle
        "fd00:ec2::23",  # AWS pod identity
        "fd00:ec2::254",  # AWS
        "fd20:ce::254",  # Google
        "fd00:42::42",  # Scaleway
        "fe80::a9fe:a9fe",  # OpenStack
    )
)


def _bounds(text: str) -> tuple[int, int]:
    network = ip_network(text)
    return int(network.network_address), int(network.broadcast_address)


_IPV4_RANGES = tuple((*_bounds(text), space) for text, space in _IPV4)
_IPV6_RANGES = tuple((*_bounds(text), space) for text, space in _IPV6)
_CARRIER_RANGES = tuple((*_bounds(text), shift, mask) for text, shift, mask in _CARRIERS)


def classify(address: Address) -> Space:
    """Return the space of `address`; an IPv4 address carried inside counts if more private."""
    value = int(address)
    if value in _METADATA:
        return Space.METADATA
    if address.version == 4:
        return _lookup(value, _IPV4_RANGES)
    space = _lookup(value, _IPV6_RANGES)
    if value <= 1:
        return space  # :: and ::1 carry nothing
    return max((space, *(classify(carried) for carried in _carried(value))))


def _lookup(value: int, ranges: tuple[tuple[int, int, Space], ...]) -> Space:
    for first, last, space in ranges:
        if first <= value <= last:
            return space
    return Space.PUBLIC


def _carried(value: int) -> Iterator[IPv4Address]:
    for first, last, shift, mask in _CARRIER_RANGES:
        if first <= value <= last:
            yield IPv4Address(value >> shift & 0xFFFF_FFFF ^ mask)
    if value >> 32 & 0xFFFF_FFFF in _ISATAP:
        yield IPv4Address(value & 0xFFFF_FFFF)


def is_internal(host: str) -> bool:
    """Whether a name is one of this machine or of a network that is not public."""
    return "." not in host or host.endswith(_INTERNAL_SUFFIXES)


def is_own(address: Address) -> bool:
    """Whether `address` is one of this machine: only those can be bound to."""
    if address.is_loopback or address.is_unspecified:
        return True
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if mapped is not None:
        return is_own(mapped)
    import socket

    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
