"""Agents of twelve frameworks, as programs: each does TASK with a model at MODEL and strap's tool.

URL is where strap serves, "" to start it by the words STRAP with the environment ENV. The last
line that a program prints is the agent's answer.
"""

BEGINNING = """
import asyncio, json, os

MODEL, URL, TASK = (os.environ[name] for name in ("MODEL", "URL", "TASK"))
STRAP, *ARGS = json.loads(os.environ["STRAP"])
ENV = json.loads(os.environ["ENV"])
"""

FRAMEWORKS = {
    "openai-agents": (
        "openai-agents",
        """
from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai import AsyncOpenAI

set_tracing_disabled(True)
model = OpenAIChatCompletionsModel("scripted", AsyncOpenAI(base_url=MODEL, api_key="none"))
wait = {"client_session_timeout_seconds": 60}
if URL:
    server = MCPServerStreamableHttp(params={"url": URL}, **wait)
else:
    server = MCPServerStdio(params={"command": STRAP, "args": ARGS, "env": ENV}, **wait)

async def main():
    async with server as web:
        agent = Agent(name="Reader", instructions="Use web.", model=model, mcp_servers=[web])
        print((await Runner.run(agent, TASK)).final_output)
""",
    ),
    "pydantic-ai": (
        "pydantic-ai-slim[mcp,openai]",
        """
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=MODEL, api_key="none"))
transport = StreamableHttpTransport(URL) if URL else StdioTransport(STRAP, ARGS, env=ENV)
agent = Agent(model, toolsets=[MCPToolset(transport, max_retries=3)])

async def main():
    async with agent:
        print((await agent.run(TASK)).output)
""",
    ),
    "fastmcp": (
        "fastmcp openai",
        """
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from openai import AsyncOpenAI

transport = StreamableHttpTransport(URL) if URL else StdioTransport(STRAP, ARGS, env=ENV)

async def main():
    model = AsyncOpenAI(base_url=MODEL, api_key="none").chat.completions
    messages = [{"role": "user", "content": TASK}]
    async with Client(transport) as client:
        (web,) = await client.list_tools()
        schema = getattr(web, "inputSchema", None) or web.input_schema
        function = {"name": web.name, "description": web.description, "parameters": schema}
        tools = [{"type": "function", "function": function}]
        while True:
            reply = await model.create(model="scripted", messages=messages, tools=tools)
            said = reply.choices[0].message
            if not said.tool_calls:
                print(said.content)
                return
            messages.append(said.model_dump(exclude_none=True))
            for call in said.tool_calls:
                arguments = json.loads(call.function.arguments)
                result = await client.call_tool("web", arguments, raise_on_error=False)
                text = result.content[0].text
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
""",
    ),
    "smolagents": (
        "smolagents[mcp,openai] mcp<2",
        """
from mcp import StdioServerParameters
from smolagents import OpenAIServerModel, ToolCallingAgent, ToolCollection

model = OpenAIServerModel("scripted", api_base=MODEL, api_key="none")
where = {"url": URL, "transport": "streamable-http"}
if not URL:
    where = StdioServerParameters(command=STRAP, args=ARGS, env=ENV)

async def main():
    with ToolCollection.from_mcp(where, trust_remote_code=True) as collection:
        for name, field in collection.tools[0].inputs.items():
            field["nullable"] = name not in ("resource", "action")
        agent = ToolCallingAgent(collection.tools, model, max_steps=12)
        print(agent.run(TASK))
""",
    ),
    "langchain": (
        "langchain langchain-mcp-adapters langchain-openai",
        """
from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="scripted", base_url=MODEL, api_key="none")
where = {"transport": "stdio", "command": STRAP, "args": ARGS, "env": ENV}
if URL:
    where = {"transport": "streamable_http", "url": URL}

async def main():
    async with MultiServerMCPClient({"strap": where}).session("strap") as session:
        agent = create_agent(model, await load_mcp_tools(session))
        done = await agent.ainvoke({"messages": [{"role": "user", "content": TASK}]})
        print(done["messages"][-1].content)
""",
    ),
    "llamaindex": (
        "llama-index-core llama-index-tools-mcp llama-index-llms-openai-like",
        """
from contextlib import AsyncExitStack
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

model = OpenAILike("scripted", api_base=MODEL, api_key="none", is_chat_model=True,
                   is_function_calling_model=True)

async def main():
    async with AsyncExitStack() as stack:
        server = StdioServerParameters(command=STRAP, args=ARGS, env=ENV)
        opened = streamable_http_client(URL) if URL else stdio_client(server)
        streams = await stack.enter_async_context(opened)
        session = await stack.enter_async_context(ClientSession(*streams[:2]))
        await session.initialize()
        tools = await McpToolSpec(client=session).to_tool_list_async()
        print(await FunctionAgent(tools=tools, llm=model).run(TASK))
""",
    ),
    "google-adk": (
        "google-adk[mcp] litellm",
        """
from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import (
    McpToolset, StdioConnectionParams, StreamableHTTPConnectionParams
)
from google.genai import types
from mcp import StdioServerParameters

server = StdioServerParameters(command=STRAP, args=ARGS, env=ENV)
where = StdioConnectionParams(server_params=server, timeout=60)
if URL:
    where = StreamableHTTPConnectionParams(url=URL, timeout=60)
model = LiteLlm("openai/scripted", api_base=MODEL, api_key="none")

async def main():
    toolset = McpToolset(connection_params=where)
    runner = InMemoryRunner(LlmAgent(model=model, name="reader", tools=[toolset]), app_name="try")
    session = await runner.session_service.create_session(app_name="try", user_id="me")
    message = types.Content(role="user", parts=[types.Part(text=TASK)])
    run = runner.run_async(user_id="me", session_id=session.id, new_message=message)
    async for event in run:
        if event.is_final_response() and event.content:
            print(event.content.parts[-1].text)
    await toolset.close()
""",
    ),
    "crewai": (
        "crewai crewai-tools[mcp]",
        """
from crewai import LLM, Agent, Crew, Task
from crewai_tools import MCPServerAdapter
from mcp import StdioServerParameters

where = {"url": URL, "transport": "streamable-http"}
if not URL:
    where = StdioServerParameters(command=STRAP, args=ARGS, env=ENV)
model = LLM("openai/scripted", base_url=MODEL, api_key="none")

async def main():
    with MCPServerAdapter(where, connect_timeout=60) as tools:
        agent = Agent(role="reader", goal="read", backstory="-", tools=list(tools), llm=model)
        task = Task(description=TASK, expected_output="text", agent=agent)
        print(await Crew(agents=[agent], tasks=[task]).kickoff_async())
""",
    ),
    "semantic-kernel": (
        "semantic-kernel[mcp]",
        """
from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.connectors.mcp import MCPStdioPlugin, MCPStreamableHttpPlugin

client = AsyncOpenAI(base_url=MODEL, api_key="none")
service = OpenAIChatCompletion(ai_model_id="scripted", async_client=client)
if URL:
    plugin = MCPStreamableHttpPlugin(name="strap", url=URL, load_prompts=False)
else:
    plugin = MCPStdioPlugin("strap", command=STRAP, args=ARGS, env=ENV, load_prompts=False)

async def main():
    async with plugin as strap:
        agent = ChatCompletionAgent(service=service, name="reader", plugins=[strap])
        print((await agent.get_response(messages=TASK)).message.content)
""",
    ),
    "haystack": (
        "haystack-ai mcp-haystack",
        """
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from haystack_integrations.tools.mcp import MCPToolset, StdioServerInfo, StreamableHttpServerInfo

where = StdioServerInfo(command=STRAP, args=ARGS, env=ENV)
if URL:
    where = StreamableHttpServerInfo(url=URL)
model = OpenAIChatGenerator(
    model="scripted", api_base_url=MODEL, api_key=Secret.from_token("none")
)

async def main():
    await asyncio.to_thread(work)

def work():
    tools = MCPToolset(server_info=where, connection_timeout=60, invocation_timeout=60)
    tools.warm_up()
    agent = Agent(chat_generator=model, tools=tools)
    print(agent.run(messages=[ChatMessage.from_user(TASK)])["messages"][-1].text)
    tools.close()
""",
    ),
    "autogen": (
        "autogen-agentchat autogen-ext[mcp,openai] mcp<2",
        """
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams, StreamableHttpServerParams

where = StreamableHttpServerParams(url=URL)
if not URL:
    where = StdioServerParams(command=STRAP, args=ARGS, env=ENV, read_timeout_seconds=60)
abilities = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown",
             "structured_output": False}
model = OpenAIChatCompletionClient(
    model="scripted", base_url=MODEL, api_key="none", model_info=abilities
)

async def main():
    async with McpWorkbench(where) as web:
        agent = AssistantAgent("reader", model, workbench=web, max_tool_iterations=12)
        print((await agent.run(task=TASK)).messages[-1].content)
""",
    ),
    "ag2": (
        "ag2[mcp,openai]",
        """
from ag2 import Agent
from ag2.config import OpenAIConfig
from ag2.tools.toolkits.mcp_server import MCPServerConfig, MCPStdioServerConfig, MCPToolkit

where = MCPServerConfig(server_url=URL, protocol_mode="auto")
if not URL:
    where = MCPStdioServerConfig(command=STRAP, args=ARGS, env=ENV)
model = OpenAIConfig(model="scripted", base_url=MODEL, api_key="none")

async def main():
    print((await Agent("reader", config=model, tools=[MCPToolkit(where)]).ask(TASK)).body)
""",
    ),
}
"""By name: what pip installs, and the program."""

END = """
asyncio.run(main())
"""
