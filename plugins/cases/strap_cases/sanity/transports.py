"""The tool as scenarios reach it: over MCP, from servers started for them, or in Python."""

import asyncio
import json
import os
import re
import sys
from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from strap import ActionError, Caller, Config, Image, Result, open_router
from strap_cases.running.session import Web
from strap_cases.sanity.answer_data import VARIABLE, taken_apart

Through = Literal["mcp", "http", "python"]
TOOL = "web"
ERROR_META = "strap/error"
START_LIMIT = 60.0
"""Seconds for a server to start on a loaded machine."""
END_LIMIT = 20.0
"""Seconds for a session to end: the server closes its pages."""
LOOK_AGAIN = 0.05
"""Seconds between two looks for the address in the log of a server that starts."""
CALL_LIMIT = 600.0
"""Seconds for a call: more than any budget of a scenario."""
_ADDRESS = re.compile(r"http://[^\s/]+/mcp")
Opener = Callable[[], AbstractAsyncContextManager[Any]]


class Connection:
    """A session of MCP, in a task of its own: calls may come from any task."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._session: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._ends = asyncio.Event()
        self._task = asyncio.create_task(self._hold())

    async def _hold(self) -> None:
        try:
            async with self._opener() as streams, ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                self._session.set_result(session)
                await self._ends.wait()
        except Exception as error:  # noqa: BLE001 - whoever calls is told
            if not self._session.done():
                self._session.set_exception(
                    ActionError(f"strap serve cannot be reached: {error}", code="browser_error")
                )

    async def call(self, arguments: Mapping[str, Any]) -> Result:
        """Make a call; raises `ActionError`."""
        async with asyncio.timeout(START_LIMIT):
            session = await asyncio.shield(self._session)
        answer: Any = await session.call_tool(
            TOOL,
            dict(arguments),
            read_timeout_seconds=CALL_LIMIT,
            progress_callback=_ignore,
        )
        text = "\n".join(part.text for part in answer.content if part.type == "text")
        if failed := (answer.meta or {}).get(ERROR_META):
            raise ActionError(text, code=failed["code"])
        text, data = taken_apart(text)
        images = tuple(
            Image(data=b64decode(part.data), mime=part.mime_type)
            for part in answer.content
            if part.type == "image"
        )
        return Result(text=text, images=images, data=data, is_error=bool(answer.is_error))

    async def end(self) -> None:
        """End the session."""
        self._ends.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_LIMIT):
                await self._task


async def _ignore(progress: float, total: float | None, message: str | None) -> None:
    """Take the progress: without it a server bounds calls to what clients wait for."""


class Clients:
    """Clients of a server: one for each caller, or one alone where it serves one slot."""

    def __init__(self, opener: Opener, profile: str = "") -> None:
        self._opener = opener
        self._profile = profile
        """The browser of the slot that has the server for itself, as over stdio."""
        self._connections: dict[str, Connection] = {}

    async def call(self, arguments: Mapping[str, Any], *, caller: Caller) -> Result:
        """Make a call; raises `ActionError`."""
        key = "" if self._profile else f"{caller.principal}/{caller.session}"
        if key not in self._connections:
            self._connections[key] = Connection(self._opener)
        return await self._connections[key].call(arguments)

    async def end_session(self, key: str) -> None:
        """End a session, or start another browser: the next scenario finds nothing of this one."""
        if connection := self._connections.pop(key, None):
            await connection.end()
        elif own := self._connections.get(""):
            for action in ("close", "launch"):
                fields = {"resource": "browser", "action": action, "profile": self._profile}
                await own.call(fields)

    async def end(self) -> None:
        """End all sessions."""
        while self._connections:
            await self._connections.popitem()[1].end()


@asynccontextmanager
async def opened(
    through: Through, config: Config, profiles: list[str], folder: Path, log: Path
) -> AsyncIterator[dict[str, Web]]:
    """Open the way to the tool for each profile; servers work in `folder`, and write to `log`."""
    if through == "python":
        async with open_router(config=config) as router:
            await router.prepare("browser.eval")
            yield dict.fromkeys(profiles, router)
        return
    environ = environment(config)
    async with AsyncExitStack() as stack:
        errors: Any = stack.enter_context(log.open("ab"))
        if through == "http":
            url = await stack.enter_async_context(_served(environ, folder, errors))
            shared = Clients(lambda: streamable_http_client(url))
            clients = dict.fromkeys(profiles, shared)
        else:
            server = StdioServerParameters(
                command=sys.executable, args=["-m", "strap", "serve"], env=environ, cwd=folder
            )
            opener = partial(stdio_client, server, errlog=errors)
            clients = {profile: Clients(opener, profile) for profile in profiles}
        for client in clients.values():
            stack.push_async_callback(client.end)
        yield dict(clients)


def environment(config: Config) -> dict[str, str]:
    """Return the variables that give a server this configuration, beside those of its file."""
    others = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
    own = {k: v for k, v in config.environ.items() if k.startswith("STRAP_")}
    own |= {"STRAP_HOME": str(config.home), "STRAP_OUTPUTS": str(config.outputs)}
    if config.network:
        own["STRAP_NETWORK"] = config.network
    if config.source:
        own["STRAP_CONFIG"] = str(config.source)
    for key, value in config.plugins.get("browser", {}).items():
        own[f"STRAP_BROWSER__{key.upper()}"] = (
            value if isinstance(value, str) else json.dumps(value)
        )
    return {**others, **own, VARIABLE: "1"}


@asynccontextmanager
async def _served(environ: Mapping[str, str], folder: Path, errors: Any) -> AsyncIterator[str]:
    before = errors.tell()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "strap", "serve", "--http", "--port", "0", "--drain", "2",
        cwd=folder, env=environ, stdin=asyncio.subprocess.DEVNULL, stdout=errors, stderr=errors,
    )  # fmt: skip
    try:
        async with asyncio.timeout(START_LIMIT):
            while not (address := _address_in(Path(errors.name), before)):
                if process.returncode is not None:
                    what = "strap serve --http ended before it could be reached"
                    raise ActionError(f"{what}; {errors.name} says why.", code="browser_error")
                await asyncio.sleep(LOOK_AGAIN)
        yield address
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


def _address_in(log: Path, start: int) -> str:
    match = _ADDRESS.search(log.read_bytes()[start:].decode("utf-8", "replace"))
    return match[0] if match else ""
