"""`resources/list` and `resources/read` of MCP: the files that a client's own calls wrote."""

import asyncio
from collections.abc import Callable

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from strap.errors import ActionError
from strap.mcp.asking import Ctx
from strap.mcp.linked_files import LinkedFiles
from strap.text import short_repr

Owned = Callable[[Ctx], tuple[LinkedFiles, str | None]]
"""Tells whose links a request may follow: those of a principal, and of which session."""


def add_resources(server: "Server[object]", owned: Owned) -> None:
    """Let `server` offer the linked files of whoever asks."""

    async def list_resources(
        ctx: Ctx, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        files, session = owned(ctx)
        return ListResourcesResult.model_validate({"resources": files.listed(session)})

    async def read_resource(ctx: Ctx, params: ReadResourceRequestParams) -> ReadResourceResult:
        files, session = owned(ctx)
        uri = str(params.uri)
        link, _, query = uri.partition("?")
        file = files.find(link, session)
        if file is None:
            raise MCPError(INVALID_PARAMS, f"Resource not found: {short_repr(uri)}.", {"uri": uri})
        try:
            contents = await asyncio.to_thread(file.read, query)
        except ActionError as error:
            raise MCPError(INVALID_PARAMS, str(error), {"uri": uri}) from None
        return ReadResourceResult.model_validate({"contents": [contents]})

    server.add_request_handler("resources/list", PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/read", ReadResourceRequestParams, read_resource)
