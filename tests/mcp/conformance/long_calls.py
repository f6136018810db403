"""The suite's tools that may become tasks, by strap's own rounds and tasks."""

import asyncio

from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitResult, InputRequiredResult

from strap.mcp.asking import RunningCall
from strap.mcp.messages.requests import TASKS
from strap.mcp.tasks import takes_tasks

from .parts import form, text

SOON = 0.1
"""Seconds before a call is a task here: the suite's tools take longer, or nothing."""
LATER = 2 * SOON


def said(words, **fields):
    return {"content": [text(words).model_dump(by_alias=True)], "isError": False, **fields}


async def greet(ask, name="you"):
    return said(f"Hello, {name}!")


async def slow_compute(ask, seconds, label=""):
    await asyncio.sleep(seconds)
    return said(f"computed {label}")


async def failing_job(ask):
    await asyncio.sleep(1)
    return said("It did not work.", isError=True)


async def protocol_error_job(ask):
    await asyncio.sleep(LATER)
    raise MCPError(-32603, "The job broke")


async def confirm_delete(ask, filename=""):
    await asyncio.sleep(LATER)
    answer = await ask(form(f"Delete {filename}?", confirm="boolean"), ElicitResult)
    return said(f"{filename}: {answer.action}")


async def multi_input(ask):
    await asyncio.sleep(LATER)
    questions = (form("Your name?", name="string"), form("Your age?", age="integer"))
    answers = await asyncio.gather(*(ask(each, ElicitResult) for each in questions))
    return said(", ".join(each.action for each in answers))


async def with_task(ask):
    answer = await ask(form("Your name?", name="string"), ElicitResult)
    await asyncio.sleep(1)
    return said(f"Hello, {answer.content['name']}!")


LONG = {
    "greet": greet,
    "slow_compute": slow_compute,
    "failing_job": failing_job,
    "protocol_error_job": protocol_error_job,
    "confirm_delete": confirm_delete,
    "multi_input": multi_input,
    "test_tool_with_task": with_task,
}
REQUIRED = {"failing_job", "protocol_error_job", "test_tool_with_task"}
"""Those that only a client gets that takes tasks."""


async def answer(server, ctx, params):
    """Answer a call as the server answers those of its own tool."""
    if params.name in REQUIRED and not takes_tasks(ctx):
        data = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
        raise MCPError(-32021, "Missing required client capability", data)
    owner = server._owner(server.caller(ctx, None))

    async def work(ask, report):
        return await LONG[params.name](ask, **params.arguments or {})

    patience = SOON if takes_tasks(ctx) else None
    told = await server.rounds.run(params, owner, work, None, patience)
    if isinstance(told, RunningCall):
        return server.tasks.keep(told, owner)
    if isinstance(told, InputRequiredResult):
        return told
    return CallToolResult.model_validate(told)
