"""Marks that hit, faults that audits find, questions that a layout answers."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table
from strap import Config, Result, open_router

Call = Callable[..., Awaitable[Result]]
PARTS = ("marks", "audits", "questions")


def measure(bench: Bench) -> list[Table]:
    """Take all parts, or the one that is asked for."""
    modules = (import_module(f"benchmarks.of_looking.{part}") for part in _parts(bench))
    return [asyncio.run(module.measured(bench)) for module in modules]


def _parts(bench: Bench) -> Sequence[str]:
    return [bench.part] if bench.part else PARTS


@asynccontextmanager
async def browser() -> AsyncIterator[Call]:
    """Open a browser of strap in this process, for calls of its actions."""
    with tempfile.TemporaryDirectory() as folder:
        config = replace(Config.load(network="local"), home=Path(folder), outputs=Path(folder))
        settings: dict[str, Any] = {"headless": True, "auto_launch": True}
        config = replace(config, plugins={**config.plugins, "browser": settings})
        async with open_router(config=config) as router:
            call = partial(_call, router.call)
            await call("launch")
            yield call


async def _call(
    call: Callable[[dict[str, Any]], Awaitable[Result]], action: str, **fields: Any
) -> Result:
    return await call({"resource": "browser", "action": action, **fields})
