"""Cost of a viewer for the agent, and the delay until a viewer sees what happened.

In this process, with a viewer that draws nothing: what is measured is strap and Chromium. A plain
screencast, as the peers have it, is beside it. Rounds are interleaved: only ratios count.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from benchmarks.bench import Bench, Table
from benchmarks.of_pages.live_peers import of_peers
from benchmarks.of_pages.live_runs import of_crowds, of_runs
from benchmarks.of_pages.viewers import spread, watching
from strap import testing
from strap_browser.cdp.connection import CdpConnection

WAYS = ("nobody watches", "watched", "plain screencast")
BURST = 20
"""Clicks and fills one behind the other: so many that most meet no still."""
CLICK = {"resource": "browser", "action": "click", "selector": "button"}
FILL = {"resource": "browser", "action": "fill", "selector": "input"}
REST = (
    "<!doctype html><title>Rest</title><input><button onclick='this.textContent += 1'>Go</button>"
)
MOVING = f"""{REST}<style>div {{ width: 40px; height: 40px; background: red;
animation: go 1s infinite alternate linear }} @keyframes go {{ to {{
transform: translateX(600px) }} }}</style><div></div>"""


def measure(bench: Bench) -> list[Table]:
    return asyncio.run(_measure(bench, bench.runs(12, 4), bench.part))


async def _measure(bench: Bench, rounds: int, part: str) -> list[Table]:
    tables: list[Table] = []
    if part in ("", "calls"):
        tables += await _of_calls(rounds)
    if part in ("", "runs"):
        tables.append(await of_runs(max(2, rounds // 3)))
    if part in ("", "crowds"):
        tables.append(await of_crowds())
    if part in ("", "peers"):
        tables.append(await of_peers(bench, max(2, rounds // 3)))
    return tables


async def _of_calls(rounds: int) -> list[Table]:
    rows: list[list[Any]] = []
    first: list[float] = []
    echo: list[float] = []
    pauses: list[float] = []
    for name, html in (("at rest", REST), ("moving", MOVING)):
        took: dict[tuple[str, str], list[float]] = {}
        with tempfile.TemporaryDirectory() as home:
            tables = {"browser": {"headless": True, "port": 0}}
            async with testing.router(home=Path(home), network="local", plugins=tables) as web:
                await web(resource="browser", action="launch")
                await web(resource="browser", action="evaluate", text=_show(html))
                for _ in range(rounds):
                    for way in WAYS:
                        async with _looking(web, way, first):
                            await _act(web, way, took)
                if html is REST:
                    await _echoes(web, echo, rounds)
                    await _pauses(web, pauses, rounds)
        rows += [_row(name, action, took) for action in ("click", "fill")]
    columns = ("page", "action", *WAYS, "watched / nobody", "screencast / nobody", "p95 ratio")
    return [
        Table(title="Actions while somebody watches, median ms", columns=columns, rows=rows),
        Table(
            title="How soon it is seen, ms",
            columns=("", "median", "95 %"),
            rows=[
                ["socket open to first picture", *spread(first)],
                ["key of the holder to the picture with it", *spread(echo)],
                ["order to pause an idle agent to paused", *spread(pauses)],
            ],
        ),
    ]


def _show(html: str) -> str:
    return f"document.documentElement.innerHTML = {html!r}; 0"


async def _act(web: testing.Web, way: str, took: dict[tuple[str, str], list[float]]) -> None:
    for number in range(BURST):
        for name, call in (("click", CLICK), ("fill", {**FILL, "value": f"{number}"})):
            began = time.perf_counter()
            await web(**call)
            took.setdefault((name, way), []).append((time.perf_counter() - began) * 1_000)


@asynccontextmanager
async def _looking(web: testing.Web, way: str, first: list[float]) -> AsyncIterator[None]:
    if way == "watched":
        async with watching(web, first):
            yield
    elif way == "plain screencast":
        async with _casting(web):
            yield
    else:
        yield


@asynccontextmanager
async def _casting(web: testing.Web) -> AsyncIterator[None]:
    status = (await web(resource="browser", action="status", profile="nebo")).data
    told = await asyncio.to_thread(_read, status["profiles"][0]["cdp_url"] + "/json/version")
    cdp = await CdpConnection.connect(json.loads(told)["webSocketDebuggerUrl"])
    try:
        targets = (await cdp.call("Target.getTargets"))["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        session = await cdp.attach(page)

        def acknowledge(told: dict[str, Any]) -> None:
            session.send("Page.screencastFrameAck", sessionId=told["sessionId"])

        session.on("Page.screencastFrame", acknowledge)
        await session.send("Page.startScreencast", format="jpeg", quality=60)
        yield
        await session.send("Page.stopScreencast")
    finally:
        await cdp.aclose()


def _read(url: str) -> bytes:
    with urlopen(url) as answer:
        body: bytes = answer.read()
    return body


async def _echoes(web: testing.Web, echo: list[float], rounds: int) -> None:
    """Press keys as the holder, at rest, and wait for the picture that shows each."""
    async with watching(web, []) as viewer:
        place = viewer.place
        await viewer.say(type="take", place=place, epoch=viewer.epoch)
        await asyncio.sleep(0.5)
        for kind in ("down", "up"):
            await viewer.say(type="mouse", epoch=viewer.epoch, kind=kind, x=60, y=12)
        await asyncio.sleep(2)
        for number in range(rounds * 2):
            await asyncio.sleep(1.2)  # until the sharp still has come
            began = time.perf_counter()
            await viewer.say(type="text", epoch=viewer.epoch, text=str(number % 10))
            await viewer.drawn()
            echo.append((time.perf_counter() - began) * 1_000)
        await viewer.say(type="give", place=place, epoch=viewer.epoch)
        await asyncio.sleep(0.2)


async def _pauses(web: testing.Web, pauses: list[float], rounds: int) -> None:
    """Pause and resume an agent that does nothing."""
    async with watching(web, []) as viewer:
        for _ in range(rounds * 2):
            for order, state in (("pause", "paused"), ("resume", "agent")):
                began = time.perf_counter()
                await viewer.say(type=order, place=viewer.place, epoch=viewer.epoch)
                await viewer.becomes(state)
                if order == "pause":
                    pauses.append((time.perf_counter() - began) * 1_000)


def _row(page: str, action: str, took: dict[tuple[str, str], list[float]]) -> list[Any]:
    middles = [statistics.median(took[action, way]) for way in WAYS]
    late = [spread(took[action, way])[1] for way in WAYS]
    ratios = [f"{middles[at] / middles[0]:.2f}" for at in (1, 2)]
    return [
        page,
        action,
        *(round(each, 1) for each in middles),
        *ratios,
        f"{late[1] / late[0]:.2f}",
    ]
