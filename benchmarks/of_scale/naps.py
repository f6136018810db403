"""A plugin whose one action takes as long as it is told: what is around a call is measured."""

import asyncio
from typing import Any

from strap import Config, Context, Params, Resource, Result, action, hookimpl


class _Nap(Params):
    number: float


@action("bench", effect="read")
async def nap(params: _Nap, ctx: Context[Any]) -> Result:
    """Take so many seconds."""
    await asyncio.sleep(params.number)
    return Result(text="awake")


def call(seconds: float) -> dict[str, Any]:
    """Return the arguments of a call that takes so long."""
    return {"resource": "bench", "action": "nap", "number": seconds}


class Naps:
    """The plugin."""

    @hookimpl
    def strap_register_resources(self, config: Config) -> list[Resource]:
        return [Resource(name="bench", summary="For measuring.")]

    @hookimpl
    def strap_register_actions(self, config: Config) -> list[Any]:
        return [nap]
