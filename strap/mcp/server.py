"""The SDK's server with one tool; nothing but what `WebTool` answers leaves."""

import asyncio
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
from strap.mcp.asking import Ask, Ctx, Rounds, RunningCall, by_request
from strap.mcp.elicitation import confirmer, inviter
from strap.mcp.sampling import sampler
from strap.mcp.tasks import TASK_SECONDS, CreatedTask, Tasks, takes_tasks
from strap.mcp.tool import INSTRUCTIONS, NAME, CallResult, WebTool
from strap.version import __version__

Answer = CallToolResult | InputRequiredResult | CreatedTask
"""Answers to `tools/call`."""


class WebServer:
    """Serves `tool` over stdio; a subclass adapts it to another transport."""

    def __init__(self, tool: WebTool) -> None:
        self.tool = tool
        self.rounds = Rounds()
        self.tasks = Tasks()
        self._tools = [Tool.model_validate(tool.definition)]

    def caller(self, ctx: Ctx, ask: Ask | None) -> Caller:
        """Return the caller of a call, with the ways to ask it something."""
        return Caller(
            transport="stdio",
            sample=sampler(ctx, ask),
            confirm=confirmer(ctx, ask),
            invite=inviter(ctx, ask),
        )

    def tool_of(self, ctx: Ctx) -> WebTool:
        """Return the tool that answers a call."""
        return self.tool

    def build(self) -> Server[Any]:
        """Return the SDK's server."""
        server = Server(
            NAME,
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
        )
        server.add_request_handler("tools/call", CallToolRequestParams, self.call_tool)
        self.tasks.add_to(server, lambda ctx: self._owner(self.caller(ctx, None)))
        return server

    async def aclose(self) -> None:
        """End the calls whose client is not there now."""
        await asyncio.gather(self.rounds.aclose(), self.tasks.aclose())

    async def list_tools(self, ctx: Ctx, params: PaginatedRequestParams | None) -> ListToolsResult:
        """Answer `tools/list`."""
        return ListToolsResult(tools=self._tools)

    async def call_tool(self, ctx: Ctx, params: CallToolRequestParams) -> Answer:
        """Answer `tools/call`; nothing but `MCPError` and cancellation escapes."""
        name = self.tool.name
        if params.name != name:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name!r} (valid: {name}).")
        result = await self._answer(ctx, params)
        if isinstance(result, InputRequiredResult | CreatedTask):
            return result
        return CallToolResult.model_validate(result)

    async def _answer(
        self, ctx: Ctx, params: CallToolRequestParams
    ) -> CallResult | InputRequiredResult | CreatedTask:
        tool, ask, progress = self.tool_of(ctx), by_request(ctx), _progress(ctx)
        waits = params.request_state is not None or takes_tasks(ctx)
        if ask is not None or not (waits or tool.asks_caller(params.arguments)):
            return await tool.call(params.arguments, self.caller(ctx, ask), progress)
        known, patience = self.caller(ctx, None), TASK_SECONDS if takes_tasks(ctx) else None

        async def work(ask: Ask, report: Progress) -> CallResult:
            reporter = report if progress is not None or patience is not None else None
            return await tool.call(params.arguments, self.caller(ctx, ask), reporter)

        answer = await self.rounds.run(params, self._owner(known), work, progress, patience)
        if isinstance(answer, RunningCall):
            return self.tasks.keep(answer, self._owner(known))
        return answer

    @staticmethod
    def _owner(caller: Caller) -> object:
        return caller.principal, caller.session


def _progress(ctx: Ctx) -> Progress | None:
    if (ctx.meta or {}).get("progress_token") is None:
        return None

    async def report(message: str, done: float, total: float | None) -> None:
        await ctx.session.report_progress(done, total, message)

    return report
