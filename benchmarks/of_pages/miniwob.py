"""Tasks that nobody here wrote: pages of MiniWoB++, solved by small scripted policies.

A policy sees what `web(...)` answers and acts through it alone; the page itself says how well
that was. Tasks that can only be solved by looking at a picture are left out, for a script sees
none.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from benchmarks.bench import Bench, Table, ready
from benchmarks.peers import Absent, install_files
from benchmarks.site import serve_files
from benchmarks.wire import Failed, Server
from benchmarks.wob import buttons, fields, forms, mouse
from benchmarks.wob.episode import Episode, Lost

Policy = Callable[[Episode], None]
REQUIREMENT = "miniwob==1.1.0"
TASKS: dict[str, Policy] = buttons.TASKS | fields.TASKS | forms.TASKS | mouse.TASKS
COLUMNS = ("task", "solved", "calls", "tokens", "ms")
ELSEWHERE = {
    "back forward reload new_page close_page": "every task is one page",
    "dialog upload downloads pdf": "no task opens a dialog, takes a file or gives one",
    "console network cookies setup_state resize": "no task is about them",
    "evaluate": "it would see more than the page shows",
}
"""Page actions without a task, and why."""


def measure(bench: Bench) -> Table:
    table = Table(title="Tasks of MiniWoB++ by scripted policies", columns=COLUMNS)
    try:
        pages = install_files("miniwob", REQUIREMENT) / "miniwob" / "html"
    except Absent as error:
        table.notes.append(f"absent: {error}")
        return table
    used: set[str] = set()
    with serve_files(pages) as site, ready(bench.strap) as server:
        server.call("web", {"resource": "browser", "action": "launch"})
        for name, policy in TASKS.items():
            table.rows.append(_row(bench, server, f"{site}/miniwob/{name}.html", policy, used))
    table.notes += _notes(table, used)
    return table


def _row(bench: Bench, server: Server, url: str, policy: Policy, used: set[str]) -> list[object]:
    """Try a task some times; one row with medians of calls, tokens and milliseconds."""
    runs = [_attempt(bench, server, url, policy, used) for _ in range(bench.runs(3, 1))]
    solved = sum(done for done, *_ in runs)
    middle = [sorted(column)[len(runs) // 2] for column in list(zip(*runs, strict=True))[1:]]
    return [Path(url).stem, f"{solved}/{len(runs)}", *middle]


def _attempt(
    bench: Bench, server: Server, url: str, policy: Policy, used: set[str]
) -> tuple[bool, int, int, int]:
    episode = Episode(server=server, count=bench.tokens)
    began = monotonic()
    solved = False
    try:
        episode.begin(url)
        policy(episode)
        solved = episode.reward() > 0
    except (Failed, Lost, IndexError, KeyError, ValueError) as error:
        print(f"  {Path(url).stem}: {type(error).__name__} {str(error)[:300]}", file=sys.stderr)
    used |= episode.used
    return solved, episode.calls, episode.tokens, round((monotonic() - began) * 1000)


def _notes(table: Table, used: set[str]) -> list[str]:
    counts = [str(row[1]).split("/") for row in table.rows]
    solved, tried = (sum(int(count[place]) for count in counts) for place in (0, 1))
    always = sum(done == of for done, of in counts)
    missing = "; ".join(f"{names}: {why}" for names, why in ELSEWHERE.items())
    return [
        f"Solved {solved} of {tried} attempts; {always} of {len(counts)} tasks every time.",
        f"Actions used: {', '.join(sorted(used))}. Not used: {missing}.",
    ]
