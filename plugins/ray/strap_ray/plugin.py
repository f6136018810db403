"""The hooks of the plugin that runs batches on Ray."""

from collections.abc import Iterable
from typing import Any

from strap import Config, Diagnosis, Executor, Extra, hookimpl

RAY = Extra(name="ray", modules=("ray",))


async def _open(config: Config, options: Any) -> Any:
    from strap_ray.engine import RayEngine  # imports asyncio's queues and the router: not at start

    return await RayEngine.open(config, options)


@hookimpl
def strap_register_executors(config: Config) -> Iterable[Executor]:
    """Run batches on workers of Ray, on this machine or a cluster."""
    del config
    return [Executor(name="ray", open=_open, extra=RAY)]


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Tell whether Ray is installed."""
    del config
    return [Diagnosis.of_extra(RAY)]
