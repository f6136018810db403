"""Cost of viewers for a run of the agent, and for the server where many watch or read nothing."""

import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from benchmarks.bench import Table
from benchmarks.of_pages.viewers import Viewer, spread, watching
from strap import testing
from tests.site.server import serve
from tests.support.model_server import act, done, scripted

STEPS = 6
REST = "<!doctype html><title>Rest</title><button onclick='this.textContent += 1'>Go</button>"
CHANGING = f"""{REST}<script>setInterval(() => {{
document.body.style.paddingLeft = `${{Date.now() % 500}}px`; }}, 100)</script>"""
"""A page with ten pictures a second."""
CROWD, STALLED = 50, 20
LOOK = 3.0
"""Seconds for which a crowd looks at a page that changes."""


async def of_runs(rounds: int) -> Table:
    """Steps of a run of the agent, watched and not, in turns: the model answers at once."""
    took: dict[bool, list[float]] = {False: [], True: []}
    script = [*(act("click", index=1) for _ in range(STEPS)), done("ok")]
    with (
        serve({"/": REST}) as site,
        scripted(script) as model,
        tempfile.TemporaryDirectory() as home,
    ):
        own = {"model": "openai/scripted", "model_url": model.url, "model_key": "sk-scripted"}
        tables = {"browser": {"headless": True, "port": 0, **own}}
        async with testing.router(home=Path(home), network="local", plugins=tables) as web:
            await _run(web, model, f"{site}/", watched=False)  # loads the agent
            for _ in range(rounds):
                for watched in (False, True):
                    took[watched] += await _run(web, model, f"{site}/", watched=watched)
    middles = [statistics.median(took[watched]) * 1_000 for watched in (False, True)]
    late = [spread(took[watched])[1] for watched in (False, True)]
    row = [*map(round, middles), f"{middles[1] / middles[0]:.2f}", f"{late[1] / late[0]:.2f}"]
    columns = ("", "nobody watches", "watched", "watched / nobody", "p95 ratio")
    return Table(title="Step of a run of the agent, median ms", columns=columns, rows=[["", *row]])


async def _run(web: testing.Web, model: Any, url: str, *, watched: bool) -> list[float]:
    """Run once; returns the seconds that each step took, model and page."""
    model.forget()
    call = asyncio.create_task(
        web(resource="browser", action="eval", url=url, task="Press it", mode="compact")
    )
    async with AsyncExitStack() as stack:
        if watched:
            await stack.enter_async_context(watching(web, kind="run"))
        answer = await call
    events = await web(
        resource="browser", action="get_run_events", session_id=answer.data["session_id"],
        event_types=["agent"], include_details=True, max_tokens=50_000,
    )  # fmt: skip
    steps = [event["details"].get("took") for event in events.data["events"]]
    return [took["model_s"] + took["page_s"] for took in steps if took][1:-1]


async def of_crowds() -> Table:
    """Pictures and processor time with one viewer, fifty, and some that read nothing.

    One of them has control and lets the others see: so all get what the page draws.
    """
    rows = []
    with serve({"/": CHANGING}) as site, tempfile.TemporaryDirectory() as home:
        tables = {"browser": {"headless": True, "port": 0}}
        async with testing.router(home=Path(home), network="local", plugins=tables) as web:
            await web(resource="browser", action="launch")
            await web(resource="browser", action="navigate", url=f"{site}/")
            for drawing, stalled in ((1, 0), (CROWD, 0), (5, STALLED)):
                rows.append([f"{drawing}, and {stalled} that draw nothing"])
                rows[-1] += await _crowd(web, drawing, stalled)
    columns = ("viewers", "pictures a second of one", "% of a core, with its clients")
    return Table(
        title="Many viewers of a page that changes ten times a second", columns=columns, rows=rows
    )


async def _crowd(web: testing.Web, drawing: int, stalled: int) -> list[Any]:
    async with AsyncExitStack() as stack:
        viewers: list[Viewer] = []
        for number in range(drawing + stalled):
            viewer = await stack.enter_async_context(watching(web))
            viewer.draws = number < drawing
            viewers.append(viewer)
        holder = viewers[0]
        await holder.say(type="take", place=holder.place, epoch=holder.epoch)
        await holder.becomes("held")
        await holder.say(type="share", epoch=holder.epoch, on=True)
        await asyncio.sleep(1)
        other = viewers[drawing - 1]  # the holder alone, or somebody who is let see
        before, used, began = other.drawings, time.process_time(), time.monotonic()
        await asyncio.sleep(LOOK)
        lasted = time.monotonic() - began
        percent = 100 * (time.process_time() - used) / lasted
        pictures = (other.drawings - before) / lasted
        await holder.say(type="give", place=holder.place, epoch=holder.epoch)
        await holder.becomes("agent")
        return [round(pictures, 1), round(percent, 1)]
