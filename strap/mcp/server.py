"""The SDK's server with one tool: a `Result` becomes a `CallToolResult` and nothing else leaves."""

import logging
from base64 import b64encode
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from strap import __version__
from strap.calls import Caller, Progress
from strap.errors import StrapError
from strap.mcp.frames import mend, mend_all
from strap.results import Result
from strap.router import Router
from strap.schema import tool_definition

NAME = "strap"
INSTRUCTIONS = (
    "One tool, web(resource, action, …), reaches the web: fetch pages, search, drive a browser. "
    "The tool's description lists every action with its fields; action=help explains a resource, "
    "or one action given as value. An error says what to call next."
)
ERROR_META = "strap/error"
"""Key of a failed result's `_meta` that holds `code` and `retryable` for programs."""
MAX_CALLS = 64
"""Calls that run at a time, of all clients together."""

log = logging.getLogger(__name__)
Ctx = ServerRequestContext[Any, Any]


class WebServer:
    """Serves the tool of `router` over stdio; a subclass adapts it to another transport."""

    def __init__(self, router: Router, *, max_calls: int = MAX_CALLS) -> None:
        self.definition = tool_definition(router.catalog)
        self.router = router
        self.running = 0
        """Number of calls that run now."""
        self._max_calls = max_calls
        self._tools = [Tool.model_validate(self.definition)]

    def caller(self, ctx: Ctx) -> Caller:
        """Who makes a call."""
        return Caller(transport="stdio")

    def fit(self, result: CallToolResult) -> CallToolResult:
        """Return `result`, or another one in place of what the transport cannot carry."""
        return result

    def build(self) -> Server[Any]:
        """Return the SDK's server."""
        return Server(
            NAME,
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
        )

    async def list_tools(self, ctx: Ctx, params: PaginatedRequestParams | None) -> ListToolsResult:
        """Answer `tools/list`."""
        return ListToolsResult(tools=self._tools)

    async def call_tool(self, ctx: Ctx, params: CallToolRequestParams) -> CallToolResult:
        """Answer `tools/call`; nothing but `MCPError` and cancellation escapes."""
        name = self.definition["name"]
        if params.name != name:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name!r} (valid: {name}).")
        if self.running >= self._max_calls:
            return failure(
                f"{self._max_calls} calls are running already. Repeat this one when one is done.",
                code="busy",
                retryable=True,
            )
        self.running += 1
        try:
            return self.fit(await self.answer(ctx, params))
        except Exception:
            log.exception("Unexpected error in a call of %s", name)
            return failure("Internal error; the details are in strap's log.", code="internal")
        finally:
            self.running -= 1

    async def answer(self, ctx: Ctx, params: CallToolRequestParams) -> CallToolResult:
        """Answer a call of the tool."""
        result, error = await self.router.answer(
            mend_all(params.arguments or {}), caller=self.caller(ctx), progress=_progress(ctx)
        )
        return _convert(result, error)


def failure(text: str, *, code: str, retryable: bool = False) -> CallToolResult:
    """Return a failed result with its code for programs."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        is_error=True,
        _meta={ERROR_META: {"code": code, "retryable": retryable}},
    )


def _convert(result: Result, error: StrapError | None) -> CallToolResult:
    if error is not None:
        return failure(mend(result.text), code=error.code, retryable=error.retryable)
    texts = [TextContent(type="text", text=mend(result.text))] if result.text else []
    images = [
        ImageContent(type="image", data=b64encode(i.data).decode(), mime_type=i.mime)
        for i in result.images
    ]
    return CallToolResult(content=[*texts, *images], is_error=result.is_error)


def _progress(ctx: Ctx) -> Progress:
    async def report(message: str, done: float, total: float | None) -> None:
        await ctx.session.report_progress(done, total, mend(message))

    return report
