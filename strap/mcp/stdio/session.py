"""The life of a stdio server: from the first line of its client to the last clean-up."""

import asyncio
import gc
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from strap.config import Config
from strap.lazy_packages import defer_initialisers
from strap.mcp.messages.requests import TASKS
from strap.mcp.shutdown import GRACE, Exit, leave_in_time, on_signals
from strap.mcp.stdio.fast_calls import FastCalls
from strap.mcp.stdio.handshake import Handshake
from strap.mcp.stdio.writer import Writer
from strap.mcp.tool import INSTRUCTIONS, WebTool
from strap.prepared_answers import forget
from strap.routing.assembly import make_router

SDK = ("mcp", "mcp.server")
"""Their `__init__` imports the client and the high-level server: a quarter of the import time."""
Serve = Callable[[WebTool, Handshake, FastCalls, Writer, Any, Exit], Awaitable[None]]


def prepare(config: Config, plugins: tuple[tuple[str, Any], ...], front: Handshake) -> WebTool:
    """Return the tool of a stdio server; raises `StartupError`."""
    with without_collection():
        router = make_router(config, default_network="local", extra=plugins, helpers=front.helpers)
        router.plugins.report()
        return WebTool(router)


async def serve_client(tool: WebTool, front: Handshake) -> None:
    """Serve the client behind `front` until it is gone or a signal comes; then close the router.

    The SDK is loaded when a message needs it: most clients make plain calls alone.
    """
    basis = json.loads(json.dumps([tool.definition, INSTRUCTIONS, TASKS]))
    async with tool.router:
        way = Exit(tool.router.end_calls, lambda: tool.running)
        serving = asyncio.create_task(_serve(tool, front, basis, way), name="serve client")
        way.end = serving.cancel
        watching = asyncio.create_task(_watch_parent(way), name="watch parent")
        leaving = set[asyncio.Task[None]]()
        on_signals(lambda: leaving.add(asyncio.create_task(way.leave(), name="leave")))
        try:
            await serving
        except asyncio.CancelledError:
            if not serving.cancelled():
                raise
        finally:
            for task in (watching, *leaving):
                task.cancel()
            if any(early.wasted for early in front.helpers.values()):
                forget()


async def _serve(tool: WebTool, front: Handshake, basis: Any, way: Exit) -> None:
    writer = Writer(front.wire)
    early = FastCalls(front, tool, writer)
    way.settled = early.finish
    try:
        if front.basis == basis:
            await early.until_needed()
        if early.ended:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await early.finish()
            await way.settle()
        else:
            await _load_sdk()(tool, front, early, writer, basis, way)
    finally:
        await early.aclose()


@contextmanager
def without_collection() -> Iterator[None]:
    """Import without the garbage collector, and let it look at nothing that exists afterwards.

    What was imported is never garbage: collecting it during the import and again at exit would
    take a third of a second.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _load_sdk() -> Serve:
    with without_collection():
        defer_initialisers(*SDK)
        from strap.mcp.stdio.sdk import serve

        return serve


async def _watch_parent(way: Exit) -> None:
    """Leave when the client died without the end of input, as with a pipe that others hold."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - it sends no event
        await asyncio.sleep(1)
    leave_in_time()
    way.end()
