"""The life of a stdio server: from the first line of its client to the last clean-up."""

import gc
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio

from strap.config import Config
from strap.mcp.early import EarlyCalls
from strap.mcp.front import Front
from strap.mcp.leaving import GRACE, leave_in_time, on_signals
from strap.mcp.packages import defer_initialisers
from strap.mcp.tool import INSTRUCTIONS, WebTool
from strap.mcp.writer import Writer
from strap.opening import make_router

Serve = Callable[[WebTool, Front, EarlyCalls, Writer, Any], Awaitable[None]]


def prepare(config: Config, plugins: tuple[tuple[str, Any], ...], front: Front) -> WebTool:
    """Return the tool of a stdio server; raises `StartupError`."""
    with without_collection():
        router = make_router(config, default_network="local", extra=plugins, helpers=front.helpers)
        return WebTool(router)


async def serve_client(tool: WebTool, front: Front) -> None:
    """Serve the client behind `front` until it is gone or a signal comes; then close the router.

    The SDK is loaded when a message needs it: most clients make plain calls alone.
    """
    basis = json.loads(json.dumps([tool.definition, INSTRUCTIONS]))
    async with tool.router:
        with anyio.CancelScope() as scope:
            on_signals(scope.cancel)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_watch_parent, tasks.cancel_scope)
                writer = Writer(front.wire)
                early = EarlyCalls(front, tool, writer, tasks)
                if front.basis == basis:
                    await early.until_needed()
                if early.ended:
                    with anyio.move_on_after(GRACE):
                        await early.finish()
                else:
                    await _load_sdk()(tool, front, early, writer, basis)
                tasks.cancel_scope.cancel()


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
        defer_initialisers()
        from strap.mcp.sdk import serve

        return serve


async def _watch_parent(scope: anyio.CancelScope) -> None:
    """Leave when the client died without the end of input, as with a pipe that others hold."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - it sends no event
        await anyio.sleep(1)
    leave_in_time()
    scope.cancel()
