"""The SDK's server with one tool; nothing but what `WebTool` answers leaves."""

from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)

from strap.api.calls import Caller, Progress
from strap.mcp.asking import Ask, Ctx, Rounds, by_request
from strap.mcp.elicitation import confirmer, inviter
from strap.mcp.sampling import sampler
from strap.mcp.tool import INSTRUCTIONS, NAME, CallResult, WebTool
from strap.version import __version__


class WebServer:
    """Serves `tool` over stdio; a subclass adapts it to another transport."""

    def __init__(self, tool: WebTool) -> None:
        self.tool = tool
        self.rounds = Rounds()
        self._tools = [Tool.model_validate(tool.definition)]

    def caller(self, ctx: Ctx, ask: Ask | None) -> Caller:
        """Who makes a call, and can be asked something."""
        return Caller(
            transport="stdio",
            sample=sampler(ctx, ask),
            confirm=confirmer(ctx, ask),
            invite=inviter(ctx, ask),
        )

    def tool_of(self, ctx: Ctx) -> WebTool:
        """What answers a call."""
        return self.tool

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

    async def call_tool(
        self, ctx: Ctx, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Answer `tools/call`; nothing but `MCPError` and cancellation escapes."""
        name = self.tool.name
        if params.name != name:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name!r} (valid: {name}).")
        result = await self._answer(ctx, params)
        if isinstance(result, InputRequiredResult):
            return result
        return CallToolResult.model_validate(result)

    async def _answer(
        self, ctx: Ctx, params: CallToolRequestParams
    ) -> CallResult | InputRequiredResult:
        tool, ask, progress = self.tool_of(ctx), by_request(ctx), _progress(ctx)
        repeats = params.request_state is not None
        if ask is not None or not (repeats or tool.asks_caller(params.arguments)):
            return await tool.call(params.arguments, self.caller(ctx, ask), progress)
        known = self.caller(ctx, None)

        async def work(ask: Ask, report: Progress) -> CallResult:
            told = None if progress is None else report
            return await tool.call(params.arguments, self.caller(ctx, ask), told)

        return await self.rounds.run(params, (known.principal, known.session), work, progress)


def _progress(ctx: Ctx) -> Progress | None:
    if (ctx.meta or {}).get("progress_token") is None:
        return None

    async def report(message: str, done: float, total: float | None) -> None:
        await ctx.session.report_progress(done, total, message)

    return report
