"""A person before a client of MCP, asked by elicitation: the real client, over stdio and HTTP."""

import asyncio
import json
import sys
import warnings
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitResult, ErrorData

from strap.mcp.elicitation import NO_FIELDS
from tests.mcp.conversation import Conversation, call, initialize, notification, text_of
from tests.mcp.http_server import Served
from tests.plugins.browser.live.watcher import Person as Holder
from tests.plugins.browser.live.watcher import watching
from tests.site.server import serve

pytestmark = pytest.mark.anyio

SETTINGS = """
confirm = ["http.fetch@127.0.0.1"]
network = "local"
[serve.tokens.strict]
value = "a-token-of-strict"
confirm = ["search.*"]
"""


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def site():
    with serve({"/": "<p>Paid</p>"}) as served:
        yield served


@pytest.fixture
def stdio(tmp_path):
    (tmp_path / "strap.toml").write_text(SETTINGS)
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "STRAP_HOME": str(tmp_path / "d")}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "strap", "serve"], env=environ, cwd=tmp_path
    )


class Person:
    """Answers what the client asks."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def __call__(self, context, params):
        self.asked.append(params)
        if isinstance(self.answer, str):
            content = {} if self.answer == "accept" else None
            return ElicitResult(action=self.answer, content=content)
        return self.answer


@asynccontextmanager
async def connected(server, person=None, mode="legacy"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        async with Client(
            server, mode=mode, elicitation_callback=person, read_timeout_seconds=30
        ) as client:
            yield client


async def fetch(client, site):
    arguments = {"resource": "http", "action": "fetch", "url": f"{site}/"}
    result = await client.call_tool("web", arguments)
    return result.is_error, result.content[0].text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("accept", None),
        ("decline", "A person said no"),
        pytest.param("cancel", "A person said no", marks=pytest.mark.soak),
    ],
)
async def test_a_client_that_asks(stdio, site, answer, said, mode):
    person = Person(answer)
    async with connected(stdio, person, mode) as client:
        failed, text = await fetch(client, site)
    [asked] = person.asked
    assert asked.message == f"An agent wants to do http.fetch.\nAddress: {site}/\nMay it?"
    assert asked.requested_schema == NO_FIELDS
    assert (failed, len(site.requests)) == (said is not None, int(said is None))
    assert (said or "Paid") in text


async def test_a_client_that_fails_to_ask(stdio, site):
    person = Person(ErrorData(code=-1, message="not now"))
    async with connected(stdio, person) as client:
        failed, text = await fetch(client, site)
    assert failed
    assert "nobody could be asked: The client did not ask" in text
    assert not site.requests


async def test_a_client_that_cannot_ask(stdio, site):
    async with connected(stdio) as client:
        failed, text = await fetch(client, site)
        assert failed
        assert "nobody can be asked here" in text
        assert "where the client offers elicitation" in text
    async with connected(stdio, mode="2026-07-28") as client:
        assert "nobody can be asked here" in (await fetch(client, site))[1]
    assert not site.requests


async def test_only_what_needs_a_yes_is_asked(stdio, site):
    person = Person("decline")
    async with connected(stdio, person) as client:
        host = str(site).replace("127.0.0.1", "localhost")
        assert not (await fetch(client, host))[0]
        assert not person.asked


async def test_over_http(tmp_path, site):
    (tmp_path / "strap.toml").write_text(SETTINGS)
    person = Person("accept")
    with Served(tmp_path) as served:
        headers = {"authorization": "Bearer a-token-of-strict"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            async with over_http(served.url, http, person) as client:
                assert "Paid" in (await fetch(client, site))[1]
                person.answer = "decline"
                assert "A person said no" in (await fetch(client, site))[1]
                search = {"resource": "search", "action": "query", "query": "a"}
                result = await client.call_tool("web", search)
                assert "A person said no to search.query" in result.content[0].text
            async with over_http(served.url, http, None) as client:
                assert "nobody can be asked here" in (await fetch(client, site))[1]
    assert len(person.asked) == 3
    assert len(site.requests) == 1


@asynccontextmanager
async def over_http(url, http, person):
    from mcp.client.streamable_http import streamable_http_client

    transport = streamable_http_client(url, http_client=http)
    async with connected(transport, person) as client:
        with anyio.fail_after(60):
            yield client


class Visitor(Person):
    """Goes to the link that they are shown, takes control and hands back."""

    async def __call__(self, context, params):
        self.visit = asyncio.ensure_future(self._visit(params.url))
        return await super().__call__(context, params)

    async def _visit(self, url):
        async with watching(url) as viewer:
            holder = Holder(viewer, await viewer.open())
            await viewer.next("place")
            await holder.order("take", "held")
            await holder.order("give", "agent")


@pytest.mark.parametrize(
    ("mode", "asked", "said"),
    [
        ("legacy", Visitor("accept"), "A person had control for"),
        pytest.param("legacy", Person("decline"), "The person declined.", marks=pytest.mark.soak),
        ("2026-07-28", Person("decline"), "The person declined."),
    ],
)
async def test_a_person_is_shown_the_link_to_take_part(stdio, site, mode, asked, said):
    stdio.env |= {"STRAP_HEADLESS": "true", "STRAP_BROWSER__PORT": "0"}
    page = {"resource": "browser", "session": "a"}
    async with connected(stdio, asked, mode=mode) as client:
        await client.call_tool("web", {**page, "action": "launch"})
        await client.call_tool("web", {**page, "action": "navigate", "url": f"{site}/"})
        live = {**page, "action": "live", "text": "Please log in"}
        result = await client.call_tool("web", live)
    assert result.content[0].text.startswith(said), result
    [told] = asked.asked
    assert told.message == "Please log in"
    assert told.url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"answer": "471193"}, "The person answered: {{answer_1}}."),
        ({}, "The person says that it is done."),
    ],
)
def test_a_client_that_has_forms_alone_asks_for_words(tmp_path, site, content, said):
    env = {"STRAP_HEADLESS": "true", "STRAP_BROWSER__PORT": "0", "STRAP_NETWORK": "local"}
    page = {"resource": "browser", "session": "a"}
    with Conversation(tmp_path, (sys.executable, "-m", "strap", "serve"), **env) as talk:
        hello = initialize()
        hello["params"]["capabilities"] = {"elicitation": {}}
        talk.ask(hello)
        talk.send(notification("notifications/initialized"))
        talk.ask(call(1, **page, action="launch"))
        talk.ask(call(2, **page, action="navigate", url=f"{site}/"))
        asked = talk.ask(call(3, **page, action="live", text="Which code is in your mail?"))
        assert asked["method"] == "elicitation/create"
        assert list(asked["params"]["requestedSchema"]["properties"]) == ["answer"]
        assert "Which code is in your mail?" in asked["params"]["message"]
        answer = {"action": "accept", "content": content}
        result = talk.ask({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
        assert text_of(result).startswith(said)
        assert "471193" not in json.dumps(result)
