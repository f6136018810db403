"""Many cases at once, each with a mark of its own: whether a mark is found anywhere but in its own.

A mark is in cookie, storage, title, console, a request and a download, and in what the agent says.
"""

import asyncio
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.engines import opened, run
from strap_cases.reading import read_cases
from strap_cases.running.engine import Options
from strap_cases.running.results import CaseResult
from tests.plugins.browser.runs.lab import index_before, shown
from tests.site.server import Reply, Request, serve
from tests.support.model_server import acts, done, scripted

MARK = re.compile(r"mark[a-z]{4}\d{4}")
SEARCHED = (".json", ".jsonl", ".md", ".txt", ".html")
PAGE = """<!doctype html><title>{mark}</title><h1>Page of {mark}</h1>
<a href="/file?mark={mark}" download="{mark}.txt">Take it</a><p id=said></p><script>
const found = [document.cookie, ...Object.keys(localStorage), ...Object.keys(sessionStorage)];
document.cookie = 'mark={mark}'; localStorage.setItem('{mark}', 1); sessionStorage['{mark}'] = 1;
console.log('I am {mark}');
const asked = '/api/mark?mark={mark}&found=' + encodeURIComponent(found.join(' '));
fetch(asked).then(() => {{ said.textContent = 'Told'; }});
</script>"""
CASE = """---
base_url: {site}
url: /page?mark={mark}
expect: ["no failed requests", "no console errors"]
budget_s: 300
step_timeout_s: 120
---
## Case of {mark}
Take the file of {mark}.
### Expect
- `title "{mark}"`
- `console "I am {mark}"`
- `js "document.cookie === 'mark={mark}'"`
- `js "Object.keys(localStorage).join() === '{mark}'"`
- `request GET /api/mark?mark={mark}* 200`
- `download {mark}.txt`
- `count "#said" 1`
- `answer "{mark}"`
"""


class Marks:
    """The site: what each page found of others, and which cookies came with which mark."""

    def __init__(self) -> None:
        self.mixed: list[str] = []
        self._lock = Lock()

    def page(self, asked: Request) -> str:
        mark = asked.query["mark"][0]
        self._note(mark, asked.headers.get("cookie", ""))
        return PAGE.format(mark=mark)

    def told(self, asked: Request) -> Reply:
        mark = asked.query["mark"][0]
        self._note(mark, f"{asked.headers.get('cookie', '')} {asked.query.get('found', '')}")
        return Reply(body="{}")

    def file(self, asked: Request) -> Reply:
        mark = asked.query["mark"][0]
        headers = {"Content-Type": "application/octet-stream"}
        return Reply(headers=headers, body=f"The file of {mark}")

    def _note(self, mark: str, text: str) -> None:
        others = {each for each in MARK.findall(text) if each != mark}
        with self._lock:
            self.mixed += [f"{mark} met {other}" for other in others]


def measure(bench: Bench) -> Table:
    slots, each = bench.runs(8, 3), bench.runs(25, 3)
    with tempfile.TemporaryDirectory() as folder:
        statuses, mixed, files = asyncio.run(marked(Path(folder), slots, slots * each))
    table = Table(
        title=f"{slots} slots, {each} cases each, by the agent",
        columns=("cases", "passed", "files searched", "marks mixed"),
    )
    table.rows.append([slots * each, statuses["passed"], files, len(mixed)])
    table.notes += [f"{n} {status}" for status, n in statuses.items() if status != "passed"]
    table.notes += mixed[:10]
    return table


async def marked(folder: Path, slots: int, number: int) -> tuple[Counter[str], list[str], int]:
    """Run cases at once; returns their statuses, the marks that were mixed, files searched."""
    site = Marks()
    routes: dict[str, Any] = {"/page": site.page, "/api/mark": site.told, "/file": site.file}
    with scripted(()) as model, serve(routes) as address:
        cases = folder / "cases"
        cases.mkdir()
        for mark in map(mark_of, range(number)):
            (cases / f"{mark}.case.md").write_text(CASE.format(site=address, mark=mark))
            model.scripts[f"Take the file of {mark}."] = [_agent(mark)]
        async with opened(folder, model.url, slots) as router:
            options = Options(jobs=slots, replay="off")
            results = await run(router, read_cases([cases]), options)
    statuses = Counter(result.verdict.status for result in results)
    found = [*_foreign(results, folder / "data")]
    return statuses, site.mixed + [each for each in found if each], len(found)


def mark_of(number: int) -> str:
    letters = "".join(chr(ord("a") + number // 7**place % 7) for place in range(4))
    return f"mark{letters}{number:04}"


def _agent(mark: str) -> Any:
    def says(body: dict[str, Any]) -> Reply:
        page = shown(body)
        if "Download" in str(body["messages"][-1]["content"]) or says.did:  # type: ignore[attr-defined]
            return done(f"I took that of {mark}.\n<status>completed</status>")
        says.did = True  # type: ignore[attr-defined]
        return acts({"click": {"index": index_before(page, "Take it")}})

    says.did = False  # type: ignore[attr-defined]
    return says


def _foreign(results: list[CaseResult], data: Path) -> Iterator[str]:
    """Yield for each file or record which mark of others is in it, "" for none."""
    runs: dict[str, str] = {}
    for result in results:
        own = MARK.findall(result.case.name)[0]
        runs |= {run_id: own for attempt in result.attempts for run_id in attempt.runs}
        yield _others(own, json.dumps(result.as_json([""] * len(result.attempts))), "its record")
    for path in data.rglob("*"):
        owner = next((runs[part] for part in path.parts if part in runs), None)
        if owner and path.is_file() and path.suffix in SEARCHED:
            yield _others(owner, path.read_text("utf-8", "replace"), path.name)


def _others(own: str, text: str, where: str) -> str:
    others = sorted({each for each in MARK.findall(text) if each != own})
    return f"{where} of {own} has {', '.join(others)}" if others else ""
