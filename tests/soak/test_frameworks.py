"""The ways that docs/frameworks.md shows, each with the framework in an environment of its own."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak
ASK = "{'resource': 'http', 'action': 'help'}"
ROOT = Path(__file__).resolve().parents[2]
SERVE = """
import re
import subprocess

def serve(use):
    words = ["strap", "serve", "--http", "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        found = (re.search("http:[^ ]*/mcp", line) for line in server.stderr)
        url = next(filter(None, found))[0]
        try:
            asyncio.run(use(url))
        finally:
            server.terminate()
"""
"""Gives `use` the URL of a server over HTTP."""
FRAMEWORKS = {
    "openai-agents": f"""
import asyncio
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
{SERVE}
async def use(server):
    async with server as web:
        assert [tool.name for tool in await web.list_tools()] == ["web"]
        print(await web.call_tool("web", {ASK}))

params = {{"command": "strap", "args": ["serve"]}}
asyncio.run(use(MCPServerStdio(params=params, client_session_timeout_seconds=60)))
serve(lambda url: use(MCPServerStreamableHttp(params={{"url": url}})))
""",
    "openai-agents STRAP": f"""
import asyncio
import json
import strap
from agents import FunctionTool

async def main():
    async with strap.open_router() as router:
        tools = strap.Toolchain(router)
        given = tools.responses()
        web = FunctionTool(
            name=given["name"],
            description=given["description"],
            params_json_schema=given["parameters"],
            on_invoke_tool=lambda context, arguments: tools.dispatch("web", arguments),
            strict_json_schema=False,
        )
        print(await web.on_invoke_tool(None, json.dumps({ASK})))

asyncio.run(main())
""",
    "langchain-mcp-adapters": f"""
import asyncio
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

async def main():
    client = MultiServerMCPClient(
        {{"strap": {{"transport": "stdio", "command": "strap", "args": ["serve"]}}}}
    )
    async with client.session("strap") as session:
        (web,) = await load_mcp_tools(session)
        print(await web.ainvoke({ASK}))

asyncio.run(main())
""",
    "pydantic-ai-slim[mcp]": f"""
import asyncio
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

web = MCPToolset(StdioTransport("strap", ["serve"]), max_retries=3)

def model(messages, info):
    told = messages[-1].parts[-1]
    if "Unknown action" in str(told.content):  # what strap says of the first two calls
        wrong = sum("Unknown action" in str(message) for message in messages)
        arguments = {ASK} if wrong > 1 else {{"resource": "http", "action": "fly"}}
    elif told.part_kind == "tool-return":
        return ModelResponse(parts=[TextPart(str(told.content))])
    else:
        arguments = {{"resource": "http", "action": "walk"}}
    return ModelResponse(parts=[ToolCallPart("web", arguments)])

async def main():
    agent = Agent(FunctionModel(model), toolsets=[web])
    async with agent:
        print((await agent.run("What can http do?")).output)

asyncio.run(main())
""",
    "crewai-tools[mcp]": f"""
from crewai_tools import MCPServerAdapter
from mcp import StdioServerParameters

with MCPServerAdapter(StdioServerParameters(command="strap", args=["serve"])) as tools:
    assert [tool.name for tool in tools] == ["web"]
    print(tools[0].run(**{ASK}))
""",
    "google-adk[mcp]": f"""
import asyncio
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from mcp import StdioServerParameters

async def main():
    strap = StdioServerParameters(command="strap", args=["serve"])
    toolset = McpToolset(connection_params=StdioConnectionParams(server_params=strap, timeout=60))
    (web,) = await toolset.get_tools()
    print(await web.run_async(args={ASK}, tool_context=None))
    await toolset.close()

asyncio.run(main())
""",
    "llama-index-tools-mcp": f"""
import asyncio
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
{SERVE}
async def main(url):
    (web,) = await McpToolSpec(client=BasicMCPClient(url)).to_tool_list_async()
    print(await web.acall(**{ASK}))

serve(main)
""",
    "smolagents[mcp] mcp<2": f"""
from mcp import StdioServerParameters
from smolagents import ToolCollection

strap = StdioServerParameters(command="strap", args=["serve"])
with ToolCollection.from_mcp(strap, trust_remote_code=True) as collection:
    print(collection.tools[0](**{ASK}))
""",
}


@pytest.mark.parametrize("requirement", FRAMEWORKS)
def test_a_framework_calls_the_tool(requirement, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    pip = (python, "-m", "pip", "install", "-q", "--disable-pip-version-check")
    subprocess.run((*pip, *requirement.replace("STRAP", str(ROOT)).split()), check=True)
    environ = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin",
        "HOME": str(tmp_path),
        "STRAP_HOME": str(tmp_path / "home"),
    }
    done = subprocess.run(
        [python, "-c", FRAMEWORKS[requirement]],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "HTTP requests: pages as Markdown" in done.stdout
