"""The tasks of MCP with the client of fastmcp, in an environment of its own: stdio and HTTP."""

import json
import subprocess
import time

import pytest

from tests.site.server import serve
from tests.soak.test_frameworks import STRAP, environ, install_once, url

__all__ = ["environ", "url"]  # fixtures
pytestmark = pytest.mark.soak
PROGRAM = """
import asyncio, json, os
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp_tasks.client import call_tool_task

STRAP, URL, SITE = json.loads(os.environ["STRAP"]), os.environ["URL"], os.environ["SITE"]
env = json.loads(os.environ["ENV"])
transport = StreamableHttpTransport(URL) if URL else StdioTransport(STRAP[0], STRAP[1:], env=env)
slow = {"resource": "http", "action": "fetch", "url": SITE + "/slow"}

async def main():
    async with Client(transport, mode="2026-07-28") as client:
        told = {"plain": (await client.call_tool("web", slow)).content[0].text}
        task = await call_tool_task(client, "web", slow)
        told["first"] = (await task.status()).status
        told["result"] = (await task.result()).content[0].text
        told["last"] = (await task.status()).status
        other = await call_tool_task(client, "web", {**slow, "url": SITE + "/never"})
        await other.cancel()
        told["cancelled"] = (await other.wait(timeout=20)).status
        print(json.dumps(told))

asyncio.run(main())
"""


def slow(seconds):
    def answer(_):
        time.sleep(seconds)
        return "<title>Slow</title><p>The lamp was lit at nine, said the keeper of the house.</p>"

    return answer


def test_fastmcp_takes_tasks(url, environ, tmp_path):
    python = install_once("fastmcp-tasks", ["fastmcp-tasks"])
    with serve({"/slow": slow(8), "/never": slow(25)}) as site:
        known = {"URL": url, "SITE": str(site), "ENV": json.dumps(environ)}
        done = subprocess.run(
            [python, "-c", PROGRAM],
            cwd=tmp_path,
            env={**environ, **known, "STRAP": json.dumps([STRAP, "serve"])},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-3_000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert "The lamp was lit at nine" in told["plain"]
    assert told["result"] == told["plain"]
    assert (told["first"], told["last"], told["cancelled"]) == ("working", "completed", "cancelled")
