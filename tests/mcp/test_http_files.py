"""Files that calls write, as resources of MCP: with the SDK's client, and its own links alone."""

import base64
import os

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, ResourceLink, TextResourceContents

from strap.mcp.linked_files import KEPT, PART, SHOWN, LinkedFiles
from tests.mcp.conversation import initialize, notification, request
from tests.mcp.http_server import ERAS, Served, answer_of, connect, open_session, post, web

pytestmark = pytest.mark.anyio
TOKENS = {name: f"a-token-of-{name}" for name in ("ci", "team")}
SETTINGS = "".join(f'[serve.tokens.{name}]\nvalue = "{token}"\n' for name, token in TOKENS.items())


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "strap.toml").write_text(SETTINGS)
    with Served(home) as served:
        yield served


@pytest.fixture
def anyio_backend():
    return "asyncio"


def links(result):
    assert not result.is_error, result
    return [each for each in result.content if isinstance(each, ResourceLink)]


async def contents(client, uri):
    [found] = (await client.read_resource(uri)).contents
    return found


async def refusal(client, uri):
    with pytest.raises(MCPError) as refused:
        await client.read_resource(uri)
    assert refused.value.error.code == -32602
    assert refused.value.error.data == {"uri": uri}
    return refused.value.error.message


@pytest.mark.parametrize("action", ["save", "let_save"])
@pytest.mark.parametrize("mode", ERAS)
async def test_what_a_call_writes_is_linked_and_can_be_read(served, mode, action):
    async with connect(served, mode, TOKENS["ci"]) as client:
        result = await web(client, action, paths=["a b.json", "page.png"], words='{"é": 1}')
        picture, table = links(result)
        assert (table.name, table.mime_type, table.size) == ("a b.json", "application/json", 9)
        assert picture.mime_type == "image/png"
        assert await contents(client, table.uri) == TextResourceContents(
            uri=table.uri, mime_type="application/json", text='{"é": 1}'
        )
        found = await contents(client, picture.uri)
        assert isinstance(found, BlobResourceContents)
        assert base64.b64decode(found.blob).decode() == '{"é": 1}'
        assert not links(await web(client, "say", words="nothing written"))


async def test_a_link_leads_its_own_session_there_alone(served):
    async with (
        connect(served, "legacy", TOKENS["ci"]) as client,
        connect(served, "legacy", TOKENS["ci"]) as same,
        connect(served, "auto", TOKENS["ci"]) as without,
        connect(served, "legacy", TOKENS["team"]) as other,
    ):
        [link] = links(await web(client, "save", paths=["own.txt"]))
        assert [each.uri for each in (await client.list_resources()).resources] == [link.uri]
        for stranger in (same, without, other):
            assert "not found" in await refusal(stranger, link.uri)
            assert not (await stranger.list_resources()).resources
        [loose] = links(await web(without, "save", paths=["loose.txt"]))
        assert not (await without.list_resources()).resources
        assert (await contents(without, loose.uri)).text == "words"
        for stranger in (client, same, other):
            assert "not found" in await refusal(stranger, loose.uri)


async def test_what_another_call_puts_there_is_not_shown(served):
    async with (
        connect(served, "legacy", TOKENS["ci"]) as client,
        connect(served, "legacy", TOKENS["ci"]) as other,
    ):
        [link] = links(await web(client, "save", paths=["shared.txt"]))
        await web(other, "save", paths=["shared.txt"], words="secret")
        assert "written anew" in await refusal(client, link.uri)
        [again] = links(await web(client, "save", paths=["shared.txt"], words="mine"))
        assert again.uri == link.uri
        assert (await contents(client, link.uri)).text == "mine"


@pytest.mark.parametrize("mode", ERAS)
async def test_long_files_are_read_in_parts(served, mode):
    async with connect(served, mode, TOKENS["ci"]) as client:
        [link] = links(await web(client, "save", paths=["long.txt"], words="x", number=PART + 5))
        assert "?part=1 to ?part=2" in link.description
        assert f"{link.uri}?part=2" in await refusal(client, link.uri)
        parts = [await contents(client, f"{link.uri}?part={number}") for number in (1, 2)]
        assert b"".join(base64.b64decode(part.blob) for part in parts) == b"x" * (PART + 5)
        for wrong in ("part=3", "part=0", "part=-1", "part=" + "9" * 5000, "page=1", "part=²"):
            assert "?part=1 to" in await refusal(client, f"{link.uri}?{wrong}")
        [quotes] = links(await web(client, "save", paths=["quotes.txt"], words='"', number=PART))
        found = await contents(client, quotes.uri)
        assert isinstance(found, BlobResourceContents), "as a text it is too long for clients"


async def test_many_files_are_listed_and_few_linked(served):
    paths = [f"{number}.txt" for number in range(SHOWN + 5)]
    async with connect(served, "legacy", TOKENS["team"]) as client:
        found = links(await web(client, "save", paths=[*paths, paths[0]]))
        assert [each.name for each in found] == [paths[0], *reversed(paths[-SHOWN + 1 :])]
        listed = (await client.list_resources()).resources
        assert [each.name for each in listed] == [paths[0], *reversed(paths[1:])]


def test_links_end_with_their_session(served):
    head = {"authorization": f"Bearer {TOKENS['ci']}"}
    session = open_session(served, **head)
    call = {
        "name": "web",
        "arguments": {"resource": "probe", "action": "save", "paths": ["ended.txt"]},
    }
    result = answer_of(post(served, request("tools/call", call), session, **head))["result"]
    read = request("resources/read", {"uri": result["content"][1]["uri"]})
    assert "result" in answer_of(post(served, read, session, **head))
    httpx2.delete(served.url, headers={"mcp-session-id": session, **head})
    assert post(served, read, session, **head).status_code == 404
    again = open_session(served, **head)
    assert "not found" in answer_of(post(served, read, again, **head))["error"]["message"]


def test_clients_before_links_get_none(served):
    head = {"authorization": f"Bearer {TOKENS['ci']}"}
    opened = post(served, initialize("2025-03-26"), **head)
    session = opened.headers["mcp-session-id"]
    post(served, notification("notifications/initialized"), session, **head)
    fields = {"resource": "probe", "action": "save", "paths": ["old.txt"]}
    call = request("tools/call", {"name": "web", "arguments": fields})
    result = answer_of(post(served, call, session, **head))["result"]
    assert [each["type"] for each in result["content"]] == ["text"]


def test_links_are_bounded_and_lead_to_files_alone(tmp_path):
    files = LinkedFiles()
    paths = [tmp_path / f"{number}.txt" for number in range(KEPT + 10)]
    for path in paths:
        path.write_text("x")
    for path in paths:
        files.link([path], "one")
    listed = [each["name"] for each in files.listed("one")]
    assert len(listed) == KEPT
    assert listed[0] == paths[-1].name
    assert not files.link([tmp_path / "nowhere"], "one")
    hidden = tmp_path / "hidden"
    hidden.write_text("secret")
    for make in (lambda p: p.symlink_to(hidden), os.mkfifo, lambda p: p.mkdir()):
        path = tmp_path / "instead"
        path.write_text("x")
        [link] = files.link([path], "one")
        path.unlink()
        make(path)
        with pytest.raises(Exception, match=r"cannot be read|anew"):
            files.find(link["uri"], "one").read("")
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    files.end("one")
    assert not files.listed("one")
    assert not files._uris


async def test_links_without_a_session_are_forgotten_in_time(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("x")
    files = LinkedFiles()
    [link] = files.link([path], None)
    assert files.find(link["uri"], None)
    monkeypatch.setattr("strap.mcp.linked_files.LIFE", 0.0)
    await anyio.sleep(0.001)
    assert files.find(link["uri"], None) is None
    files.link([], None)
    assert not files._files
