"""Start Playwright's driver process at once, while Playwright's own modules are imported."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import Playwright

_LIMIT = 32768
"""Bytes that asyncio reads ahead, as in Playwright's own transport."""


async def start_driver(cache: Path) -> "Playwright":
    """Return Playwright with its driver; Node keeps its compiled code in the folder `cache`.

    Import and start take a third of a second each: they go on side by side.
    """
    process = await _spawn(cache)
    try:
        module = await asyncio.to_thread(import_module, "playwright.async_api")
        with _adopted(process):
            playwright: Playwright = await module.async_playwright().start()
    except BaseException:
        if process.returncode is None:
            process.kill()
        raise
    return playwright


async def _spawn(cache: Path) -> Process:
    from playwright._impl._driver import compute_driver_executable, get_driver_env

    cache.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - a local folder
    environment = {"NODE_COMPILE_CACHE": str(cache), **get_driver_env()}
    node, script = compute_driver_executable()
    return await asyncio.create_subprocess_exec(
        node, script, "run-driver", stdin=PIPE, stdout=PIPE, limit=_LIMIT, env=environment
    )


@contextmanager
def _adopted(process: Process) -> Iterator[None]:
    """Let Playwright talk to `process` instead of starting a driver of its own.

    It offers no parameter for that, so the class of its transport is replaced meanwhile.
    """
    module: Any = import_module("playwright._impl.out_of_process")
    original = module.PipeTransport

    class Transport(original):  # type: ignore[misc, valid-type]
        async def connect(self) -> None:
            self._stopped_future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._proc = process
            self._output = process.stdin

    module.PipeTransport = Transport
    try:
        yield
    finally:
        module.PipeTransport = original
