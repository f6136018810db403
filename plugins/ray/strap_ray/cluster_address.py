"""Address of a Ray cluster: finding it, refusing unsafe ones, and setting Ray's environment."""

import os
import socket
import sys
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from strap.errors import StartupError

AUTO = "auto"
"""As address: what `RAY_ADDRESS` says, which a job of Ray has, or the cluster of this machine."""
REACH = 10.0
"""Seconds for a cluster to take a connection."""
ON_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""On Linux Ray listens on all interfaces unless it takes this for one of the others."""
_WITH_TOKEN = {"RAY_AUTH_MODE": "token"}
_TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_PROCESSES = Path("/proc")
_SOCKETS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LISTENS = "0A"
"""The state of a socket that takes connections, in Linux's tables of them."""
_FLAG = "--gcs-address="


def join(text: str, *, insecure: bool) -> str:
    """Return the address of a cluster, with the environment set that Ray wants for it.

    Raises `StartupError` where there is none, and where anybody who reaches it may run code.
    """
    address = _found_address() if text == AUTO else text
    check_address(address, insecure=insecure)
    _check_reached(address)
    if has_token():
        os.environ.update(_WITH_TOKEN)  # where it is named by its address Ray sends none by itself
    if _is_closed(address):
        _stay_on_loopback(address)
    return address


def check_address(address: str, *, insecure: bool) -> None:
    """Raise `StartupError` for a cluster on which anybody who reaches it may run code."""
    if insecure or has_token() or _is_loopback(_host(address)):
        return
    raise StartupError(
        f"The Ray cluster at {address!r} is asked without a token: whoever reaches it runs code.",
        hint="Set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN there and here, or give --insecure.",
    )


def has_token() -> bool:
    """Whether Ray has a token to send, in one of the three places where it looks."""
    if os.environ.get("RAY_AUTH_MODE", "token").lower() != "token":
        return False
    return any(map(os.environ.get, _TOKENS)) or Path("~/.ray/auth_token").expanduser().is_file()


def why_none_started(error: str) -> str:
    """Return what to do where Ray told this of workers that did not start, "" where that is all."""
    if "No module named 'strap" in error:
        return "Install this strap in the Python of Ray, on each machine of the cluster."
    if "never ran" in error and has_token():
        return "A cluster that was started without a token takes none: set RAY_AUTH_MODE=disabled."
    return ""


def _found_address() -> str:
    if address := os.environ.get("RAY_ADDRESS"):
        return address
    running = sorted(_running())
    if len(running) == 1:
        return running[0]
    if running:
        which = ", ".join(running)
        raise StartupError(f"Several clusters of Ray run here: {which}.", hint="Give --address.")
    raise StartupError(
        "No cluster of Ray runs on this machine, of you or of root.",
        hint="Start one (`ray start --head`), or give --address HOST:PORT; without --address "
        "strap starts a Ray of its own.",
    )


def _running() -> set[str]:
    """The addresses that raylets were given: what other users run is no cluster of this one's."""
    addresses = set[str]()
    for process in _PROCESSES.glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            name, *flags = (process / "cmdline").read_text("utf-8").split("\0")
            if Path(name).name == "raylet" and _users(process) in ({os.getuid()}, {0}):
                addresses.update(f.removeprefix(_FLAG) for f in flags if f.startswith(_FLAG))
    return addresses


def _users(process: Path) -> set[int]:
    """All four ids of its user: who starts a program of root's is the real one, and names it."""
    status = (process / "status").read_text("utf-8", "replace")
    return {int(uid) for uid in status.split("\nUid:")[1].split("\n")[0].split()}


def _check_reached(address: str) -> None:
    """Raise `StartupError` where nobody listens: Ray itself tries for minutes, and tells each."""
    try:
        parts = _parts(address)
        if parts.port is None:
            raise StartupError(
                f"{address!r} is not the address of a Ray cluster.",
                hint="Write HOST:PORT, as in 127.0.0.1:6379, or `auto`.",
            )
        socket.create_connection((parts.hostname, parts.port), timeout=REACH).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StartupError(f"Ray cannot be reached at {address!r}: {why}.") from None


def _stay_on_loopback(address: str) -> None:
    """Have Ray look for it there, and not at the address of this machine, where others may listen.

    Raises `StartupError` where it is too late for that: Ray reads it when it is imported.
    """
    if "ray" in sys.modules and ON_LOOPBACK.items() - os.environ.items():
        needed = " ".join(f"{name}={value}" for name, value in ON_LOOPBACK.items())
        raise StartupError(
            f"Ray was imported before it could be told that {address!r} is on loopback alone.",
            hint=f"Set {needed} in the environment before the program starts.",
        )
    os.environ.update(ON_LOOPBACK)


def _is_closed(address: str) -> bool:
    """Whether it is on loopback, and its port at the addresses of this machine may be another's."""
    if not _is_loopback(_host(address)):
        return False
    addresses = _listeners(_parts(address).port or 0)
    return not (addresses and all(listener.is_unspecified for listener in addresses))


def _listeners(port: int) -> set[IPv4Address | IPv6Address]:
    """The addresses at which somebody listens on a port, as proc_pid_net(5) tells."""
    addresses = set[IPv4Address | IPv6Address]()
    for table in _SOCKETS:
        with suppress(OSError):  # there is no second one without IPv6
            for line in table.read_text("ascii").splitlines()[1:]:
                local, _, state = line.split()[1:4]
                host, _, its_port = local.partition(":")
                if state == _LISTENS and int(its_port, 16) == port:
                    addresses.add(_ip_of(host))
    return addresses


def _ip_of(words: str) -> IPv4Address | IPv6Address:
    """The address that stands there as numbers of four bytes, in this machine's order of them."""
    numbers = (int(words[at : at + 8], 16) for at in range(0, len(words), 8))
    parsed = ip_address(b"".join(number.to_bytes(4, sys.byteorder) for number in numbers))
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _parts(address: str) -> SplitResult:
    return urlsplit(address if "://" in address else f"//{address}")


def _host(address: str) -> str:
    return address.removeprefix("ray://").rpartition(":")[0].strip("[]") or address


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
