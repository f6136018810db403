"""Recordings that drifted: how many are healed by one live run, where the flow is still there."""

import asyncio
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.engines import opened, record, run
from benchmarks.of_cases.mutations import Control, Flow, mutated
from strap import Router
from strap_cases.cases import Case
from strap_cases.reading import read_cases
from strap_cases.running.engine import Options
from tests.plugins.browser.runs.lab import shown
from tests.site.server import Reply, Request, serve
from tests.support.model_server import Model, acts, done, scripted

CASE = """---
base_url: {site}
url: /flows/{number}
expect_timeout_s: 2
---
## Flow {number}
Go through flow {number}. Write "abc" into fields.
### Expect
- `js "window.acts.filter((a, i, all) => a !== all[i - 1]).join() === '{wanted}'"`
"""
FINISHED = done("Done.\n<status>completed</status>")


def measure(bench: Bench) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder), bench.runs(200, 40)))


async def _measure(folder: Path, number: int) -> Table:
    counts: Counter[str] = Counter()
    whys: list[str] = []
    with scripted(()) as model:
        async with opened(folder, model.url) as router:
            for flow in map(mutated, range(number)):
                if is_there(flow):
                    came, why = await healed(router, folder, model, flow)
                    counts.update(came)
                    whys += why
    table = Table(
        title=f"Recordings of 5 actions healed, on those of {number} changed pages with the flow",
        columns=(
            "pages",
            "replayed",
            "drifted",
            "healed of these",
            "replayed then",
            "passed, not recorded: equal elements",
        ),
    )
    keys = ("pages", "replayed", "drifted", "healed", "again", "twins")
    table.rows.append([counts[key] for key in keys])
    table.notes += [f"{why} ({n})" for why, n in Counter(whys).most_common()]
    return table


def is_there(flow: Flow) -> bool:
    """Whether all that is acted on is still there to be seen, whatever it is called."""
    there = {control.uid for control in flow.controls if not control.hidden}
    return there.issuperset(flow.wanted)


async def healed(
    router: Router, folder: Path, model: Model, flow: Flow
) -> tuple[Counter[str], list[str]]:
    """Run the case of a page that changed; returns what to count, and why it was not healed."""

    def page(_: Request) -> str:
        return flow.html()

    with serve({f"/flows/{flow.number}": page}) as site:
        path = folder / f"flow-{flow.number}.case.md"
        wanted = ",".join(flow.wanted)
        path.write_text(CASE.format(site=site, number=flow.number, wanted=wanted))
        [case] = read_cases([path])
        record(case, flow.lines)
        model.scripts[f"Go through flow {flow.number}."] = [Performer(flow).says]
        first = await _once(router, case)
        drifted = "replayed" not in first.verdict.flags
        came = Counter(pages=1, replayed=not drifted, drifted=drifted)
        if not drifted:
            return came, []
        kept = first.recording
        if "healed" not in first.verdict.flags:
            why = f"{first.verdict.status}: {kept.why if kept else ''}"
            came.update(twins="elements are" in why)
            return came, [] if "elements are" in why else [_short(f"not healed: {why}")]
        second = await _once(router, case)
        again = "replayed" in second.verdict.flags
        came.update(healed=1, again=again)
        return came, [] if again else [_short(f"not replayed: {second.recording.why}")]


async def _once(router: Router, case: Case) -> Any:
    [result] = await run(router, [case], Options(replay="auto"))
    return result


def _short(why: str) -> str:
    return why.partition(":")[0] + ":" + why.partition(":")[2].partition(" - ")[0][:80]


class Performer:
    """An agent that knows which elements are meant, whatever they are called by now."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.did = 0

    def says(self, body: dict[str, Any]) -> Reply:
        """Return the next action: one a step, as the page may change under several."""
        if self.did == len(self.flow.wanted):
            return FINISHED
        uid = self.flow.wanted[self.did]
        control = next(each for each in self.flow.controls if each.uid == uid)
        index = self._index(shown(body), control)
        if index is None:
            return acts({"wait": {"seconds": 1}})
        self.did += 1
        if control.role == "textbox":
            return acts({"input": {"index": index, "text": "abc"}})
        return acts({"click": {"index": index}})

    def _index(self, page: str, control: Control) -> int | None:
        """Return the number of the element: the n-th that is called so, as on the page."""
        alike = [
            each
            for each in self.flow.controls
            if not each.hidden and (each.name, each.role) == (control.name, control.role)
        ]
        named = [number for number, name in _elements(page) if name == (control.role, control.name)]
        at = alike.index(control)
        return named[at] if len(named) == len(alike) else None


_ELEMENT = re.compile(r"\[(\d+)\]<(\w+)([^>]*)>(?:\\n(?:\\t)*([^\\\[|]*))?")
"""Number, tag, attributes and text of an element, in a prompt whose line ends are escaped."""


def _elements(page: str) -> list[tuple[int, tuple[str, str]]]:
    """Return the numbers of the elements that an agent is shown, with role and name."""
    found: list[tuple[int, tuple[str, str]]] = []
    for number, tag, attributes, text in _ELEMENT.findall(page):
        role, name = {"button": "button", "a": "link"}.get(tag, ""), text.strip()
        if tag == "input":
            role = "checkbox" if "type=checkbox" in attributes else "textbox"
            name = attributes.partition("aria-label=")[2].split(" ")[0]
        found.append((int(number), (role, name)))
    return found
