"""What Playwright's driver is given to load before its own program."""

import asyncio
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

import strap_browser
from strap import ActionError, testing
from tests.node import NODE

pytestmark = pytest.mark.anyio
DRIVER = Path(strap_browser.__file__).with_name("engine") / "playwright" / "driver.cjs"
OFFER = "sec-websocket-extensions"
ASK = """
const { Socket } = require("node:net");
const headers = { "Sec-WebSocket-Extensions": "permessage-deflate", Other: "kept" };
const request = require("node:http").request({
  host: process.argv[1], headers, createConnection: () => new Socket(),
});
request.on("error", () => {});
console.log(request.getHeader("sec-websocket-extensions"), request.getHeader("other"));
request.destroy();
"""


@pytest.mark.parametrize(
    ("host", "offered"),
    [("127.0.0.1", "undefined"), ("localhost", "undefined"), ("10.0.0.7", "permessage-deflate")],
)
def test_what_is_offered_to_a_host(host, offered):
    command = (NODE, "--require", DRIVER, "-e", ASK, host)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == [offered, "kept"]


async def test_nothing_is_compressed_on_the_way_to_a_browser_here(tmp_path):
    heads = []

    async def refuse(reader, writer):
        with suppress(asyncio.IncompleteReadError):  # some only look whether anybody listens
            heads.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    address = f"ws://127.0.0.1:{port}/devtools/browser/x"
    profiles = {"there": {"driver": "cdp", "cdp_url": address}}
    async with (
        server,
        testing.router(
            home=tmp_path, network="local", plugins={"browser": {"profiles": profiles}}
        ) as web,
    ):
        error = await web.fails(resource="browser", action="launch", profile="there")
    assert isinstance(error, ActionError)
    asked = [head for head in heads if "upgrade: websocket" in head]
    assert asked
    assert [head for head in asked if OFFER in head] == []
