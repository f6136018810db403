"""Long calls as tasks, by the extension of MCP, with the SDK's client and with bare requests."""

import asyncio
import sys
import time
from contextlib import asynccontextmanager
from typing import Any, Literal

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Request, Result
from pydantic import ConfigDict, Field

from strap.mcp.asking import RunningCall
from strap.mcp.tasks import Tasks
from tests.mcp.conversation import PREFIX, SCRIPT, WAIT, Conversation, environment, modern
from tests.mcp.http_server import Served, answer_of, post

pytestmark = pytest.mark.anyio
TASKS = PREFIX + "tasks"
LONG = {"resource": "probe", "action": "sleep", "number": 6.5}
"""A call that lasts longer than a call may before it is a task."""
ENDLESS = {**LONG, "number": 50}
TOKENS = {name: f"a-token-of-{name}" for name in ("ci", "team")}
SETTINGS = "".join(f'[serve.tokens.{name}]\nvalue = "{token}"\n' for name, token in TOKENS.items())


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "strap.toml").write_text(SETTINGS)
    with Served(home) as served:
        yield served


class Created(Result):
    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = "task"
    task_id: str = Field(alias="taskId")


class State(Result):
    model_config = ConfigDict(extra="allow")
    status: str


class TasksClient(ClientExtension):
    """Client of tasks: polls until the result is there."""

    identifier = TASKS

    def __init__(self):
        self.states = []

    def claims(self):
        return [ResultClaim(result_type="task", model=Created, resolve=self.resolve)]

    async def resolve(self, created, context):
        while True:
            params = {"taskId": created.task_id}
            request = Request[Any, Any](method="tasks/get", params=params)
            state = await context.session.send_request(request, State)
            self.states.append(state.status)
            if state.status == "completed":
                return CallToolResult.model_validate(state.model_extra["result"])
            await anyio.sleep(0.5)


@asynccontextmanager
async def client_of(home, served, over, extension):
    extensions = [] if extension is None else [extension]
    options = {"mode": "2026-07-28", "read_timeout_seconds": WAIT, "extensions": extensions}
    if over == "stdio":
        env = environment(home)
        server = StdioServerParameters(command=sys.executable, args=[SCRIPT], env=env, cwd=home)
        async with Client(server, **options) as client:
            yield client
        return
    headers = {"authorization": f"Bearer {TOKENS['ci']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=WAIT) as http,
        Client(streamable_http_client(served.url, http_client=http), **options) as client,
    ):
        yield client


@pytest.mark.parametrize("over", ["stdio", "http"])
async def test_a_long_call_is_a_task_for_a_client_that_takes_tasks(tmp_path, served, over):
    extension = TasksClient()
    async with client_of(tmp_path, served, over, extension) as client:
        short = await client.call_tool("web", {"resource": "probe", "action": "say", "words": "a"})
        assert (short.content[0].text, extension.states) == ("a", [])
        result = await client.call_tool("web", LONG)
        assert result.content[0].text == "awake"
        assert extension.states[0] == "working"
        assert extension.states[-1] == "completed"


async def test_other_clients_see_no_task(tmp_path, served):
    async with client_of(tmp_path, served, "stdio", None) as client:
        assert (await client.call_tool("web", LONG)).content[0].text == "awake"


def declaring(method, number=1, **params):
    message = modern(method, number, **params)
    message["params"]["_meta"][PREFIX + "clientCapabilities"] = {
        "extensions": {TASKS: {}},
        "sampling": {},
    }
    return message


def call(arguments, number=1):
    return declaring("tools/call", number, name="web", arguments=arguments)


class Http:
    """Bare requests over HTTP, of one of the principals."""

    def __init__(self, served, who="ci"):
        self._served, self._who = served, who

    def __call__(self, message):
        name = message["params"].get("taskId", "web")
        headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": message["method"]}
        headers |= {"mcp-name": name, "authorization": f"Bearer {TOKENS[self._who]}"}
        return answer_of(post(self._served, message, **headers))

    def task(self, method, task, **params):
        return self(declaring(f"tasks/{method}", taskId=task, **params))

    def until(self, task, *statuses):
        deadline = time.monotonic() + WAIT
        while time.monotonic() < deadline:
            state = self.task("get", task)["result"]
            if state["status"] in statuses:
                return state
            time.sleep(0.2)
        raise AssertionError(state)


def test_a_task_belongs_to_its_principal(served):
    own, other = Http(served), Http(served, "team")
    created = own(call(ENDLESS))["result"]
    assert (created["resultType"], created["status"]) == ("task", "working")
    assert created["ttlMs"] >= 600_000
    task = created["taskId"]
    foreign, unknown = other.task("get", task), own.task("get", "never-was")
    assert foreign["error"] == unknown["error"]
    assert foreign["error"]["code"] == -32602
    for method, params in (("cancel", {}), ("update", {"inputResponses": {}})):
        assert other.task(method, task, **params)["error"] == foreign["error"]
    assert own.task("get", task)["result"]["status"] == "working"
    undeclared = own(modern("tasks/get", taskId=task))["error"]
    needed = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
    assert (undeclared["code"], undeclared["data"]) == (-32021, needed)
    assert own.task("cancel", task)["result"]["resultType"] == "complete"
    assert own.until(task, "cancelled", "completed")["status"] == "cancelled"
    notes = "".join(path.read_text() for path in served.notes.parent.rglob("notes"))
    assert "cancelled" in notes.split()


def test_a_header_that_names_another_task_is_refused(served):
    own = Http(served)
    for task in (own(call(LONG))["result"]["taskId"], "never-was"):
        headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tasks/get"}
        headers |= {"mcp-name": f"{task}x", "authorization": f"Bearer {TOKENS['ci']}"}
        refused = post(served, declaring("tasks/get", taskId=task), **headers)
        assert (refused.status_code, answer_of(refused)["error"]["code"]) == (400, -32020)


def test_a_client_gives_up_and_asks_again(served):
    """The task outlives the connection that began it; an answer of the tool may be an error."""
    own = Http(served)
    task = own(call(LONG))["result"]["taskId"]
    state = own.until(task, "completed")
    assert state["resultType"] == "complete"
    assert state["result"]["content"][0]["text"] == "awake"
    assert own.task("get", task)["result"]["result"] == state["result"]


def test_a_bare_client_polls_over_stdio(tmp_path):
    with Conversation(tmp_path) as conversation:
        created = conversation.ask(call(LONG))["result"]
        asked = declaring("tasks/get", 2, taskId=created["taskId"])
        while (state := conversation.ask(asked)["result"])["status"] == "working":
            time.sleep(0.2)
        assert state["result"]["content"][0]["text"] == "awake"


def test_a_task_asks_the_client(served):
    own = Http(served)
    ask = {"resource": "probe", "action": "ask", "number": 2, "after": 6.5}
    task = own(call(ask))["result"]["taskId"]
    keys = set()
    for number in range(2):
        state = own.until(task, "input_required")
        assert state["statusMessage"] == f"question {number}"
        [(key, request)] = state["inputRequests"].items()
        assert key not in keys
        keys.add(key)
        assert request["method"] == "sampling/createMessage"
        answer = {"role": "assistant", "model": "own", "content": {"type": "text", "text": "yes"}}
        malformed = own.task("update", task, inputResponses={key: {"role": 1}})
        assert malformed["error"]["code"] == -32602
        for answers in ({"other": answer}, {"other": {"of": "no form"}}, {key: answer}):
            updated = own.task("update", task, inputResponses=answers)
            assert updated["result"]["resultType"] == "complete"
    state = own.until(task, "completed")
    assert state["result"]["content"][0]["text"] == "yes, yes"
    assert "inputRequests" not in state


@pytest.mark.parametrize("jump", [-86_400, 86_400])
async def test_a_clock_that_jumps_ends_no_task(monkeypatch, jump):
    async def work(ask, report):
        await asyncio.sleep(60)

    call, tasks, now = RunningCall("ci", {}, work), Tasks(), time.time
    created = tasks.keep(call, "ci").model_extra
    monkeypatch.setattr(time, "time", lambda: now() + jump)
    [task] = tasks._tasks.values()
    state = task.as_json()
    assert (state["taskId"], state["status"]) == (created["taskId"], "working")
    assert state["ttlMs"] >= 600_000
    assert state["lastUpdatedAt"] >= state["createdAt"]
    await tasks.aclose()


async def test_a_task_that_nobody_asks_for_is_dropped(monkeypatch):
    async def work(ask, report):
        await asyncio.sleep(60)

    monkeypatch.setattr("strap.mcp.tasks.KEPT_SECONDS", 0.05)
    call, tasks = RunningCall("ci", {}, work), Tasks()
    tasks.keep(call, "ci")
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call.task, 30)
    assert not tasks._tasks
    await tasks.aclose()


def test_a_server_that_is_killed_says_that_the_task_is_unknown(tmp_path):
    with Conversation(tmp_path) as first:
        first.send(call(ENDLESS))
        task = first.receive()["result"]["taskId"]
        first.process.kill()
    with Conversation(tmp_path) as second:
        second.send(declaring("tasks/get", taskId=task))
        assert second.receive()["error"]["code"] == -32602


def test_the_handshake_tells_of_tasks(tmp_path):
    for _ in ("from the SDK", "as it was kept"):
        with Conversation(tmp_path) as conversation:
            conversation.send(modern("server/discover"))
            capabilities = conversation.receive()["result"]["capabilities"]
            assert capabilities["extensions"] == {TASKS: {}}
