"""Warnings for the operator of a server that other machines reach."""

import socket
from collections.abc import Collection, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

SHORT_TOKEN = 16
"""Characters: below that a token can be guessed in the time that a server runs."""


def is_loopback(listener: socket.socket) -> bool:
    """Whether the server can be reached from this machine alone."""
    return _address(listener).is_loopback


def warnings(
    listener: socket.socket, host: str, names: Collection[str], token: str | None
) -> Iterator[str]:
    """Yield what will surprise clients, or is weak.

    `host` is what was asked to be bound, `token` the one of the command line.
    """
    if is_loopback(listener):
        return
    if token is not None and len(token) < SHORT_TOKEN:
        yield (
            f"the token has {len(token)} characters and can be guessed: "
            f"take {SHORT_TOKEN} random ones or more."
        )
    if names:
        return
    if _address(listener).is_unspecified:
        yield (
            f"other machines can call it {socket.gethostname()!r} only: give the address or name "
            "that they write into the URL with --name."
        )
    elif host not in (listener.getsockname()[0], socket.gethostname()):
        yield f"requests for {host!r} are refused: clients that call it so need --name {host}."


def _address(listener: socket.socket) -> IPv4Address | IPv6Address:
    return ip_address(listener.getsockname()[0].partition("%")[0])
