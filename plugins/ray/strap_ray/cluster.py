"""Ray for the workers: one started here, closed to others, or a cluster that requires a token."""

import logging
import os
import secrets
import shutil
from pathlib import Path
from typing import Any

from strap.batch.engine import NoWorkers
from strap.batch.options import BatchOptions
from strap.errors import StartupError
from strap_ray.cluster_address import ON_LOOPBACK, has_token, join
from strap_ray.ray_dirs import make_ray_folder, sweep

STORE = 100 * 1024 * 1024
"""Bytes of Ray's object store, whose least is 75 MB: rows are small."""
LOCAL = {
    **ON_LOOPBACK,
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
        self._folder: Path | None = None
        where: dict[str, Any]
        if options.address is None:
            sweep()  # what a driver left that was killed
            self._folder = make_ray_folder()
            os.environ.update(LOCAL, RAY_AUTH_TOKEN=secrets.token_hex(32))
            where = {"include_dashboard": False, "object_store_memory": STORE}
            where |= {"address": "local", "_temp_dir": str(self._folder)}
        else:
            where = {"address": join(options.address, insecure=options.insecure)}
        import ray

        self.ray: Any = ray
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
        why = str(error).strip().removesuffix(".")
        hint = "If it wants a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN."
        if has_token():
            hint = "Its token has to be the one given here (RAY_AUTH_TOKEN)."
        return StartupError(f"Ray cannot be reached: {why}.", hint=hint)

    def room(self) -> int:
        """Return how many workers it has CPUs for."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def close(self) -> None:
        """Leave the cluster; where it is our own it ends, and nothing is left of it."""
        self.ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
