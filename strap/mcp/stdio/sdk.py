"""A stdio connection served by the SDK, from where the early calls have left it."""

import logging
from typing import Any

import anyio
from mcp.server.lowlevel.server import Server

from strap import prepared_answers
from strap.mcp.server import WebServer
from strap.mcp.shutdown import Exit
from strap.mcp.stdio.fast_calls import FastCalls
from strap.mcp.stdio.handshake import Handshake
from strap.mcp.stdio.sdk_bridge import Channel
from strap.mcp.stdio.sdk_probe import record, stdio_options
from strap.mcp.stdio.writer import Writer
from strap.mcp.tool import WebTool

log = logging.getLogger(__name__)


async def serve(
    tool: WebTool, front: Handshake, early: FastCalls, writer: Writer, basis: Any, way: Exit
) -> None:
    """Serve the client until it is gone.

    `basis` is what the answers of the handshake follow from in truth. The `way` out ends all tasks
    of the SDK at once: each would fail for want of the others.
    """
    server = WebServer(tool)
    sdk = server.build()
    helpers = {name: helper.as_json() for name, helper in tool.router.helpers().items()}
    channel = Channel(front, sdk, early, writer, way)
    async with anyio.create_task_group() as tasks, channel.open() as (incoming, outgoing):
        way.end = tasks.cancel_scope.cancel
        if front.basis != basis:
            tasks.start_soon(_refresh, channel, front, sdk, {"basis": basis, "helpers": helpers})
        try:
            await sdk.run(incoming, outgoing, stdio_options(sdk))
        finally:
            with anyio.CancelScope(shield=True):
                await server.aclose()
        tasks.cancel_scope.cancel()


async def _refresh(channel: Channel, front: Handshake, sdk: Server[Any], facts: Any) -> None:
    """Tell the client that the front answered from an outdated cache, and mend the cache."""
    channel.tools_changed = front.basis is not None
    await channel.announce_change()
    with anyio.move_on_after(1, shield=True):
        try:
            prepared_answers.store({**facts, "answers": await record(sdk)})
        except OSError as error:
            log.info("The handshake answers cannot be kept: %s", error)
