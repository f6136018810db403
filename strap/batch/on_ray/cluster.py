"""Where the workers run: a Ray of our own, closed to others, or a cluster that wants a token."""

import logging
import os
import secrets
import shutil
import socket
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from strap.api.extras import Extra
from strap.batch.engine import NoWorkers
from strap.batch.on_ray.homes import make_ray_folder, sweep
from strap.batch.options import BatchOptions
from strap.errors import StartupError

RAY = Extra(name="ray", modules=("ray",))
STORE = 100 * 1024 * 1024
"""Bytes of Ray's object store, whose least is 75 MB: rows are small."""
REACH = 10.0
"""Seconds for a cluster to take a connection."""
LOCAL = {
    # On Linux Ray listens on all interfaces unless it takes this for one of the others.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Environment of a Ray of our own, beside a token that only it and its children know."""


class Cluster:
    """Ray, started or joined; `ray` is its module."""

    def __init__(self, options: BatchOptions) -> None:
        """Start Ray or join a cluster; raises `NoWorkers` where it may go another time.

        Raises `StartupError` for what will not go away by itself.
        """
        if RAY.missing:
            what = "The engine 'ray' needs the extra 'ray'."
            raise StartupError(what, hint=f"Install it: {RAY.install}")
        self._folder: Path | None = None
        if options.address is None:
            sweep()  # what a driver left that was killed
            self._folder = make_ray_folder()
            os.environ.update(LOCAL, RAY_AUTH_TOKEN=secrets.token_hex(32))
        else:
            check_address(options.address, insecure=options.insecure)
            _check_reached(options.address)
        import ray

        self.ray: Any = ray
        where: dict[str, Any] = {"address": options.address}
        if self._folder is not None:
            where = {"include_dashboard": False, "object_store_memory": STORE}
            where |= {"address": "local", "_temp_dir": str(self._folder)}
        try:
            ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
        except Exception as error:  # noqa: BLE001 - as Ray raises when it was too slow
            self.close()
            raise self._failed(error) from None

    @property
    def own(self) -> bool:
        """Whether it was started here, on this machine."""
        return self._folder is not None

    def _failed(self, error: Exception) -> StartupError:
        if self.own:
            return NoWorkers(f"Ray did not start: {error}")
        return StartupError(f"Ray cannot be reached: {error}")

    def room(self) -> int:
        """Return how many workers it has CPUs for."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def close(self) -> None:
        """Leave the cluster; where it is our own it ends, and nothing is left of it."""
        self.ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def check_address(address: str, *, insecure: bool) -> None:
    """Raise `StartupError` for a cluster on which anybody who reaches it may run code."""
    host = address.removeprefix("ray://").rpartition(":")[0].strip("[]") or address
    token = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if insecure or token or _is_loopback(host):
        return
    raise StartupError(
        f"The Ray cluster at {address!r} is asked without a token: whoever reaches it runs code.",
        hint="Set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN there and here, or give --insecure.",
    )


def _check_reached(address: str) -> None:
    """Raise `StartupError` where nobody listens: Ray itself tries for minutes, and tells each."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        if parts.port is not None:  # else Ray looks for it
            socket.create_connection((parts.hostname, parts.port), timeout=REACH).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StartupError(f"Ray cannot be reached at {address!r}: {why}.") from None


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
