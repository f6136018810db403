"""Real applications: tasks by names, judged by the applications' own data; strap and its peers."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from statistics import median
from typing import Any

from benchmarks.bench import Bench, Home, Table, home
from benchmarks.of_apps.application import FOLDER, Application, Task, judged
from benchmarks.of_apps.devtools import DevTools
from benchmarks.of_apps.jupyterlab import JupyterLab
from benchmarks.of_apps.label_studio import LabelStudio
from benchmarks.of_apps.mediawiki import MediaWiki
from benchmarks.of_apps.node_red import NodeRed
from benchmarks.of_apps.octoprint import OctoPrint
from benchmarks.of_apps.peers import Playwright
from benchmarks.of_apps.playing import Score, Speaker, Strap, play
from benchmarks.of_apps.roundcube import Roundcube
from benchmarks.of_apps.wagtail import Wagtail
from benchmarks.of_apps.wordpress import WordPress
from benchmarks.peers import Absent, Peer
from benchmarks.wire import Failed

APPLICATIONS: Sequence[type[Application]] = (
    *(JupyterLab, LabelStudio, MediaWiki, NodeRed, OctoPrint, Roundcube, Wagtail, WordPress),
)
SPEAKERS: dict[str, Any] = {
    "strap": Strap,
    "playwright-mcp": Playwright,
    "chrome-devtools-mcp": DevTools,
}
COLUMNS = ("who", "done", "calls", "tokens", "seconds", "wrong data", "untrue claims")
UPLOADS = "outputs"
"""The folder in a server's home from which it may upload."""


def measure(bench: Bench) -> list[Table]:
    wanted = bench.part.lower()
    return [
        _measured(bench, kind)
        for kind in APPLICATIONS
        if not wanted or kind.name.lower().replace(" ", "-") == wanted
    ]


def _measured(bench: Bench, kind: type[Application]) -> Table:
    table = Table(title=f"{kind.name} {kind.version}", columns=COLUMNS)
    app = kind(bench.tools)
    try:
        app.install()
        with app.running():
            for peer in bench.drivers:
                if peer.name in SPEAKERS:
                    _try(bench, app, peer, table)
            table.notes.append(f"Memory of the application: {app.memory_mb():.0f} MB.")
    except (Absent, Failed, OSError) as error:
        table.notes.append(f"skipped, none of its {len(kind.tasks)} tasks counts as done: {error}")
    return table


def _try(bench: Bench, app: Application, peer: Peer, table: Table) -> None:
    scores: dict[str, list[Score]] = {}
    runs = bench.runs(10, 1)
    for number in range(runs):
        for task in app.tasks:
            # A new browser: what a failed task left open stops no other.
            with _speaker(peer, app) as speaker:
                score = _attempt(bench, app, task, speaker)
            scores.setdefault(task.name, []).append(score)
            _say(app, peer, task, number, score)
    for task_name, tries in scores.items():
        table.notes += sorted(
            {f"{peer.name}, {task_name}: {t.problem}" for t in tries if t.problem}
        )
        table.notes += sorted({f"{peer.name}, {task_name}: {u}" for t in tries for u in t.untrue})
    every = [score for tries in scores.values() for score in tries]

    def whole(what: str) -> float:
        return sum(median(getattr(score, what) for score in tries) for tries in scores.values())

    done = sum(not score.problem for score in every)
    wrong = sum(score.problem.startswith(WRONG) for score in every)
    untrue = sum(len(score.untrue) for score in every) if peer is bench.strap else "-"
    figures = (int(whole("calls")), int(whole("tokens")), f"{whole('ms') / 1000:.1f}")
    table.rows.append([peer.name, f"{done} of {len(every)}", *figures, wrong, untrue])


WRONG = "wrong data"


def _attempt(bench: Bench, app: Application, task: Task, speaker: Speaker) -> Score:
    app.reset()
    if task.prepare:
        task.prepare(app)
    values = app.values()
    entry = play(app.entry, values, speaker, bench)
    if entry.problem:
        return replace(entry, problem=f"before the task: {entry.problem}")
    score = play(task.plan, values, speaker, bench)
    wrong = judged(task, app)
    if wrong and not score.problem:
        score.problem = f"{WRONG}: {wrong}"
    elif not wrong:
        score.problem = ""  # the data decide
    return score


@contextmanager
def _speaker(peer: Peer, app: Application) -> Iterator[Speaker]:
    """A server in a home of its own, with the files that plans upload."""
    peer = replace(peer, environ={**peer.environ, "STRAP_OUTPUTS": f"{{home}}/{UPLOADS}"})
    with ExitStack() as stack:
        place: Home = stack.enter_context(home(peer))
        uploads = place.folder / UPLOADS
        uploads.mkdir()
        for name, data in app.uploads.items():
            (uploads / name).write_bytes(data)
        server = stack.enter_context(place.server())
        server.initialize()
        assert peer.dialect
        for call in peer.dialect.opening:
            server.call(*call)
        yield SPEAKERS[peer.name](server, str(uploads))
    shutil.rmtree(place.folder, ignore_errors=True)


def _say(app: Application, peer: Peer, task: Task, number: int, score: Score) -> None:
    """Tell how a try went; what was answered stays in a file until the next run."""
    file = FOLDER / "answers" / f"{app.name}, {peer.name}, {task.name}.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n\n".join([*score.answers, score.problem]))
    what = score.problem or "done"
    print(
        f"{app.name}, {peer.name}, {number + 1}, {task.name}: {what[:600]} "
        f"({score.calls} calls, {score.tokens} tokens, {score.ms:.0f} ms) {score.untrue or ''}",
        file=sys.stderr,
    )
