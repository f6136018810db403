"""The live views of the peers beside strap's, each with a viewer that draws nothing.

How much longer clicks of each take while somebody watches, and how soon a viewer sees the page,
and what it types. Rounds are interleaved: only ratios count.
"""

import asyncio
import base64
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.request import urlopen

from benchmarks.bench import Bench, Table
from benchmarks.of_pages.viewers import Viewer, spread, watching
from benchmarks.peers import HOME, Absent, Tools, agent_browser, npm
from strap import testing
from tests.site.server import serve

SHOWS = """<!doctype html><title>Shows</title><button onclick="this.textContent += 1">Go</button>
<h1></h1><script>onkeydown = (event) => { document.querySelector("h1").textContent += event.key };
</script>"""
CLICKING = (
    "async page => { const took = []; for (let n = 0; n < %d; n++) { const at = Date.now();"
    " await page.click('button'); took.push(Date.now() - at); } return took; }"
)
CLICKS, KEYS = 15, 4
LIMIT, PAUSE = 60.0, 1.2  # seconds for a command or a picture, and between two keys


class Watching(Protocol):
    """A viewer of one of them."""

    async def drawn(self) -> None:
        """Return with the next picture."""

    async def type(self, text: str) -> None:
        """Press the key of a digit, which the page shows."""


@dataclass(kw_only=True)
class Contender:
    """One of them, with its page open; `watch` also notes how soon the first picture came."""

    name: str
    click: Callable[[int], Awaitable[list[float]]]
    watch: Callable[[list[float]], AbstractAsyncContextManager[Watching]]
    alone: list[float] = field(default_factory=list)
    watched: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    echo: list[float] = field(default_factory=list)

    async def round(self) -> None:
        self.alone += await self.click(CLICKS)
        async with self.watch(self.first) as viewer:
            self.watched += await self.click(CLICKS)
            await asyncio.sleep(2 * PAUSE)
            for number in range(KEYS):
                await asyncio.sleep(PAUSE)
                began = time.perf_counter()
                await viewer.type(str(number))
                await viewer.drawn()
                self.echo.append((time.perf_counter() - began) * 1_000)

    def row(self) -> list[Any]:
        alone, watched = statistics.median(self.alone), statistics.median(self.watched)
        late = spread(self.watched)[1] / spread(self.alone)[1]
        seen = ["{} / {}".format(*spread(each)) for each in (self.first, self.echo)]
        return [self.name, alone, watched, f"{watched / alone:.2f}", f"{late:.2f}", *seen]


async def of_peers(bench: Bench, rounds: int) -> Table:
    """Compare them on a page at rest, with a button, that shows what is pressed."""
    columns = ("", "alone", "watched", "watched / alone", "p95 ratio", "first picture", "key seen")
    notes: list[str] = []
    with serve({"/": SHOWS}) as site:
        async with AsyncExitStack() as stack:
            there: list[Contender] = []
            for enter in (_strap, _agent_browser, _playwright):
                try:
                    there.append(await stack.enter_async_context(enter(bench.tools, f"{site}/")))
                except Absent as error:
                    notes.append(f"Not here: {error}")
            for _ in range(rounds):
                for each in there:
                    await each.round()
    title = "Live views: clicks, ms in the median, and ms until seen (median / 95 %)"
    return Table(title=title, columns=columns, rows=[each.row() for each in there], notes=notes)


@asynccontextmanager
async def _strap(_: Tools, url: str) -> AsyncIterator[Contender]:
    call = {"resource": "browser", "action": "click", "selector": "button"}

    async def click(times: int) -> list[float]:
        return [await _timed(web(**call)) for _ in range(times)]

    @asynccontextmanager
    async def watch(first: list[float]) -> AsyncIterator[Watching]:
        async with watching(web, first) as viewer:
            holder = _Holder(viewer)
            yield holder
            await holder.give()

    with tempfile.TemporaryDirectory() as home:
        tables = {"browser": {"headless": True, "port": 0}}
        async with testing.router(home=Path(home), network="local", plugins=tables) as web:
            await web(resource="browser", action="launch")
            await web(resource="browser", action="navigate", url=url)
            yield Contender(name="strap", click=click, watch=watch)


class _Holder:
    """A viewer of strap's, who takes control when they first type."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._holds = False

    async def drawn(self) -> None:
        await self._viewer.drawn()

    async def type(self, text: str) -> None:
        if not self._holds:
            await self._say("take", place=self._viewer.place)
            await self._viewer.becomes("held")
            self._holds = True
        key = {"key": text, "code": f"Digit{text}", "number": ord(text)}
        for kind in ("down", "up"):
            await self._say("key", kind=kind, **key)

    async def give(self) -> None:
        if self._holds:
            await self._say("give", place=self._viewer.place)
            await self._viewer.becomes("agent")

    async def _say(self, what: str, /, **fields: Any) -> None:
        await self._viewer.say(type=what, epoch=self._viewer.epoch, **fields)


class _Stream:
    """A viewer of a peer's socket; `hear` returns whether a message is a picture."""

    def __init__(self, socket: Any, hear: Callable[[dict[str, Any]], bool], types: Any) -> None:
        self._socket, self._hear, self._types = socket, hear, types
        self._news = asyncio.Event()
        self._work = asyncio.create_task(self._read())

    async def drawn(self) -> None:
        self._news.clear()
        async with asyncio.timeout(LIMIT):
            await self._news.wait()

    async def type(self, text: str) -> None:
        for message in self._types(text):
            await self._socket.send(json.dumps(message))

    async def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        with suppress(ConnectionClosed):
            async for data in self._socket:
                told = json.loads(data)
                if self._hear(told):
                    base64.b64decode(told.get("data") or told["params"]["data"])
                    self._news.set()


@asynccontextmanager
async def _agent_browser(tools: Tools, url: str) -> AsyncIterator[Contender]:
    peer = await asyncio.to_thread(agent_browser, tools)
    binary = peer.command[0]

    async def say(*words: str) -> str:
        return await _run(environ, binary, *words)

    async def click(times: int) -> list[float]:
        return [await _timed(say("click", "button")) for _ in range(times)]

    def types(text: str) -> list[dict[str, Any]]:
        key = {"type": "input_keyboard", "key": text, "code": f"Digit{text}"}
        return [{**key, "eventType": "keyDown", "text": text}, {**key, "eventType": "keyUp"}]

    def watch(first: list[float]) -> AbstractAsyncContextManager[Watching]:
        return _stream(address, first, lambda told: told["type"] == "frame", types)

    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        named = {name: text.replace(HOME, home) for name, text in peer.environ.items()}
        environ = {**os.environ, "HOME": home, **named}
        try:
            await say("open", url)
            status = json.loads(await say("stream", "status", "--json"))
            address = f"ws://127.0.0.1:{status['data']['port']}"
            yield Contender(name="agent-browser 0.41.2", click=click, watch=watch)
        finally:
            await say("close")


@asynccontextmanager
async def _playwright(tools: Tools, url: str) -> AsyncIterator[Contender]:
    folder = await asyncio.to_thread(npm, tools, "playwright-cli", "@playwright/cli@0.1.22")
    program = str(tools.node), str(folder / "@playwright/cli/playwright-cli.js")

    async def say(*words: str) -> str:
        return await _run(environ, *program, *words, cwd=home)

    async def click(times: int) -> list[float]:
        # Within its process: a command of its own takes longer than a click.
        return [
            float(each) for each in json.loads(await say("--raw", "run-code", CLICKING % times))
        ]

    def types(text: str) -> list[dict[str, Any]]:
        asked = {"id": 2, "params": {"key": text}}
        return [{**asked, "method": "keydown"}, {**asked, "method": "keyup"}]

    def watch(first: list[float]) -> AbstractAsyncContextManager[Watching]:
        return _stream(address, first, lambda told: told.get("method") == "frame", types, _selected)

    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "HOME": home}
        args = [] if tools.sandbox else ["--no-sandbox"]
        launch = {"executablePath": str(tools.browser), "headless": True, "args": args}
        config = f"{home}/config.json"
        settings = json.dumps({"browser": {"launchOptions": launch}})
        await asyncio.to_thread(Path(config).write_text, settings)
        await say(f"--config={config}", "open", url)
        show, pipe = (*program, "show", "--port=0"), asyncio.subprocess.PIPE
        shown = await asyncio.create_subprocess_exec(*show, cwd=home, env=environ, stdout=pipe)
        try:
            out: Any = shown.stdout
            await asyncio.wait_for(out.readuntil(b"Listening on "), LIMIT)
            line = (await out.readline()).decode()
            address = await asyncio.to_thread(_dashboard, line.split()[0])
            yield Contender(name="Playwright dashboard 0.1.22", click=click, watch=watch)
        finally:
            await say("show", "--kill")
            await shown.wait()
            await say("close-all")


def _dashboard(url: str) -> str:
    """Return the address of the dashboard's socket, to which its front page leads."""
    with urlopen(url) as answer:
        found = re.search(r"ws=([\w-]+)", answer.url)
    assert found is not None
    return f"{url.replace('http', 'ws', 1).rstrip('/')}/{found.group(1)}"


async def _selected(socket: Any) -> None:
    """Choose the first tab that the dashboard tells of."""
    async for data in socket:
        told = json.loads(data)
        if told.get("method") == "tabs" and (tabs := told["params"]["tabs"]):
            tab = {name: tabs[0][name] for name in ("browser", "context", "page")}
            await socket.send(json.dumps({"id": 1, "method": "selectTab", "params": tab}))
            return


@asynccontextmanager
async def _stream(
    address: str,
    first: list[float],
    hear: Callable[[dict[str, Any]], bool],
    types: Callable[[str], list[dict[str, Any]]],
    begin: Callable[[Any], Awaitable[None]] | None = None,
) -> AsyncIterator[Watching]:
    from websockets.asyncio.client import connect

    began = time.perf_counter()
    async with connect(address, proxy=None, max_size=None) as socket:
        if begin is not None:
            await begin(socket)
        viewer = _Stream(socket, hear, types)
        await viewer.drawn()
        first.append((time.perf_counter() - began) * 1_000)
        yield viewer


async def _timed(call: Awaitable[Any]) -> float:
    began = time.perf_counter()
    await call
    return (time.perf_counter() - began) * 1_000


async def _run(environ: dict[str, str], *command: str, cwd: str | None = None) -> str:
    pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.STDOUT}
    made = await asyncio.create_subprocess_exec(*command, cwd=cwd, env=environ, **pipes)
    out, _ = await asyncio.wait_for(made.communicate(), LIMIT)
    if made.returncode:
        raise Absent(f"{' '.join(command[-2:])}: {out.decode().strip()[-200:]}")
    return out.decode()
