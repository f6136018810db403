"""Run as `python -m tests.mcp.conformance.serve`: strap over HTTP with the suite's fixtures on it.

Host, origin, sessions, limits, errors and the tool `web` are strap's own; beside them the tools,
resources and prompts are served that the suite calls by their fixed names.
"""

from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types import ListToolsResult, Tool

from strap.config import load
from strap.mcp.http import server as http

from .calls import TOOLS
from .documents import HANDLERS
from .long_calls import LONG, answer


class FixtureServer(http.HttpServer):
    def build(self):
        server = super().build()
        for method, (params, handler) in HANDLERS.items():
            server.add_request_handler(method, params, handler)
        boundary = RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="strap")
        server.middleware.append(boundary)
        return server

    async def list_tools(self, ctx, params):
        own = await super().list_tools(ctx, params)
        fixtures = [
            Tool(name=name, description="For the suite.", input_schema=schema)
            for name, schema in {
                **{name: schema for name, (schema, _) in TOOLS.items()},
                **{name: {"type": "object"} for name in LONG},
            }.items()
        ]
        return ListToolsResult(tools=[*own.tools, *fixtures])

    async def call_tool(self, ctx, params):
        if params.name in TOOLS:
            return await TOOLS[params.name][1](ctx, params)
        if params.name in LONG:
            return await answer(self, ctx, params)
        return await super().call_tool(ctx, params)


if __name__ == "__main__":
    http.HttpServer = FixtureServer
    http.serve(load(), port=0)
