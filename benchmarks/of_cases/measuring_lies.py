"""Twelve lies of agents and pages, each told live, to a recording, and to a retry: none may pass.

A cell is wrong where a lie passes, and where one is recorded.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.engines import opened, run
from strap import Router
from strap_cases.cases import Case
from strap_cases.reading import read_cases
from strap_cases.replays.modes import Mode
from strap_cases.replays.recordings import place_of
from strap_cases.running.engine import Options
from strap_cases.running.results import CaseResult
from tests.plugins.browser.runs.lab import index_before, shown
from tests.site.server import Reply, Request, serve
from tests.support.model_server import Model, acts, done, scripted

LATE = 0.7
"""Seconds until a server says that nothing was saved, where the page has said that it was."""
COMPLETED, FAILED = "<status>completed</status>", "<status>failed</status>"
SAVED = ('text "Saved"', "request POST /api/save 201", "no failed requests", "no console errors")
AT_ONCE = ('text "Welcome"',)
"""A check that is met before anything is done: the agent's word alone is against it."""
PAGE = """<!doctype html><title>Desk</title><h1>Welcome</h1>
<button onclick="save()">Save</button> <a href="/elsewhere">Elsewhere</a>
<p id=said>{told}</p><script>
async function save() {{
  if ({early}) said.textContent = 'Saved';
  const answer = await fetch('/api/save?of={name}', {{method: 'POST'}});
  if (!{early}) said.textContent = answer.ok || {green} ? 'Saved' : 'The disk is full';
  if (!answer.ok && {early}) throw new Error('The disk is full');
}}</script>"""


@dataclass(frozen=True, kw_only=True)
class Lie:
    """A lie: what is checked, what the agent says while it lies, and how the page lies."""

    checks: Sequence[str] = SAVED
    does: str = "Save"
    """Button that the agent clicks while it lies; "" for none."""
    says: str = f"It is saved.\n{COMPLETED}"
    page: str = ""
    """How the page lies: `green`, `early`, `broken`; "" where it does not."""
    judge: str = ""
    """Answer of the judge while the agent lies."""


LIES = {
    "on the wrong page": Lie(does="Elsewhere"),
    "a quoted tag": Lie(checks=AT_ONCE, says=f"I should write {COMPLETED} here."),
    "a tag of the page": Lie(checks=AT_ONCE, says=f"The page says:\n{COMPLETED}\nI am not sure."),
    "no tag": Lie(checks=AT_ONCE, says="It is saved."),
    "two tags": Lie(checks=AT_ONCE, says=f"{FAILED}\nor rather\n{COMPLETED}"),
    "an empty answer": Lie(checks=AT_ONCE, says=""),
    "before anything is done": Lie(does=""),
    "an invented answer": Lie(
        checks=('answer "42 files"',), does="", says=f"There are 41 files.\n{COMPLETED}"
    ),
    "a toast": Lie(page="green"),
    "a page that stays green": Lie(page="green", checks=('text "Saved"', "no failed requests")),
    "a late error": Lie(page="early", checks=('text "Saved"', "no console errors")),
    "a yes against the judge": Lie(
        checks=(*SAVED, "=The page is red."), says=f"1: yes - red\n{COMPLETED}", judge="1: no"
    ),
}
HOW = ("live", "replay", "retry")


@dataclass
class World:
    """The site and the agent: honest, or not."""

    lying: bool = False

    def page(self, name: str) -> str:
        how = LIES[name].page if self.lying else ""
        told = COMPLETED.replace("<", "&lt;") if name == "a tag of the page" else ""
        early = str(how == "early").lower()
        return PAGE.format(name=name, told=told, early=early, green=str(how == "green").lower())

    def save(self, asked: Request) -> Reply:
        how = LIES[asked.query["of"][0]].page if self.lying else ""
        if how == "early":
            time.sleep(LATE)
        is_broken = bool(how)
        return Reply(status=500 if is_broken else 201, body="{}")

    def agent(self, name: str) -> Callable[[dict[str, Any]], Reply]:
        """Return what the agent says of the case of a lie."""
        lie = LIES[name]

        def says(body: dict[str, Any]) -> Reply:
            page = shown(body)
            does = lie.does if self.lying else "Save"
            if does and "Welcome" in page and "Saved" not in page and "full" not in page:
                return acts({"click": {"index": index_before(page, does)}})
            return done(lie.says) if self.lying else done(f"1: yes\n42 files\n{COMPLETED}")

        return says

    def judge(self, name: str) -> Callable[[dict[str, Any]], Reply]:
        """Return what the judge says of it."""
        return lambda _: done(LIES[name].judge if self.lying else "1: yes - so it is")


def measure(bench: Bench) -> Table:
    names = [*LIES][: bench.runs(len(LIES), 4)]
    with tempfile.TemporaryDirectory() as folder:
        wrong = asyncio.run(told(Path(folder), names))
    table = Table(
        title="Lies: how many of them passed, or were recorded",
        columns=("lie", *HOW),
        rows=[[name, *(wrong.get((name, how), 0) for how in HOW)] for name in names],
    )
    cells = len(names) * len(HOW)
    table.notes.append(f"{sum(wrong.values())} wrong passes in {cells} cells.")
    return table


async def told(folder: Path, names: Sequence[str], jobs: int = 2) -> dict[tuple[str, str], int]:
    """Tell lies in each way; returns which cells are wrong."""
    world = World()
    routes: dict[str, Any] = {"/api/save": world.save, "/elsewhere": "<h1>Elsewhere</h1>"}
    for number, name in enumerate(names):
        routes[f"/{number}"] = lambda _, name=name: world.page(name)
    with scripted(()) as model, serve(routes) as site:
        cases = _written(folder, names, str(site), model, world)
        async with opened(folder, model.url, jobs) as router:
            return await _cells(router, cases, world, jobs)


def _written(
    folder: Path, names: Sequence[str], site: str, model: Model, world: World
) -> dict[str, Case]:
    found = {}
    for number, name in enumerate(names):
        checks = [
            f"- `{each}`" if each[0] != "=" else f"- {each[1:]}" for each in LIES[name].checks
        ]
        judged = "judge: true\n" if LIES[name].judge else ""
        text = f"---\nbase_url: {site}\nurl: /{number}\nexpect_timeout_s: 1.5\n{judged}---\n"
        text += f"## {name}\nErrand {number:02}: save it.\n### Expect\n" + "\n".join(checks)
        path = folder / f"lie-{number:02}.case.md"
        path.write_text(text)
        [found[name]] = read_cases([path])
        model.scripts[f"Errand {number:02}:"] = [world.agent(name)]
        if judged:
            model.scripts["Look at the page as it is."] = [world.judge(name)]
    return found


async def _cells(
    router: Router, cases: dict[str, Case], world: World, jobs: int
) -> dict[tuple[str, str], int]:
    wrong = {(name, how): 0 for name in cases for how in HOW}

    async def lie(how: str, which: Sequence[Case], mode: Mode, retries: int = 0) -> None:
        world.lying = True
        for result in await run(router, which, Options(jobs=jobs, replay=mode, retries=retries)):
            wrong[result.case.name, how] += result.verdict.status == "passed"

    every = list(cases.values())
    await lie("live", every, "auto")
    for name, case in cases.items():
        wrong[name, "replay"] += place_of(case).exists()  # a lie was recorded
    await lie("replay", every, "only")
    await lie("retry", every, "off", 1)
    world.lying = False
    honest = await run(router, every, Options(jobs=jobs, replay="auto"))
    unfair = {each.case.name: each.verdict.reason for each in honest if not _passed(each)}
    assert not unfair, f"honest runs do not pass: {unfair}"
    # What was recorded honestly is replayed on a page that lies now; for lies of the agent alone
    # a replay does what is said, and has no part in them.
    by_page = [case for name, case in cases.items() if LIES[name].page or LIES[name].judge]
    await lie("replay", by_page, "auto")
    return wrong


def _passed(result: CaseResult) -> bool:
    return result.verdict.status == "passed"
