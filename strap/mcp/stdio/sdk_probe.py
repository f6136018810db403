"""Short conversations with the SDK's server inside the process, apart from any connection."""

from collections.abc import Sequence
from typing import Any

import anyio
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from strap.mcp.messages.requests import CAPABILITIES, MODERN, PROTOCOL


def stdio_options(server: Server[Any]) -> InitializationOptions:
    """Return the options of `initialize` over stdio: the front may have listed an outdated tool."""
    return server.create_initialization_options(NotificationOptions(tools_changed=True))


async def ask(server: Server[Any], requests: Sequence[JSONRPCMessage]) -> list[JSONRPCMessage]:
    """Open a connection of its own, send `requests` in order and return the answer to each."""
    to_server, server_in = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    server_out, from_server = anyio.create_memory_object_stream[SessionMessage](1)
    answers = []
    async with anyio.create_task_group() as tasks, to_server, from_server:
        tasks.start_soon(server.run, server_in, server_out, stdio_options(server))
        for request in requests:
            await to_server.send(SessionMessage(request))
            answers.append((await from_server.receive()).message)
        to_server.close()
    return answers


async def record(server: Server[Any]) -> dict[str, dict[str, Any]]:
    """Return the SDK's results of the opening requests, by method and protocol version."""
    answers: dict[str, dict[str, Any]] = {}
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        client = {"name": "strap", "version": "0"}
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        opening = [("initialize", hello), ("tools/list", {}), ("ping", {})]
        await _add(answers, server, version, opening)
    modern = {"_meta": {PROTOCOL: MODERN, CAPABILITIES: {}}}
    await _add(answers, server, MODERN, [("server/discover", modern), ("tools/list", modern)])
    return answers


async def _add(
    answers: dict[str, dict[str, Any]],
    server: Server[Any],
    version: str,
    opening: Sequence[tuple[str, dict[str, Any]]],
) -> None:
    messages = [
        jsonrpc_message_adapter.validate_python(
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        )
        for number, (method, params) in enumerate(opening)
    ]
    for (method, _), reply in zip(opening, await ask(server, messages), strict=True):
        result = reply.model_dump(mode="json", by_alias=True, exclude_unset=True)["result"]
        answers.setdefault(method, {})[version] = result
