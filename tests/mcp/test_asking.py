"""Asking the client's model over protocol 2026-07-28, where a call is repeated with the answers."""

import sys
import warnings
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CreateMessageResult, ErrorData, InputRequiredResult, TextContent

from strap.mcp import asking
from tests.mcp.conversation import SCRIPT, WAIT, environment
from tests.mcp.http_server import Served

pytestmark = pytest.mark.anyio
TOKENS = {name: f"a-token-of-{name}" for name in ("ci", "team")}
SETTINGS = "".join(f'[serve.tokens.{name}]\nvalue = "{token}"\n' for name, token in TOKENS.items())
ASK = {"resource": "probe", "action": "ask"}


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "strap.toml").write_text(SETTINGS)
    with Served(home) as served:
        yield served


class Model:
    """Model of the client: its answers, by number."""

    def __init__(self):
        self.asked = []

    async def __call__(self, context, params):
        self.asked.append(params.messages[0].content.text)
        content = TextContent(type="text", text=f"answer {len(self.asked)}")
        return CreateMessageResult(role="assistant", content=content, model="own")


@asynccontextmanager
async def connected(server, model, mode="2026-07-28"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sampling is deprecated from 2026-07-28 on
        options = {"mode": mode, "sampling_callback": model, "read_timeout_seconds": WAIT}
        async with Client(server, **options) as client:
            yield client


@asynccontextmanager
async def over_http(served, model, who="ci"):
    headers = {"authorization": f"Bearer {TOKENS[who]}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=WAIT) as http,
        connected(streamable_http_client(served.url, http_client=http), model) as client,
    ):
        yield client


def over_stdio(home):
    env = environment(home)
    return StdioServerParameters(command=sys.executable, args=[SCRIPT], env=env, cwd=home)


async def first_round(client, number=1):
    result = await client.session.call_tool(
        "web", {**ASK, "number": number}, allow_input_required=True
    )
    assert isinstance(result, InputRequiredResult)
    return result


async def again(client, round_, answers, number=1):
    return await client.session.call_tool(
        "web",
        {**ASK, "number": number},
        allow_input_required=True,
        input_responses=answers,
        request_state=round_.request_state,
    )


async def test_a_model_is_asked_round_by_round_over_stdio(tmp_path):
    model, told = Model(), []

    async def note(done, total, message):
        told.append(message)

    async with connected(over_stdio(tmp_path), model) as client:
        assert client.protocol_version == "2026-07-28"
        result = await client.call_tool("web", {**ASK, "number": 3}, progress_callback=note)
        assert result.content[0].text == "answer 1, answer 2, answer 3"
        assert model.asked == told == ["question 0", "question 1", "question 2"]
    async with connected(over_stdio(tmp_path), None) as client:
        result = await client.call_tool("web", ASK)
        assert result.content[0].text == "nobody to ask"


async def test_a_call_left_behind_ends_with_its_client(tmp_path):
    async def refuse(context, params):
        return ErrorData(code=-1, message="no")

    async with connected(over_stdio(tmp_path), refuse) as client:
        with pytest.raises(MCPError, match="no"):
            await client.call_tool("web", ASK)
    assert (tmp_path / "data" / "notes").read_text().split("\n")[1:3] == ["given up", "closed"]


async def test_rounds_over_http_are_their_principals_alone(served):
    model = Model()
    async with over_http(served, model) as client, over_http(served, model, "team") as other:
        assert (await client.call_tool("web", {**ASK, "number": 2})).content[0].text.endswith("2")
        round_ = await first_round(client)
        [(key, request)] = round_.input_requests.items()
        assert request.params.messages[0].content.text == "question 0"
        answers = {key: await model(None, request.params)}
        for stranger, number in ((other, 1), (client, 2)):
            with pytest.raises(MCPError, match="Invalid or expired"):
                await again(stranger, round_, answers, number)
        for useless in (None, {}, {"other": answers[key]}):
            assert (await again(client, round_, useless)).input_requests == round_.input_requests
        assert (await again(client, round_, answers)).content[0].text == "answer 3"
        with pytest.raises(MCPError, match="Invalid or expired"):
            await again(client, round_, answers)


async def test_a_client_that_does_not_come_back(monkeypatch):
    monkeypatch.setattr(asking, "AWAY", 0.01)
    ended = anyio.Event()

    async def work(ask, report):
        try:
            await ask("what?", CreateMessageResult)
        finally:
            ended.set()

    class Params:
        request_state = input_responses = arguments = None

    rounds = asking.Rounds()
    monkeypatch.setattr(asking, "InputRequiredResult", dict)
    assert (await rounds.run(Params, "owner", work, None))["input_requests"] == {"1": "what?"}
    with anyio.fail_after(WAIT):
        await ended.wait()
    assert not rounds._calls
