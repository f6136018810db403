"""Runs of 300 s for clients that give up after 60: by polling, as tasks, over lines that drop."""

import asyncio
import json
import math
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table
from benchmarks.of_long_work.clients import (
    Answer,
    by_coming_back,
    by_polling,
    by_task,
    listening,
)
from tests.site.server import serve
from tests.support.browser import ANY_BROWSER
from tests.support.model_server import Model, act, done, scripted

OF_SERVER = 10
"""Clients of a server over HTTP: it carries out at most 16 runs at a time."""
STEP = 30
"""Seconds of a step: the agent waits no longer."""
SLACK = 300
"""Seconds beyond the length of a run within which it has to end."""
KEY = "sk-scripted-0123456789"
Client = Callable[[Any, dict[str, Any], float], Awaitable[Answer]]
KINDS: dict[str, Client] = {
    "polls get_run": by_polling,
    "takes tasks": by_task,
    "comes back": by_coming_back,
}


class Attempts:
    """All attempts, and what became of each: as many begin at a time as there are cores."""

    def __init__(self, site: str, model: Model, length: int, patience: float) -> None:
        self.told: dict[str, list[tuple[str, float]]] = {name: [] for name in KINDS}
        self._site, self._model, self._length, self._patience = site, model, length, patience
        self._beginning = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(self, kind: str, number: int, place: Any) -> None:
        """Let a client have its run; the next one begins when this one's agent is at work."""
        mark, answer = f"[{kind} {number}]", f"the answer to {kind} {number}"
        at_work, loop = asyncio.Event(), asyncio.get_running_loop()
        wait = act("wait", seconds=min(STEP, self._length) + 1)

        def first(_: Any) -> Any:
            loop.call_soon_threadsafe(at_work.set)
            return wait

        waits = [wait] * (math.ceil(self._length / STEP) - 1)
        self._model.scripts[mark] = [first, *waits, done(answer)]
        async with self._beginning:
            running = asyncio.create_task(self._answered(kind, mark, answer, place))
            running.add_done_callback(lambda _: at_work.set())
            await at_work.wait()
        await running

    async def _answered(self, kind: str, mark: str, answer: str, place: Any) -> None:
        order = {"url": self._site, "task": f"wait {mark}", "budget_s": self._length + SLACK}
        order |= {"step_timeout_s": 4 * STEP, "llm_timeout_s": 60}
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._length + SLACK):
                found = await KINDS[kind](place, order, self._patience)
            how = "answered" if found["result"] == answer else f"wrong: {found['summary']}"
        except Exception as error:  # noqa: BLE001 - each is told
            how = f"{type(error).__name__}: {error}"
        self.told[kind].append((how, time.monotonic() - began))


async def measure(bench: Bench, folder: Path) -> Table:
    clients, length, patience = bench.runs(20, 2), bench.runs(300, 30), bench.runs(60, 12)
    with serve({"/": "<title>Shop</title><h1>Shop</h1>"}) as site, scripted([done("")]) as model:
        attempts = Attempts(str(site), model, length, patience)
        async with AsyncExitStack() as stack:
            places = [[_home(folder / f"own{n}", model.url) for n in range(clients)]]
            for kind in list(KINDS)[1:]:
                homes = [folder / f"{kind} {n}" for n in range(math.ceil(clients / OF_SERVER))]
                made = [listening(_home(home, model.url)) for home in homes]
                urls = [await stack.enter_async_context(each) for each in made]
                places.append([urls[n % len(urls)] for n in range(clients)])
            async with asyncio.TaskGroup() as tasks:
                for number in range(clients):
                    for kind, where in zip(KINDS, places, strict=True):
                        tasks.create_task(attempts.one(kind, number, where[number]))
    return _table(attempts.told, length, patience)


def _table(told: dict[str, list[tuple[str, float]]], length: float, patience: float) -> Table:
    table = Table(
        title=f"Runs of {length} s for clients that give up after {patience} s",
        columns=("the client", "runs", "answered", "shortest, s", "longest, s"),
    )
    for kind, answers in told.items():
        hows = Counter(how for how, _ in answers)
        took = [seconds for how, seconds in answers if how == "answered"] or [math.nan]
        row = [kind, len(answers), hows.pop("answered", 0)]
        table.rows.append([*row, round(min(took), 1), round(max(took), 1)])
        table.notes += [f"{kind}: {how} ({count})" for how, count in hows.items()]
    return table


def _home(home: Path, model: str) -> Path:
    """Make a home with the configuration of a server."""
    home.mkdir(parents=True)
    browser = {key: value for key, value in ANY_BROWSER.items() if value is not None}
    browser |= {"model": "openai/scripted", "model_url": model, "model_key": KEY, "max_runs": 16}
    rows = "".join(f"{name} = {json.dumps(value)}\n" for name, value in browser.items())
    (home / "strap.toml").write_text(f"[plugins.browser]\n{rows}")
    return home
