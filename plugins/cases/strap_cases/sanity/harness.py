"""Runs scenarios, several at a time: a browser for each slot, a session and a site for each one."""

import asyncio
import os
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from strap import Config, StrapError, open_router, record
from strap_cases.running.configuring import PROFILE, for_cases
from strap_cases.running.session import CaseSession, Web
from strap_cases.sanity.bundle import keep
from strap_cases.sanity.model import KEY, ScriptedModel, scripted_model
from strap_cases.sanity.scenario_run import Evidence, EvidenceSession, perform
from strap_cases.sanity.scenarios import Scenario
from strap_cases.sanity.script import parse_script
from strap_cases.sanity.site.server import serve_site
from strap_cases.sanity.transports import Through, opened

SCRIPTED, LIAR = "scripted", "scripted-liar"
"""Models that need no key: they say what scenarios have as `script honest` and `script liar`."""
LIE = parse_script('done success "Done, everything worked."')
"""Script of the liar for scenarios that have none for it."""
LOG = "stderr.log"
"""File in the bundle with the output of the servers."""
Record = dict[str, Any]
Tell = Callable[[Record], Awaitable[None]]


@record
class Order:
    """Scenarios to run, how, and the folder for the results."""

    scenarios: Sequence[Scenario]
    out: Path
    jobs: int
    repeat: int = 1
    local: bool = True
    """Whether they are about the local site, rather than about the public web."""
    headed: bool = False
    through: Through = "python"
    """How the tool is reached: a spawned server over stdio (`mcp`), one over HTTP, this process."""


async def run_model(order: Order, model: str, config: Config, home: Path, tell: Tell) -> None:
    """Run all scenarios with one model; raises `StrapError`, `OSError`."""
    with _played(model) as (played, settings):
        own = "" if played else model
        config = for_cases(config, home, jobs=order.jobs, model=own, headed=order.headed)
        browser = {**config.plugins["browser"], **settings}
        config = replace(config, plugins={**config.plugins, "browser": browser})
        profiles = [PROFILE.format(number) for number in range(1, order.jobs + 1)]
        if played is None:  # a model that cannot be asked is told once, not in each scenario
            async with open_router(config=config) as router:
                await router.prepare("browser.eval")
        async with opened(order.through, config, profiles, home, order.out / LOG) as webs:
            await _prepare(webs)
            runner = _Runner(order, model, played, tell)
            try:
                async with asyncio.TaskGroup() as group:
                    for profile, web in webs.items():
                        group.create_task(runner.slot(profile, web))
            except ExceptionGroup as errors:
                raise errors.exceptions[0] from None


@contextmanager
def _played(model: str) -> Iterator[tuple[ScriptedModel | None, dict[str, Any]]]:
    if model not in (SCRIPTED, LIAR):
        yield None, {}
        return
    with scripted_model() as (played, url):
        yield played, {"model": f"openai/{model}", "model_url": url, "model_key": KEY}


async def _prepare(webs: Mapping[str, Web]) -> None:
    sessions = [CaseSession(web, profile, "prepare") for profile, web in webs.items()]
    waiting = (session.launch() for session in sessions)
    for failed in await asyncio.gather(*waiting, return_exceptions=True):
        if failed is not None:
            raise failed
    for session in sessions:
        await session.end()


class _Runner:
    def __init__(self, order: Order, model: str, played: ScriptedModel | None, tell: Tell) -> None:
        self._order = order
        self._model = model
        self._played = played
        self._tell = tell
        numbers = range(1, order.repeat + 1)
        self._left = deque((scenario, n) for n in numbers for scenario in order.scenarios)

    async def slot(self, profile: str, web: Web) -> None:
        """Run scenarios in one browser until none is left."""
        while self._left:
            scenario, number = self._left.popleft()
            name = f"{scenario.id}-{number}"
            evidence = await self._run_scenario(scenario, EvidenceSession(web, profile, name))
            model = re.sub(r"[^\w.-]+", "_", self._model)
            folder = self._order.out / scenario.id / model / str(number)
            write = partial(keep, folder, scenario, evidence, model=self._model, number=number)
            await self._tell(await asyncio.to_thread(write))

    async def _run_scenario(self, scenario: Scenario, session: EvidenceSession) -> Evidence:
        """Run a scenario; one that raises is its own failure, and the others go on."""
        opened = serve_site(scenario.faults) if self._order.local else nullcontext(None)
        with opened as site:
            case, evidence = scenario.case, session.evidence
            if site is not None:
                settings = case.settings.model_copy(update={"base_url": site.url})
                case = replace(case, settings=settings)
            script = scenario.scripts.get("liar" if self._model == LIAR else "honest", LIE)
            plays = self._played.performs(case.settings.base_url, script) if self._played else None
            try:
                with plays or nullcontext():
                    await perform(case, session)
            except Exception as error:  # noqa: BLE001 - it is told, as what became of it
                kind = "" if isinstance(error, StrapError) else f"{type(error).__name__}: "
                evidence = Evidence(broken=f"{kind}{error}", calls=session.calls)
            evidence.site_log = site.log if site else []
        return evidence


def own_children() -> set[int]:
    """Return the processes that this one has started, where the system tells (Linux)."""
    children = set[int]()
    for file in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        children |= {int(pid) for pid in file.read_text().split()}
    return children
