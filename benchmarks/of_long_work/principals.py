"""Two principals: whether answers, or the time they take, tell of the other's runs and tasks."""

import json
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bench import Bench, Table
from tests.mcp.conversation import PREFIX
from tests.mcp.http_server import Served
from tests.mcp.test_two_principals import OF_RUNS, OF_TASKS, SETTINGS, Principal, like
from tests.site.server import Reply, serve

Times = list[float]


async def measure(bench: Bench, folder: Path) -> Table:
    tries, dice = bench.runs(200, 20), random.Random(58)
    (folder / "strap.toml").write_text(SETTINGS)
    links = "".join(f"<a href=/docs/{n}>{n}</a>" for n in range(9))
    pages = {f"/docs/{n}": f"<title>{n}</title><p>Page {n}</p>" for n in range(9)}
    table = Table(
        title="A principal asks for runs and tasks of another",
        columns=("asked", "tries of each", "answers", "foreign, ms", "unknown, ms", "told apart"),
    )
    with (
        serve({"/robots.txt": Reply(status=404), "/docs/": links, **pages}) as site,
        Served(folder) as served,
    ):
        own, other = Principal(served, "ci"), Principal(served, "team")
        known = {"run": [own.run(site) for _ in range(3)], "task": [own.task() for _ in range(2)]}
        for kind in (*OF_RUNS, *OF_TASKS):
            ids = known["task" if kind in OF_TASKS else "run"]
            said, took = _tried(other, kind, ids, tries, dice)
            foreign, unknown = took["foreign"], took["unknown"]
            shown = [f"{statistics.median(each):.2f}" for each in (foreign, unknown)]
            table.rows.append([kind, tries, said, *shown, f"{_told_apart(foreign, unknown):.2f}"])
    table.notes.append("`told apart`: how often a foreign id took longer; 0.5 tells nothing.")
    return table


def _tried(
    other: Principal, kind: str, ids: Sequence[str], tries: int, dice: random.Random
) -> tuple[int, dict[str, Times]]:
    """Return how many different answers there were, and how long foreign and unknown ids took."""
    said: set[str] = set()
    took: dict[str, Times] = {"foreign": [], "unknown": []}
    for _ in range(tries):
        for which in dice.sample(list(took), 2):
            identity = dice.choice(ids)
            if which == "unknown":  # of the same form: another one takes no look-up
                identity = like(dice, identity)[0]
            began = time.perf_counter()
            answer = other.tries(kind, identity)
            took[which].append((time.perf_counter() - began) * 1_000)
            answer.get("result", {}).get("_meta", {}).pop(PREFIX + "serverInfo", None)
            said.add(json.dumps(answer).replace(json.dumps(repr(identity))[1:-1], "ID"))
    return len(said), took


def _told_apart(foreign: Times, unknown: Times) -> float:
    """Return how often one of the first is longer than one of the second (Mann and Whitney's U)."""
    pairs = [(a > b) + (a == b) / 2 for a in foreign for b in unknown]
    return sum(pairs) / len(pairs)
