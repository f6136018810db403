"""The SDK's own client, in both eras of the protocol, against the real command."""

import sys

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import ImageContent

from tests.mcp.conversation import SCRIPT, environment
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def notes(home):
    """Notes that the server's actions take during a test."""
    file = home / "data" / "notes"
    file.unlink(missing_ok=True)
    return file


@pytest.fixture(scope="module", params=list(ERAS))
async def client(request, home, anyio_backend):
    server = StdioServerParameters(
        command=sys.executable, args=[SCRIPT], env=environment(home), cwd=home
    )
    async with Client(server, mode=request.param, read_timeout_seconds=30) as opened:
        assert opened.protocol_version == ERAS[request.param]
        yield opened


async def web(client, action, **arguments):
    return await client.call_tool("web", {"resource": "probe", "action": action, **arguments})


async def wait_for(path, word):
    await eventually(lambda: path.exists() and word in path.read_text().split())


async def test_it_lists_one_tool(client):
    (tool,) = (await client.list_tools()).tools
    assert tool.name == "web"
    assert tool.output_schema is None
    assert len(client.instructions) <= 2048


async def test_results_are_text_and_images(client):
    result = await web(client, "picture", number=3)
    text, image = result.content
    assert (text.text, result.is_error, result.structured_content) == ("picture", False, None)
    assert isinstance(image, ImageContent)
    assert (image.data, image.mime_type) == ("AAAA", "image/jpeg")


async def test_errors_of_actions_have_a_code(client):
    result = await web(client, "fail")
    assert result.is_error
    assert result.content[0].text == "It rains. Wait."
    assert result.meta["strap/error"] == {"code": "weather", "retryable": True}


async def test_unexpected_errors_say_nothing_of_the_inside(client):
    result = await web(client, "crash")
    assert result.is_error
    assert "Internal error" in result.content[0].text
    assert "secret" not in result.content[0].text
    assert result.meta["strap/error"] == {"code": "internal", "retryable": False}


async def test_an_unknown_tool_is_an_error_of_the_protocol(client):
    with pytest.raises(MCPError, match="Unknown tool: 'other'") as caught:
        await client.call_tool("other", {})
    assert caught.value.code == -32602


async def test_progress_is_reported(client):
    seen = []

    async def note(done, total, message):
        seen.append((done, total, message))

    arguments = {"resource": "probe", "action": "count", "number": 2}
    await client.call_tool("web", arguments, progress_callback=note)
    assert seen == [(1, 2, "step 1 \ufffd"), (2, 2, "step 2 \ufffd")]


async def test_cancelling_reaches_the_action(client, notes):
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: web(client, "sleep", number=60))
        await wait_for(notes, "asleep")
        tasks.cancel_scope.cancel()
    await wait_for(notes, "cancelled")
    assert not (await web(client, "say", words="on")).is_error


async def test_calls_run_side_by_side(client, notes):
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: web(client, "sleep", number=60))
        await wait_for(notes, "asleep")
        assert (await web(client, "say", words="meanwhile")).content[0].text == "meanwhile"
        tasks.cancel_scope.cancel()


async def test_the_caller_is_the_one_of_this_process(client):
    assert (await web(client, "who")).content[0].text == "stdio local/local"


async def test_too_many_calls_are_told_to_wait(client):
    async with anyio.create_task_group() as tasks:
        for _ in range(64):
            tasks.start_soon(lambda: web(client, "sleep", number=60))
        with anyio.fail_after(30):
            while True:
                result = await web(client, "say", words="x")
                if result.is_error:
                    break
        assert result.meta["strap/error"] == {"code": "busy", "retryable": True}
        tasks.cancel_scope.cancel()
    with anyio.fail_after(30):
        while (await web(client, "say", words="x")).is_error:  # noqa: ASYNC110
            await anyio.sleep(0.02)
