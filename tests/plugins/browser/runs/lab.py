"""The real agent in a real Chromium, with a scripted model; and what must hold after every run."""

import asyncio
import json
import os
from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import jsonschema

from strap import testing
from strap_agent.contract import json_schema
from strap_agent.store.records import Query
from tests.site.server import Site
from tests.support.browser import ANY_BROWSER, with_own
from tests.support.model_server import Entry, Model, act, scripted
from tests.support.waiting import eventually

KEY = "sk-scripted-0123456789"
NUMBERS = count(1)
RUNS = "strap_browser/runs/"
SCHEMA = json_schema()


@dataclass
class Lab:
    """Runs tasks, each with a script of its own."""

    web: testing.Web
    site: Site
    model: Model
    home: Path
    reports: list[Any] = field(default_factory=list)
    profile: str | None = None
    """The running profile that runs work in; without one each has a browser of its own."""

    async def run(
        self, *script: Entry, path: str = "/", picture: bool = True, **fields: Any
    ) -> dict[str, Any]:
        """Run `script` at a page of the site; checks everything that holds for every run."""
        result = await self.raw(*script, path=path, **fields)
        return await self.checked(result, picture=picture)

    async def raw(self, *script: Entry, path: str = "/", **fields: Any) -> Any:
        task = fields.pop("task", "look around")
        mark = f"[run {next(NUMBERS)}]"
        self.model.scripts[mark] = script
        given = {"url": f"{self.site}{path}", "task": f"{task} {mark}", "mode": "compact"}
        given |= ({"profile": self.profile} if self.profile else {}) | fields
        return await self.web(resource="browser", action="eval", **given)

    async def checked(self, result: Any, *, picture: bool | None = True) -> dict[str, Any]:
        """Return the object in `result`: valid, stored as it is, with pictures, nothing left.

        Without `picture` there is one if a page was reached; None: the browser could give none.
        """
        answer = json.loads(result.text)
        jsonschema.validate(answer, SCHEMA)
        assert result.data == answer
        assert result.images == ()
        assert result.is_error == (answer["status"] == "failed")
        assert KEY not in result.text
        stored = self.stored(answer["session_id"])
        assert stored is not None, answer
        assert stored.answer == answer
        counts = self.store.counts(answer["session_id"])
        assert answer["artifacts"]["screenshots"] == counts["screenshots"]
        if picture or (picture is False and self.reached(answer["session_id"])):
            assert counts["screenshots"] >= 1, answer
        assert answer["errors_top"] or answer["status"] == "success"
        if answer["status"] == "failed":
            query = Query(types=("agent",), has_error=True)
            [last, *_] = self.store.events(answer["session_id"], query)
            assert last.summary.startswith(f"run failed ({answer['stop_reason']}): ")
        await self.nothing_left()
        return answer

    async def nothing_left(self) -> None:
        """No run, browser, worker or task is left; only what the next run is forked from."""
        runs = self.runs
        async with asyncio.timeout(10):
            while runs._tasks:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.02)
        tasks = {t.get_name() for t in asyncio.all_tasks() if RUNS in _file(t)}
        assert tasks <= {"end idle workers"}, tasks
        assert len(list(runs.work.glob("*"))) <= 1
        assert len(browsers()) == (self.profile is not None)
        fork_server = runs._workers._fork_server
        left = {str(fork_server._process.pid)} if fork_server is not None else set()
        but = f"/profiles/{self.profile}/"
        await eventually(lambda: processes(self.home, but) <= left)

    @property
    def runs(self) -> Any:
        return self.web.router.lifespans["browser"].of("agent").runs

    @property
    def store(self) -> Any:
        return self.runs.store

    def reached(self, session_id: str) -> bool:
        """Whether a page was loaded to the end."""
        query = Query(last_n=500, types=("network",))
        return any(
            event.details["resource"] == "Document" and event.details["duration_s"] is not None
            for event in self.store.events(session_id, query)
        )

    def stored(self, session_id: str) -> Any:
        return self.store.run(session_id)

    async def events(self, answer: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
        result = await self.web(
            resource="browser",
            action="get_run_events",
            session_id=answer["session_id"],
            max_tokens=50_000,
            **{"last_n": 200} | fields,
        )
        return json.loads(result.text)["events"]

    async def started(self) -> str:
        """Wait for the only run that goes on to be told of, and return its id."""
        async with asyncio.timeout(30):
            while True:
                listed = await self.web(resource="browser", action="list_runs")
                running = [r for r in listed.data["runs"] if r["status"] == "running"]
                if running:
                    return running[0]["session_id"]
                await asyncio.sleep(0.05)


def running(lab: Lab) -> Any:
    """The only run that goes on."""
    [run] = lab.runs.active.values()
    return run


async def begin(lab: Lab, *script: Entry, **fields: Any) -> asyncio.Task[Any]:
    """Start a run and wait until its worker was told to begin."""
    asked = len(lab.model.asked)
    call = asyncio.create_task(lab.raw(*script, **fields))
    # The first worker of a test imports browser-use, which a busy machine takes half a minute for.
    await eventually(lambda: len(lab.model.asked) > asked, within=100)
    return call


def click(text: str) -> Entry:
    """A click on the element that the agent was shown before `text`."""

    def choose(body: dict[str, Any]) -> Any:
        return act("click", index=index_before(shown(body), text))

    return choose


def enter(name: str, text: str) -> Entry:
    """Text for the field of the name `name`."""

    def choose(body: dict[str, Any]) -> Any:
        return act("input", index=index_before(shown(body), f"name={name}"), text=text)

    return choose


def shown(body: dict[str, Any]) -> str:
    """The page as the agent was shown it."""
    return state_of(body).partition("[Start of page]")[2]


def state_of(body: dict[str, Any]) -> str:
    """Return the browser's last state for the agent: tabs, addresses, and the page."""
    told = (str(message["content"]) for message in reversed(body["messages"]))
    return next(text for text in told if "[Start of page]" in text)


def index_before(state: str, text: str) -> int:
    """The number of the element that comes before `text`."""
    before = state[: state.index(text)]
    return int(before[before.rindex("[") + 1 : before.rindex("]")])


def processes(home: Path, but: str = "/profiles/None/") -> set[str]:
    """The processes that work in `home`, by their ids; not those whose command has `but`."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            at = (folder / "cwd").resolve()
        except OSError:
            continue
        if but.encode() in command:
            continue
        if str(home).encode() in command or at.is_relative_to(home):
            found.add(folder.name)
    return found


def _file(task: asyncio.Task[Any]) -> str:
    """The file of what a task does."""
    code = getattr(task.get_coro(), "cr_code", None)
    return "" if code is None else str(code.co_filename)


def browsers() -> list[int]:
    """The browsers among the direct children of this process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == os.getpid() and b"--remote-debugging-port" in command:
            found.append(int(folder.name))
    return found


@asynccontextmanager
async def laboratory(
    home: Path,
    site: Site,
    resolver: Any = None,
    secrets: Any = None,
    confirm: Sequence[str] = (),
    deny: Sequence[str] = (),
    confirm_requests: Sequence[str] = (),
    network: str = "local",
    flow: str = "off",
    **settings: Any,
):
    """A router whose agent asks a scripted model."""
    with scripted(()) as model:
        tables = {
            "max_runs": 3,
            "model": "openai/scripted",
            "model_url": model.url,
            "model_key": KEY,
        }
        async with testing.router(
            home=home,
            network=network,
            plugins={"browser": with_own(ANY_BROWSER, tables | settings)},
            resolver=resolver,
            secrets=secrets or {},
            confirm=list(confirm),
            deny=list(deny),
            confirm_requests=list(confirm_requests),
            flow=flow,
        ) as web:
            yield Lab(web=web, site=site, model=model, home=home)
