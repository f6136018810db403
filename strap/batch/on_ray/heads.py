"""Which cluster is meant by an address, whether it may be joined, and how Ray has to be told."""

import os
import socket
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

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
_FLAG = "--gcs-address="


def join(given: str, *, insecure: bool) -> str:
    """Return the address of a cluster, with the environment set that Ray wants for it.

    Raises `StartupError` where there is none, and where anybody who reaches it may run code.
    """
    address = _found() if given == AUTO else given
    check_address(address, insecure=insecure)
    _check_reached(address)
    if has_token():
        os.environ.update(_WITH_TOKEN)  # where it is named by its address Ray sends none by itself
    if _is_closed(address):
        os.environ.update(ON_LOOPBACK)  # else Ray looks for it at the address of this machine
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


def why_none_started(told: str) -> str:
    """Return what to do where Ray told this of workers that did not start, "" where that is all."""
    if "No module named 'strap" in told:
        return "Install this strap in the Python of Ray, on each machine of the cluster."
    if "never ran" in told and has_token():
        return "A cluster that was started without a token takes none: set RAY_AUTH_MODE=disabled."
    return ""


def _found() -> str:
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
    found = set[str]()
    for process in _PROCESSES.glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            name, *flags = (process / "cmdline").read_text("utf-8").split("\0")
            if Path(name).name == "raylet" and _users(process) in ({os.getuid()}, {0}):
                found.update(f.removeprefix(_FLAG) for f in flags if f.startswith(_FLAG))
    return found


def _users(process: Path) -> set[int]:
    """All four ids of its user: who starts a program of root's is the real one, and names it."""
    status = (process / "status").read_text("utf-8", "replace")
    return {int(each) for each in status.split("\nUid:")[1].split("\n")[0].split()}


def _check_reached(address: str) -> None:
    """Raise `StartupError` where nobody listens: Ray itself tries for minutes, and tells each."""
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        if parts.port is None:
            raise StartupError(
                f"{address!r} is no address of a Ray cluster.",
                hint="Write HOST:PORT, as in 127.0.0.1:6379, or `auto`.",
            )
        socket.create_connection((parts.hostname, parts.port), timeout=REACH).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StartupError(f"Ray cannot be reached at {address!r}: {why}.") from None


def _is_closed(address: str) -> bool:
    """Whether it listens on loopback alone: who listens on all interfaces answers here as well."""
    if not _is_loopback(_host(address)):
        return False
    try:
        socket.create_connection(("127.0.0.2", int(address.rpartition(":")[2])), REACH).close()
    except (OSError, ValueError):
        return True
    return False


def _host(address: str) -> str:
    return address.removeprefix("ray://").rpartition(":")[0].strip("[]") or address


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
