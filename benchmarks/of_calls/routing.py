"""Cost of the router per call: validation, wrappers, policy, state, limit, bound."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.bench import Bench, Table
from strap import Context, Params, Resource, Result, action, hookimpl, testing


class Nothing(Params):
    url: str


@action("nothing", effect="read")
async def do(params: Nothing, ctx: Context[Any]) -> Result:
    """Do nothing."""
    return ANSWER


ANSWER = Result(text="ok")


@hookimpl
def strap_register_resources(config: Any) -> list[Resource]:
    return [Resource(name="nothing", summary="Nothing.")]


@hookimpl
def strap_register_actions(config: Any) -> list[Callable[..., Any]]:
    return [do]


PLUGIN = SimpleNamespace(
    __name__="nothing",
    strap_register_resources=strap_register_resources,
    strap_register_actions=strap_register_actions,
)
ARGUMENTS = {"resource": "nothing", "action": "do", "url": "https://example.com/"}


def measure(bench: Bench) -> Table:
    took = asyncio.run(_measure(bench.runs(5_000, 1_000)))
    columns = ("", "median, µs", "min, µs", "95 %, µs")
    return Table(title="Router, per call in this process", columns=columns, rows=took)


async def _measure(runs: int) -> list[list[Any]]:
    params = Nothing(url=ARGUMENTS["url"])
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        async with testing.router(PLUGIN, home=Path(folder)) as web:
            through = await _time(lambda: web.router.answer(ARGUMENTS), runs)
            # The action itself uses neither of its arguments' contents.
            direct = await _time(lambda: do(params, None), runs)  # type: ignore[arg-type]
    return [["through the router", *through], ["the action itself", *direct]]


async def _time(call: Callable[[], Awaitable[Any]], runs: int) -> list[str]:
    took: list[float] = []
    for _ in range(runs):
        started = time.perf_counter()
        await call()
        took.append((time.perf_counter() - started) * 1e6)
    took.sort()
    figures = statistics.median(took), took[0], took[int(len(took) * 0.95)]
    return [f"{value:.1f}" for value in figures]
