"""Playwright's driver, a Node process: it is started here, and Playwright adopts it."""

import asyncio
import os
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, Any

from strap import Environment

if TYPE_CHECKING:
    from playwright.async_api import Playwright

_LIMIT = 32768
"""Bytes that asyncio reads ahead, as in Playwright's own transport."""
_PATIENCE = 0.3
"""Seconds that the driver gets to end; the whole process has less than two."""
_STEP = 0.005
"""Seconds between two looks whether the driver has ended, which takes it some 20 of these."""
_CACHE = "NODE_COMPILE_CACHE"
_YOUNG = "--min-semi-space-size=8"
"""MiB for new objects: with the usual 1, Node spends a fifth of its start on moving them."""


def _start(environment: Environment) -> "Popen[bytes] | None":
    """Start the driver; Node keeps its compiled code in strap's cache.

    Unless the environment names another place for that.
    """
    from playwright._impl._driver import compute_driver_executable, get_driver_env

    if os.name == "nt":
        return None  # asyncio adopts no pipes there
    node, script = compute_driver_executable()
    names = ("PW_LANG_NAME", "PW_LANG_NAME_VERSION", "PW_CLI_DISPLAY_VERSION")
    environ = {name: value for name, value in get_driver_env().items() if name in names}
    cache = os.environ.get(_CACHE) or str(environment.config.home / "cache" / "node")
    limits = str(Path(__file__).with_name("driver.cjs"))
    return Popen(  # noqa: S603 - Playwright's own
        (node, _YOUNG, "--require", limits, script, "run-driver"),
        stdin=PIPE,
        stdout=PIPE,
        bufsize=0,
        env={**os.environ, _CACHE: cache, **environ},
    )


async def start_driver(environment: Environment, ended: Callable[[], None]) -> "Playwright":
    """Return Playwright with its driver; `ended` is called when that has ended.

    Import and start take a third of a second each: they go on side by side.
    """
    process = _start(environment)
    try:
        module = await asyncio.to_thread(import_module, "playwright.async_api")
        driver = await _Driver.adopt(process, ended) if process is not None else None
        with _adopted(driver) if driver else nullcontext():
            playwright: Playwright = await module.async_playwright().start()
    except BaseException:
        if process is not None:
            process.kill()
            process.wait()
        raise
    return playwright


class _Driver:
    """What Playwright's transport needs of asyncio's `Process`, around one of `subprocess`."""

    def __init__(
        self,
        process: "Popen[bytes]",
        stdin: StreamWriter,
        stdout: StreamReader,
        ended: Callable[[], None],
    ) -> None:
        self._process = process
        self.stdin = stdin
        self.stdout = stdout
        self.ended = ended

    @classmethod
    async def adopt(cls, process: "Popen[bytes]", ended: Callable[[], None]) -> "_Driver":
        loop = asyncio.get_running_loop()
        stdout = StreamReader(limit=_LIMIT, loop=loop)
        await loop.connect_read_pipe(lambda: StreamReaderProtocol(stdout), process.stdout)
        writing, protocol = await loop.connect_write_pipe(
            lambda: StreamReaderProtocol(StreamReader(loop=loop)), process.stdin
        )
        return cls(process, StreamWriter(writing, protocol, None, loop), stdout, ended)

    async def communicate(self) -> None:
        """Return when the process has ended."""
        self.stdin.close()
        while self._process.poll() is None:  # noqa: ASYNC110 - it sends no event
            await asyncio.sleep(_STEP)

    def kill(self) -> None:
        """End the process, should it still run: it may be busy with pages that nobody needs."""
        if self._process.poll() is None:
            self._process.kill()


@contextmanager
def _adopted(driver: _Driver) -> Iterator[None]:
    """Let Playwright talk to `driver` instead of starting one of its own.

    It offers no parameter for that, so the class of its transport is replaced meanwhile.
    """
    module: Any = import_module("playwright._impl.out_of_process")
    original = module.PipeTransport

    class Transport(original):  # type: ignore[misc, valid-type]
        async def connect(self) -> None:
            self._stopped_future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._proc = driver
            self._output = driver.stdin

        async def run(self) -> None:
            try:
                await super().run()
            finally:
                driver.ended()

        def request_stop(self) -> None:
            super().request_stop()
            asyncio.get_running_loop().call_later(_PATIENCE, driver.kill)

    module.PipeTransport = Transport
    try:
        yield
    finally:
        module.PipeTransport = original
