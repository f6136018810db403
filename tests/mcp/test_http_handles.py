"""Sessions over HTTP without MCP sessions: whose page a call means that names none."""

import json
import os
import subprocess
import sys
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from tests.mcp.conversation import INFO, PREFIX, WAIT, modern, text_of
from tests.mcp.http_server import Served, answer_of, post_modern, web

pytestmark = pytest.mark.anyio
CI, TEAM = ({"authorization": f"Bearer a-token-of-{name}"} for name in ("ci", "team"))
SETTINGS = "\n".join(
    f'[serve.tokens.{name}]\nvalue = "a-token-of-{name}"\nlimits = {{ calls_per_minute = 0 }}'
    for name in ("ci", "team")
)
AS_ANOTHER_USER = """
import encodings.idna, os, sys, urllib.request
os.setuid(65534)
request = urllib.request.Request(sys.argv[1], sys.argv[2].encode(), eval(sys.argv[3]))
print(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read().decode())
"""
"""Posts one request as the user of this number, whom no system has use for."""


@pytest.fixture
def tokens(tmp_path_factory):
    """A server for those with one of two tokens."""
    home = tmp_path_factory.mktemp("home")
    (home / "strap.toml").write_text(SETTINGS)
    with Served(home) as served:
        yield served


@asynccontextmanager
async def client_of(served, *, name, keeps=600.0):
    """The SDK's client without sessions, which keeps an idle connection for so many seconds."""
    limits = httpx2.Limits(max_keepalive_connections=4, keepalive_expiry=keeps)
    info = Implementation(name=name, version="1")
    async with httpx2.AsyncClient(timeout=WAIT, limits=limits) as http:
        transport = streamable_http_client(served.url, http_client=http)
        async with Client(transport, read_timeout_seconds=WAIT, client_info=info) as client:
            assert client.protocol_version == "2026-07-28"
            yield client


async def handle_of(client, **arguments):
    """The handle of the session that a call of the SDK's client was made in."""
    result = await web(client, "who", **arguments)
    assert not result.is_error, result.content[0].text
    return _handle(result.content[0].text)


def _handle(text):
    return text.split("\n")[0].rpartition("/")[2]


def post(served, headers=None, info=INFO, **arguments):
    """Make a call over a connection of its own; return its result."""
    arguments = {"resource": "probe", "action": "who", **arguments}
    message = modern("tools/call", name="web", arguments=arguments)
    message["params"]["_meta"][PREFIX + "clientInfo"] = info
    return answer_of(post_modern(served, message, **(headers or {})))


def posted(served, headers=None, **arguments):
    """The handle of a session that a call over a connection of its own was made in."""
    return _handle(text_of(post(served, headers, **arguments)))


async def test_a_client_keeps_the_one_session_that_it_has(served):
    async with client_of(served, name="one") as client:
        first = (await web(client, "who")).content[0].text
        assert 'session: "' in first
        assert (await web(client, "who")).content[0].text == first.split("\n")[0]
        assert await handle_of(client, session="mine") == "mine"
        missing = await web(client, "who")
        assert missing.meta["strap/error"] == {"code": "session_missing", "retryable": False}
        told = missing.content[0].text
        assert _handle(first) in told
        assert told.index('"mine"') < told.index(_handle(first))
        assert not (await web(client, "say", words="needs no session")).is_error


async def test_a_client_whose_connections_end_between_calls_keeps_it_too(served):
    async with client_of(served, name="ends", keeps=0.05) as client:
        first = await handle_of(client)
        await anyio.sleep(0.2)
        assert await handle_of(client) == first
    assert posted(served) != first  # it says that it is another program


async def test_calls_at_the_same_time_share_it(served):
    found = []

    async def note():
        found.append(await handle_of(client))

    async with client_of(served, name="many") as client:
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(note)
        assert len(set(found)) == 1
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: web(client, "sleep", number=1))
            await anyio.sleep(0.3)
            tasks.start_soon(note)
    assert len(set(found)) == 1


@pytest.mark.parametrize("keeps", [600.0, 0.05])
async def test_two_clients_alike_do_not_share_one(served, keeps):
    """Neither where the second comes over a new connection, as after a while of thinking."""
    async with AsyncExitStack() as stack:
        name = f"alike {keeps}"
        first = await stack.enter_async_context(client_of(served, name=name))
        of_first = await handle_of(first)
        second = await stack.enter_async_context(client_of(served, name=name, keeps=keeps))
        await anyio.sleep(0.2)
        of_second = await handle_of(second)
        assert of_second != of_first
        await anyio.sleep(0.2)
        assert await handle_of(first) == of_first
        assert await handle_of(second) == of_second


async def test_a_client_that_begins_while_another_calls_has_its_own(served):
    alike = [client_of(served, name="busy") for _ in range(2)]
    async with alike[0] as first, alike[1] as second:
        of_first = await handle_of(first)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: web(first, "sleep", number=1))
            await anyio.sleep(0.3)
            assert await handle_of(second) != of_first


def test_clients_are_told_apart_by_token_metadata_and_proxy(served, tokens):
    ours = posted(tokens, CI)
    assert posted(tokens, CI) == ours
    assert posted(tokens, TEAM) != ours
    assert posted(tokens, CI, info={"name": "other", "version": "1"}) != ours
    assert posted(tokens, CI, session="more") == "more"
    assert post(tokens, CI)["result"]["_meta"]["strap/error"]["code"] == "session_missing"
    own = posted(served)
    assert posted(served) == own
    for header in ({"x-forwarded-for": "192.0.2.1"}, {"forwarded": "for=192.0.2.1"}):
        behind = posted(served, header)
        assert behind != own
        assert posted(served, header) == behind


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_of_the_machine_has_another_session_and_no_use_of_ours(served):
    def as_another(**arguments):
        arguments = {"resource": "probe", "action": "who", **arguments}
        message = modern("tools/call", name="web", arguments=arguments)
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Mcp-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "web",
        }
        words = [served.url, json.dumps(message), repr(headers)]
        done = subprocess.run(
            [sys.executable, "-I", "-c", AS_ANOTHER_USER, *words],
            capture_output=True, text=True, timeout=WAIT, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        data = done.stdout.removeprefix("event: message").strip().removeprefix("data:")
        return json.loads(data)["result"]

    ours = posted(served)
    assert posted(served) == ours
    theirs = _handle(as_another()["content"][0]["text"])
    assert theirs != ours
    assert _handle(as_another()["content"][0]["text"]) == theirs
    refused = as_another(session=ours)
    assert refused["_meta"]["strap/error"]["code"] == "session_missing"
    assert posted(served) == ours


def test_a_session_that_is_idle_ends_and_one_with_a_call_does_not(serve):
    served = serve(idle_seconds=2)
    idle = posted(served, info={"name": "idle", "version": "1"})
    busy = posted(served)
    assert text_of(post(served, action="sleep", number=5, session=busy)) == "awake"
    assert f"ended local/{idle}" in served.noted()
    served.wait_for(f"ended local/{busy}")
    assert posted(served) != busy
