"""The places where a person is asked about a request: an MCP client, the terminal."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from mcp.client.stdio import StdioServerParameters

from strap.cli.kept.client import end_session
from tests.mcp.test_elicitation import Person, connected
from tests.site.server import serve
from tests.unit.test_terminal import Terminal

pytestmark = pytest.mark.anyio
SHOP = """<title>Shop</title><form method=post action=/order><input name=item value=spade>
<button id=go>Buy</button></form>"""
ASKED = (
    "A page wants to send a request that changes something.\nAddress: {}/order\nMethod: POST\n"
    'Sends: "item": "spade"\nMay it?'
)
SETTINGS = """network = "local"
confirm_requests = ["127.0.0.1"]
[plugins.browser]
headless = true
port = 0
auto_launch = true
"""


@pytest.fixture
def shop():
    with serve({"/": SHOP, "/order": "<title>Ordered</title><h1>Ordered</h1>"}) as served:
        yield served


def posted(shop):
    return [each.body for each in shop.requests if each.method == "POST"]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("answer", ["accept", "decline"])
async def test_a_client_of_mcp(tmp_path, shop, answer, mode):
    (tmp_path / "strap.toml").write_text(SETTINGS)
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "STRAP_HOME": str(tmp_path / "d")}
    stdio = StdioServerParameters(
        command=sys.executable, args=["-m", "strap", "serve"], env=environ, cwd=tmp_path
    )
    person = Person(answer)
    async with connected(stdio, person, mode) as client:
        for fields in ({"action": "navigate", "url": f"{shop}/"}, {"action": "click"}):
            more = {"selector": "#go"} if fields["action"] == "click" else {}
            result = await client.call_tool("web", {"resource": "browser", **fields, **more})
            assert not result.is_error, result
    [asked] = person.asked
    assert asked.message == ASKED.format(shop)
    assert posted(shop) == ([b"item=spade"] if answer == "accept" else [])
    said = "Sent after a person's yes: POST" if answer == "accept" else "a person said no: POST"
    assert said in result.content[0].text


@pytest.mark.parametrize("typed", ["y", "n"])
def test_the_terminal(tmp_path, shop, typed):
    (tmp_path / "strap.toml").write_text(SETTINGS)
    lines = f"browser navigate {shop}/\nbrowser click selector=#go\n".encode()
    with TemporaryDirectory(dir="/tmp") as runtime:
        words = ("call", "--keep=shop", "-")
        with Terminal(tmp_path, *words, stdin=lines, XDG_RUNTIME_DIR=runtime) as ran:
            said = ran.until("[y/N]").replace("\r", "")
            assert ASKED.format(shop) in said
            assert not posted(shop)
            ran.type(f"{typed}\n")
            assert ran.end() == 0
        for path in Path(runtime).rglob("*.sock"):
            end_session(path)
    assert posted(shop) == ([b"item=spade"] if typed == "y" else [])
