"""Cases of a folder, run by strap itself in this process, with a model of one's own script."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from strap import Config, Router, open_router
from strap.scripts.script import Line
from strap_cases.cases import Case
from strap_cases.replays.recordings import Recording, place_of, write
from strap_cases.running.case_attempts import digest
from strap_cases.running.configuring import for_cases
from strap_cases.running.engine import Engine, Options
from strap_cases.running.results import CaseResult


def config_in(folder: Path, model: str = "", jobs: int = 1) -> Config:
    """Return a configuration for cases in a folder; `model` is the address of one."""
    config = Config.load(network="local")
    browser = {**config.plugins.get("browser", {}), "headless": True}
    if model:
        browser |= {"model": "openai/none", "model_url": model, "model_key": "none-0123456789"}
    plugins: Mapping[str, Mapping[str, object]] = {**config.plugins, "browser": browser}
    return for_cases(replace(config, plugins=plugins), folder / "data", jobs=jobs)


@asynccontextmanager
async def opened(folder: Path, model: str, jobs: int = 1) -> AsyncIterator[Router]:
    """Open a router for `jobs` cases at a time."""
    async with open_router(config=config_in(folder, model, jobs)) as router:
        yield router


async def run(router: Router, cases: Sequence[Case], options: Options) -> list[CaseResult]:
    """Run cases, and return what became of each, by their names."""
    results: list[CaseResult] = []

    async def tell(result: CaseResult) -> None:
        results.append(result)

    engine = Engine(router, options)
    await engine.prepare(agent=False)
    await engine.run(cases, tell)
    return sorted(results, key=lambda result: result.case.name)


def record(case: Case, lines: Sequence[Line]) -> Path:
    """Write a recording of a case, and return its file."""
    recording = Recording(segments=[lines], steps=digest(case, {}))
    write(recording, case.name, place_of(case))
    return place_of(case)
