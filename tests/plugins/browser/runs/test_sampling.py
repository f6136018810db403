"""The client's own model, through the real MCP server over stdio, without any key."""

import json
import sys
import warnings
from contextlib import asynccontextmanager

import anyio
import jsonschema
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CreateMessageResult, ErrorData, TextContent

from tests.support.model_server import act, done

from .lab import SCHEMA, browsers, laboratory

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    home = tmp_path_factory.mktemp("client")
    environ = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "STRAP_HOME": str(home / "data"),
        "STRAP_BROWSER__PORT": "0",
        "STRAP_HEADLESS": "true",
        "STRAP_NETWORK": "local",
    }
    return StdioServerParameters(
        command=sys.executable, args=["-m", "strap", "serve"], env=environ, cwd=home
    )


class Model:
    """Model of the client: the test that is going on sets its answers."""

    async def __call__(self, context, params):
        return await self.answer(params)


@pytest.fixture(scope="module")
def model():
    return Model()


@pytest.fixture(scope="module")
async def client(server, model):
    """A client with a model, for all tests of the module: its server keeps what workers need."""
    async with connected(server, model) as opened:
        yield opened


@asynccontextmanager
async def connected(server, sampling=None, mode="legacy"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sampling is deprecated from 2026-07-28 on
        async with Client(
            server, mode=mode, sampling_callback=sampling, read_timeout_seconds=90
        ) as opened:
            yield opened


async def ask(client, site, progress=None, **fields):
    arguments = {"resource": "browser", "action": "eval", "url": str(site), "task": "look"}
    result = await client.call_tool("web", arguments | fields, progress_callback=progress)
    [content] = result.content
    answer = json.loads(content.text)
    assert result.is_error == (answer["status"] == "failed")
    assert result.structured_content is None
    return answer


def said_by(reply):
    """Return the text of the scripted model in `reply`."""
    return json.loads(reply.body)["choices"][0]["message"]["content"]


def spoken(text):
    content = TextContent(type="text", text=text)
    return CreateMessageResult(role="assistant", content=content, model="own")


async def test_a_run_with_the_clients_model(client, model, site):
    asked, steps = [], []
    text = said_by(done("The page is called Shop."))

    async def say(params):
        asked.append(params)
        return spoken(f"```json\n{text}\n```")

    async def progress(done, total, message):
        steps.append((done, total, message))

    model.answer = say
    answer = await ask(client, site, progress=progress, budget_s=80)
    assert (answer["status"], answer["result"]) == ("success", "The page is called Shop.")
    assert answer["timeouts"]["budget_s"] == 80
    assert answer["timeouts"]["step_timeout_s"] == 120
    assert [(number, total) for number, total, _ in steps] == [(1, 25)]
    [request] = asked
    assert "JSON Schema" in request.system_prompt
    assert {message.content.type for message in request.messages} == {"text", "image"}


async def test_a_client_whose_user_refuses(client, model, site):
    asked = []

    async def refuse(params):
        asked.append(params)
        return ErrorData(code=-1, message="the user said no")

    model.answer = refuse
    answer = await ask(client, site)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "provider_error")
    assert "the user said no" in answer["summary"]
    assert len(asked) == 1
    assert "50 instead of 60" in answer["warnings"][0]


async def test_several_steps_and_an_answer_that_makes_no_sense(client, model, site):
    said = ["I would rather not.", said_by(act("wait", seconds=0)), said_by(done("seen"))]
    asked = []

    async def say(params):
        asked.append(params)
        return spoken(said[len(asked) - 1])

    model.answer = say
    answer = await ask(client, site, budget_s=80)
    assert (answer["status"], answer["result"]) == ("success", "seen")
    assert len(asked) == len(said)
    assert "recovered (schema, step 1)" in answer["warnings"][-1]


async def test_an_approval_that_never_comes(client, model, site):
    async def wait(params):
        await anyio.sleep(60)
        return spoken("too late")

    model.answer = wait
    answer = await ask(client, site, budget_s=6, step_timeout_s=3)
    assert answer["status"] == "failed"
    assert answer["stop_reason"] in ("step_timeout", "budget")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_without_a_model(server, site, mode):
    async with connected(server, mode=mode) as without:
        answer = await ask(without, site)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "provider_error")
    assert "STRAP_MODEL" in answer["summary"]


@pytest.fixture(scope="module")
async def idle(tmp_path_factory, site):
    """A laboratory in which nothing runs, and a saved login."""
    home = tmp_path_factory.mktemp("idle")
    (home / "states").mkdir()
    (home / "states" / "saved.json").write_text('{"cookies": []}')
    async with laboratory(home, site) as lab:
        yield lab


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"timeout": 5}, "give budget_s instead"),
        ({"budget_s": -1}, "'budget_s'"),
        ({"budget_s": "nan"}, "'budget_s'"),
        ({"schema": "{"}, "schema is not valid JSON"),
        ({"state_id": "nobody"}, "no saved login 'nobody'"),
        ({"state_id": "../x"}, "'state_id'"),
        ({"url": "file:///etc/passwd"}, "file"),
        ({"url": "http://169.254.169.254/"}, "metadata"),
        ({"profile": "unheard-of"}, "Unknown profile"),
        ({"mode": "verbose", "max_steps": 3}, "'mode'"),
        ({"profile": "nebo", "headless": True}, "do not go with it"),
        ({"profile": "nebo", "state_id": "saved"}, "do not go with it"),
        ({"task": None, "text": "1 + 1"}, "JavaScript runs with action evaluate"),
    ],
)
async def test_bad_arguments_start_nothing(idle, fields, said):
    lab = idle
    given = {"url": str(lab.site), "task": "look", **fields}
    given = {key: value for key, value in given.items() if value is not None}
    result = await lab.web(resource="browser", action="eval", **given)
    answer = json.loads(result.text)
    jsonschema.validate(answer, SCHEMA)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "invalid_arguments")
    assert answer["timeouts"]["max_steps"] == given.get("max_steps", 25)
    listed = (await lab.web(resource="browser", action="list_runs")).data["runs"]
    assert [run["steps"] for run in listed if run["session_id"] == answer["session_id"]] in (
        [0],
        [],
    )
    assert (browsers(), lab.runs.active, lab.runs._workers._fork_server) == ([], {}, None)
    assert said in answer["summary"]
    assert result.is_error


async def test_a_denied_call_has_the_same_form(tmp_path):
    from strap import testing

    async with testing.router(home=tmp_path, deny=("browser.eval",)) as web:
        result = await web(resource="browser", action="eval", url="http://localhost:1", task="x")
        assert json.loads(result.text)["stop_reason"] == "invalid_arguments"
