"""`strap demo`: the real MCP server over stdio, driven as a client would, on a site that ships."""

import asyncio
import base64
import functools
import os
import re
import sys
import tempfile
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import click
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, ImageContent, TextContent

from strap.api.results import count_tokens

SITE = Path(__file__).with_name("demo_site")
GUEST = "Ada Lovelace"
PASSED = ("STRAP_BROWSER_PATH", "PLAYWRIGHT_BROWSERS_PATH", "XDG_CACHE_HOME", "TMPDIR")
"""Variables that say where the browser is; no other setting of the user's has a part in this."""


VIEWER_LIMIT, LOOK = 60.0, 0.5
"""Seconds for which somebody is waited for who watches, and between two looks."""
PAUSE = 1.0
"""Seconds between two calls while somebody watches: what happens can be followed."""


class Failed(Exception):
    """A call of the demonstration did not do what it should."""


def run(*, keep: bool = False, live: bool = False) -> int:
    """Run the demonstration; returns the exit status."""
    try:
        with _site() as url, tempfile.TemporaryDirectory(prefix="strap-demo-") as home:
            picture = asyncio.run(_drive(url, Path(home), live=live))
            if keep:
                target = Path.cwd() / "strap-demo.jpg"
                target.write_bytes(picture)
                click.echo(f"The screenshot is in {target}")
    except Failed as error:
        click.echo(f"\nThe demonstration failed: {error}\nTry: strap doctor", err=True)
        return 1
    except KeyboardInterrupt:
        if not live:
            raise
        return 0
    if not live:
        click.echo("\nIt works. Now connect your client: strap mcp-config")
    return 0


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def _site() -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


async def _drive(url: str, home: Path, *, live: bool) -> bytes:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "strap", "serve", "--home", str(home), "--network", "local"],
        env={"STRAP_HEADLESS": "true"} | {k: os.environ[k] for k in PASSED if k in os.environ},
    )
    started = time.perf_counter()
    async with Client(server, read_timeout_seconds=120) as client:
        session = _Session(client)
        # Raised once the client is closed: inside, it would come out as a group of groups.
        failure = await _tour(session, url, started, live=live)
    if failure is not None:
        raise failure
    return session.picture


async def _tour(
    session: "_Session", url: str, started: float, *, live: bool
) -> Failed | OSError | None:
    """Make the calls; returns what went wrong, with them or with what they are printed to."""
    try:
        await session.list_tools(started)
        await session.call(resource="http", action="fetch", url=f"{url}about.html")
        await session.call(resource="browser", action="launch", shown="The browser runs.")
        await session.call(resource="browser", action="navigate", url=url)
        if live:
            await _show_live(session)
        page = await session.call(resource="browser", action="snapshot")
        name, sign = _ref(page, "textbox", "Name"), _ref(page, "button", "Sign")
        await session.call(resource="browser", action="fill", ref=name, value=GUEST)
        signed = await session.call(resource="browser", action="click", ref=sign)
        if f"Thank you, {GUEST}" not in signed:
            raise Failed("the answer does not show that the form was sent.")
        await session.call(resource="browser", action="screenshot")
        if live:
            click.echo('\nPress "Take control" in the live view to go on by hand; Ctrl-C ends it.')
            await asyncio.Event().wait()
        await session.call(resource="browser", action="close")
    except (Failed, OSError) as failure:
        return failure
    return None


async def _show_live(session: "_Session") -> None:
    """Open the live view, and go on slowly as soon as somebody watches."""
    answer = await session.call(resource="browser", action="live")
    match = re.search(r"http://\S+#\S+", answer)
    if match is None:
        raise Failed("the answer has no link.")
    if not webbrowser.open(match[0]):
        click.echo(f"\nOpen {match[0]}")
    for _ in range(round(VIEWER_LIMIT / LOOK)):
        await asyncio.sleep(LOOK)
        if '"live"' in await session.call(resource="browser", action="status", shown=""):
            break
    session.pause = PAUSE


class _Session:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.picture = b""
        self.pause = 0.0
        """Seconds before each call, for who watches."""

    async def list_tools(self, started: float) -> None:
        tools = (await self.client.list_tools()).tools
        _show("tools/list", f"one tool, {tools[0].name!r}", "", started)

    async def call(self, *, shown: str | None = None, **arguments: Any) -> str:
        """Make a call and print it with its answer, or with `shown`; not if that is empty."""
        await asyncio.sleep(self.pause)
        started = time.perf_counter()
        result = await self.client.call_tool("web", arguments)
        if not isinstance(result, CallToolResult):
            raise Failed(f"unexpected answer {type(result).__name__}.")
        text = "\n".join(c.text for c in result.content if isinstance(c, TextContent))
        pictures = [c for c in result.content if isinstance(c, ImageContent)]
        for content in pictures:
            self.picture = base64.b64decode(content.data)
        note = f" + {pictures[0].mime_type}, {len(self.picture) / 1024:.0f} KB" if pictures else ""
        written = ", ".join(f"{key}: {value!r}" for key, value in arguments.items())
        if shown is None or result.is_error:
            shown = text + note
        if shown:
            _show(f"web({written})", shown, text, started)
        if result.is_error:
            raise Failed(text)
        return text


def _show(call: str, answer: str, counted: str, started: float) -> None:
    took = (time.perf_counter() - started) * 1000
    click.secho(f"\n> {call}", bold=True)
    click.echo("\n".join(f"  {line}" for line in answer.splitlines()))
    tokens = f"~{count_tokens(counted)} tokens, " if counted else ""
    click.secho(f"  [{tokens}{took:.0f} ms]", dim=True)


def _ref(snapshot: str, role: str, name: str) -> str:
    match = re.search(rf'{role} "{name}".*?\b((?:f\d+)?e\d+)\b', snapshot)
    if match is None:
        raise Failed(f"the snapshot shows no {role} {name!r}.")
    return match.group(1)
