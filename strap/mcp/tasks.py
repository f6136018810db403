"""The tasks extension of MCP: a call that takes long is answered with a task, and polled.

The SDK dispatches the methods of extensions, but has none for tasks. Clients that do not declare
the extension never see a task. A task lives as long as the server process.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    RequestParams,
    Result,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from strap.mcp.asking import Ctx, RunningCall
from strap.mcp.messages.requests import TASKS
from strap.records import record

TASK_SECONDS = 5.0
"""Seconds before a call becomes a task: most calls are done, and clients wait for 60 s."""
POLL_MS = 1000
"""Milliseconds between two polls, as suggested to clients: the delay of a result by half of it."""
KEPT_SECONDS = 600.0
"""Seconds for which nobody polls a task before it is dropped, and its call cancelled."""
MAX_FINISHED = 64
"""Results of one owner that are kept, each below 1 MiB over HTTP: as many as calls may run."""


class TaskParams(RequestParams):
    """Parameters of `tasks/get` and `tasks/cancel`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    task_id: str


class UpdateParams(TaskParams):
    """Parameters of `tasks/update`."""

    input_responses: dict[str, Any]


def takes_tasks(ctx: Ctx) -> bool:
    """Whether the client of a request takes a task as the answer."""
    capabilities = ctx.session.client_capabilities
    declared = capabilities.extensions if capabilities is not None else None
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and TASKS in (declared or {})


class CreatedTask(Result):
    """The answer of `tools/call` that is a task, with the fields of its state."""

    model_config = ConfigDict(extra="allow")


@record
class _Task:
    id: str
    owner: object
    call: RunningCall
    created: float

    def as_json(self) -> dict[str, Any]:
        """Return the state, with what the client asks for, the result or the error."""
        age = max(time.time() - self.created, 0.0)  # the clock may be put back
        state = {
            "taskId": self.id,
            "createdAt": _iso(self.created),
            "lastUpdatedAt": _iso(max(self.created, self.call.changed_at)),
            "ttlMs": round(1000 * (age + KEPT_SECONDS)),
            "pollIntervalMs": POLL_MS,
        }
        message = {"statusMessage": self.call.message} if self.call.message else {}
        return {**state, **message, **self._status()}

    def _status(self) -> dict[str, Any]:
        task = self.call.task
        if not task.done():
            if pending := self.call.pending:
                requests = {key: _wire(request) for key, request in pending.items()}
                return {"status": "input_required", "inputRequests": requests}
            return {"status": "working"}
        if task.cancelled():
            return {"status": "cancelled"}
        if (error := task.exception()) is None:
            return {"status": "completed", "result": task.result()}
        data = {"code": INTERNAL_ERROR, "message": "Internal error"}
        if isinstance(error, MCPError):
            data = _wire(error.error)
        return {"status": "failed", "statusMessage": data["message"], "error": data}


class Tasks:
    """The calls that have become tasks, each of its owner alone."""

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}

    def add_to(self, server: Server[Any], owner: Callable[[Ctx], object]) -> None:
        """Let `server` answer the methods of tasks; `owner` tells whose a request is."""

        async def get(ctx: Ctx, params: TaskParams) -> dict[str, Any]:
            return self._find(ctx, params, owner).as_json()

        async def update(ctx: Ctx, params: UpdateParams) -> dict[str, Any]:
            task = self._find(ctx, params, owner)
            # Whatever answers no open question is left out, and of no form.
            known = {k: v for k, v in params.input_responses.items() if k in task.call.pending}
            answers = CallToolRequestParams.model_validate(
                {"name": "", "inputResponses": known}
            ).input_responses
            task.call.take(answers or {})
            self._expect(task)
            return {}

        async def cancel(ctx: Ctx, params: TaskParams) -> dict[str, Any]:
            self._find(ctx, params, owner).call.task.cancel()
            return {}

        server.extensions[TASKS] = {}
        server.add_request_handler("tasks/get", TaskParams, get)
        server.add_request_handler("tasks/update", UpdateParams, update)
        server.add_request_handler("tasks/cancel", TaskParams, cancel)

    def keep(self, call: RunningCall, owner: object) -> CreatedTask:
        """Make a call a task and return the answer of `tools/call`."""
        finished = [t for t in self._tasks.values() if t.owner == owner and t.call.task.done()]
        if len(finished) >= MAX_FINISHED:
            self._drop(finished[0])
        task = _Task(id=secrets.token_urlsafe(16), owner=owner, call=call, created=time.time())
        self._tasks[task.id] = task
        self._expect(task)
        return CreatedTask.model_validate({**task.as_json(), "resultType": "task"})

    async def aclose(self) -> None:
        """End all calls that run."""
        await asyncio.gather(*(task.call.end() for task in self._tasks.values()))

    def _find(self, ctx: Ctx, params: TaskParams, owner: Callable[[Ctx], object]) -> _Task:
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise MCPError(METHOD_NOT_FOUND, "Method not found")
        if not takes_tasks(ctx):
            needed: Any = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
            text = "Missing required client capability"
            raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, text, needed)
        named = getattr(ctx.request, "headers", {}).get(MCP_NAME_HEADER)
        if named is not None and decode_header_value(named) != params.task_id:
            raise MCPError(HEADER_MISMATCH, "The header Mcp-Name is not the taskId.")
        task = self._tasks.get(params.task_id)
        if task is None or task.owner != owner(ctx):
            raise MCPError(INVALID_PARAMS, "Task not found. It is unknown, or has expired.")
        self._expect(task)
        return task

    def _expect(self, task: _Task) -> None:
        """Drop a task unless its client asks for it in time."""
        task.call.leave(KEPT_SECONDS, lambda: self._drop(task))

    def _drop(self, task: _Task) -> None:
        self._tasks.pop(task.id, None)
        task.call.stay()
        task.call.task.cancel()


def _wire(model: Any) -> dict[str, Any]:
    fields: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return fields


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
