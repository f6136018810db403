"""The tool as scenarios reach it: over MCP, from servers started for them, or in Python."""

import asyncio
import json
import os
import re
import sys
from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from strap import ActionError, Caller, Config, Image, Result, open_router
from strap_cases.running.session import Web
from strap_cases.sanity.told import data_of

Through = Literal["mcp", "http", "python"]
TOOL = "web"
ERROR_META = "strap/error"
START_LIMIT = 60.0
"""Seconds for a server to start on a loaded machine."""
END_LIMIT = 20.0
CALL_LIMIT = 600.0
"""Seconds for a call: more than any budget of a scenario."""
WIDER: Mapping[str, Mapping[str, int]] = {
    "network": {"limit": 300, "max_tokens": 100_000},
    "console": {"limit": 200, "max_tokens": 100_000},
}
"""Fields with which the text of an answer has everything that is kept."""
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
        action = str(arguments.get("action"))
        given = {**arguments, **(WIDER.get(action, {}) if not arguments.get("ref") else {})}
        answer: Any = await session.call_tool(
            TOOL, given, read_timeout_seconds=CALL_LIMIT, progress_callback=_told
        )
        return _result(action, answer)

    async def end(self) -> None:
        """End the session."""
        self._ends.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_LIMIT):
                await self._task


async def _told(progress: float, total: float | None, message: str | None) -> None:
    """Take the progress: without it a server bounds calls to what clients wait for."""


def _result(action: str, answer: Any) -> Result:
    text = "\n".join(part.text for part in answer.content if part.type == "text")
    if failed := (answer.meta or {}).get(ERROR_META):
        raise ActionError(text, code=failed["code"])
    images = tuple(
        Image(data=b64decode(part.data), mime=part.mime_type)
        for part in answer.content
        if part.type == "image"
    )
    return Result(
        text=text, images=images, data=data_of(action, text), is_error=bool(answer.is_error)
    )


class OverStdio:
    """A server that is spawned for one slot, as users do it: it has one caller."""

    def __init__(self, environ: Mapping[str, str], folder: Path, profile: str, log: Any) -> None:
        self._profile = profile
        command = ["-m", "strap", "serve"]
        server = StdioServerParameters(
            command=sys.executable, args=command, env=dict(environ), cwd=folder
        )
        self._connection = Connection(lambda: stdio_client(server, errlog=log))

    async def call(self, arguments: Mapping[str, Any], *, caller: Caller) -> Result:
        """Make a call; raises `ActionError`."""
        return await self._connection.call(arguments)

    async def end_session(self, key: str) -> None:
        """Start another browser in place of this one: the next scenario finds nothing of it."""
        for action in ("close", "launch"):
            fields = {"resource": "browser", "action": action, "profile": self._profile}
            await self._connection.call(fields)

    async def end(self) -> None:
        """End the server."""
        await self._connection.end()


class OverHttp:
    """A session of a server that is shared, for each caller."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._sessions: dict[str, Connection] = {}

    async def call(self, arguments: Mapping[str, Any], *, caller: Caller) -> Result:
        """Make a call; raises `ActionError`."""
        key = f"{caller.principal}/{caller.session}"
        if key not in self._sessions:
            self._sessions[key] = Connection(lambda: streamable_http_client(self._url))
        return await self._sessions[key].call(arguments)

    async def end_session(self, key: str) -> None:
        """End a session: the server closes its pages."""
        if connection := self._sessions.pop(key, None):
            await connection.end()

    async def end(self) -> None:
        """End all sessions."""
        for key in list(self._sessions):
            await self.end_session(key)


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
    with log.open("ab") as errors:
        async with AsyncExitStack() as stack:
            webs: dict[str, Web] = {}
            if through == "http":
                url = await stack.enter_async_context(_served(environ, folder, errors))
                shared = OverHttp(url)
                stack.push_async_callback(shared.end)
                webs = dict.fromkeys(profiles, shared)
            for profile in profiles if through == "mcp" else ():
                own = OverStdio(environ, folder, profile, errors)
                stack.push_async_callback(own.end)
                webs[profile] = own
            yield webs


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
    return {**others, **own}


@asynccontextmanager
async def _served(environ: Mapping[str, str], folder: Path, errors: Any) -> AsyncIterator[str]:
    """Serve over HTTP on a free port of loopback until the block is left; yields the address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "strap", "serve", "--http", "--port", "0", "--drain", "2",
        cwd=folder, env=dict(environ), stdin=asyncio.subprocess.DEVNULL, stdout=errors,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    reading: asyncio.Task[None] | None = None
    try:
        async with asyncio.timeout(START_LIMIT):
            while not (
                found := _ADDRESS.search(line := (await process.stderr.readline()).decode())
            ):
                errors.write(line.encode())
                if not line:
                    what = "strap serve --http ended before it could be reached"
                    raise ActionError(f"{what}; {errors.name} says why.", code="browser_error")
        reading = asyncio.create_task(_passed_on(process.stderr, errors))
        yield found[0]
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        if reading is not None:
            await reading


async def _passed_on(source: asyncio.StreamReader, errors: Any) -> None:
    while line := await source.readline():
        errors.write(line)
