"""Servers with the probe plugin, and what the SDK alone answers."""

import json

import anyio
import pytest

from strap.config import load
from strap.mcp.server import WebServer
from strap.mcp.stdio.sdk_probe import ask
from strap.mcp.tool import WebTool
from strap.routing.assembly import make_router
from tests.mcp import probe
from tests.mcp.conversation import Conversation, initialize
from tests.mcp.http_server import Served


@pytest.fixture
def converse(tmp_path):
    """Start a server; those that are left at the end of the test are killed."""
    opened = []

    def start(*arguments, **env):
        conversation = Conversation(env.pop("home", tmp_path), *arguments, **env)
        opened.append(conversation)
        return conversation

    yield start
    for conversation in opened:
        conversation.__exit__()


@pytest.fixture(scope="module")
def warm_home(tmp_path_factory):
    """A home whose handshake cache is filled."""
    home = tmp_path_factory.mktemp("home")
    with Conversation(home) as first:
        first.ask(initialize())
        assert first.finish() == 0
    return home


@pytest.fixture
def early_server(converse, warm_home):
    """Start servers that answer calls before they have loaded the SDK; with notes of their own."""

    def start(**env):
        (warm_home / "data" / "notes").unlink(missing_ok=True)
        server = converse(home=warm_home, **env)
        server.open()
        return server

    return start


@pytest.fixture
def serve(tmp_path):
    opened = []

    def start(**options):
        opened.append(Served(tmp_path, **options))
        return opened[-1]

    yield start
    for served in opened:
        served.__exit__()


@pytest.fixture(scope="module")
def plain_server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("home")) as served:
        yield served


@pytest.fixture
def served(plain_server):
    """A server without any options, for all tests of a module; with notes of the test's own."""
    plain_server.notes.unlink(missing_ok=True)
    return plain_server


@pytest.fixture
def sdk_answers(tmp_path):
    """Ask the SDK's server alone: a function from messages to answers."""
    from mcp_types import jsonrpc_message_adapter

    config = load(environ={}, directory=tmp_path, home=tmp_path)
    tool = WebTool(make_router(config, extra=[("probe", probe)]))
    server = WebServer(tool).build()

    def answers(*messages):
        parsed = [jsonrpc_message_adapter.validate_python(m) for m in messages]
        replies = anyio.run(ask, server, parsed)
        return [json.loads(r.model_dump_json(by_alias=True, exclude_unset=True)) for r in replies]

    return answers
