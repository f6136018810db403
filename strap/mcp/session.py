"""The life of a stdio server: from a loaded SDK to the last clean-up."""

import json
import logging
import os
from typing import Any

import anyio
from mcp.server.lowlevel.server import Server

from strap.config import Config
from strap.mcp import prepared
from strap.mcp.channel import Channel
from strap.mcp.exchange import record, stdio_options
from strap.mcp.front import Front
from strap.mcp.leaving import leave_in_time, on_signals
from strap.mcp.server import INSTRUCTIONS, WebServer
from strap.opening import make_router

log = logging.getLogger(__name__)


def prepare(config: Config, plugins: tuple[tuple[str, Any], ...]) -> WebServer:
    """Return the server of a stdio client; raises `StartupError`."""
    router = make_router(config, default_network="local", extra=plugins)
    return WebServer(router)


async def serve_client(server: WebServer, front: Front) -> None:
    """Serve the client behind `front` until it is gone or a signal comes; then close the router."""
    sdk = server.build()
    channel = Channel(front, sdk, leave_in_time)
    async with server.router:
        with anyio.CancelScope() as scope:
            on_signals(scope.cancel)
            async with anyio.create_task_group() as tasks, channel.open() as (incoming, outgoing):
                tasks.start_soon(_watch_parent, tasks.cancel_scope)
                tasks.start_soon(_refresh, channel, front, sdk, server.definition)
                await sdk.run(incoming, outgoing, stdio_options(sdk))
                tasks.cancel_scope.cancel()


async def _watch_parent(scope: anyio.CancelScope) -> None:
    """Leave when the client died without the end of input, as with a pipe that others hold."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - it sends no event
        await anyio.sleep(1)
    leave_in_time()
    scope.cancel()


async def _refresh(
    channel: Channel, front: Front, sdk: Server[Any], definition: dict[str, Any]
) -> None:
    """Compare what the front answered with the real catalog; mend the cache and tell the client."""
    real = json.loads(json.dumps([definition, INSTRUCTIONS]))
    if front.basis == real:
        return
    channel.tools_changed = front.basis is not None
    await channel.announce_change()
    with anyio.move_on_after(1, shield=True):
        try:
            prepared.store({"basis": real, "answers": await record(sdk)})
        except OSError as error:
            log.info("The handshake answers cannot be kept: %s", error)
