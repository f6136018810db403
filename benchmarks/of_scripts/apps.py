"""Scripts of tasks in real applications: recorded once, replayed in fresh browsers and themes.

The applications' own data say whether a replay did what it was to do.
"""

import sys
from asyncio import to_thread
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_apps import wagtail
from benchmarks.of_apps.application import Application, Task, judged
from benchmarks.of_apps.apps import APPLICATIONS
from benchmarks.of_apps.playing import steps
from benchmarks.of_scripts.sessions import Web, call, opened, replayed
from benchmarks.peers import Absent
from benchmarks.wire import Failed
from strap import Caller, StrapError
from strap.scripts.playing import make_patiently

PATIENCE = 20.0
"""Seconds for which a call waits: applications start slowly beside other work."""


async def measured(bench: Bench, folder: Path) -> Table:
    """Record each task once; replay it as it was, and in another theme with healing."""
    table = Table(
        title="Scripts of tasks in real applications, replayed in fresh browsers",
        columns=("application", "theme", "scripts", "replays", "done", "stopped", "wrong data"),
    )
    for kind in APPLICATIONS:
        app = kind(bench.tools)
        try:
            await to_thread(app.install)
            with app.running():
                await _measure(bench, folder, app, table)
        except (Absent, Failed, OSError) as error:
            table.notes.append(f"{app.name} skipped: {error}")
    return table


async def _measure(bench: Bench, folder: Path, app: Application, table: Table) -> None:
    for name, data in app.uploads.items():
        (folder / name).write_bytes(data)
    async with opened(folder) as router:

        def web(number: int) -> Web:
            return partial(router.call, caller=Caller(session=f"{app.name} {number}"))

        files: dict[Path, Task] = {}
        for number, task in enumerate(app.tasks):
            file = folder / f"{app.name.lower()}-{number}.strap"
            if why := await _recorded(web(number), app, task, file):
                table.notes.append(f"{app.name}, {task.name}: not recorded: {why}")
            else:
                files[file] = task
        plain, themed = ("as it was", bench.runs(20, 2)), (app.theme, bench.runs(5, 1))
        for theme, times in (plain, themed) if app.theme else (plain,):
            if theme == app.theme:
                await to_thread(app.restyle)
            count: Counter[str] = Counter()
            for _ in range(times):
                for number, (file, task) in enumerate(files.items()):
                    count += await _tried(web(number), app, task, file, theme)
            keys = ("replays", "done", "stopped", "wrong")
            table.rows.append([app.name, theme, len(files), *(count[key] for key in keys)])


async def _recorded(web: Web, app: Application, task: Task, file: Path) -> str:
    """Do a task and write it as a script; returns why that was not done."""
    await to_thread(_begin, app, task)
    try:
        for action, fields in steps(f"{app.entry}\n{task.plan}", app.values()):
            await make_patiently({"resource": "browser", "action": action, **fields}, web, PATIENCE)
        if wrong := await to_thread(judged, task, app):
            return wrong
        await call(web, "script", output=file.name)
    except StrapError as error:
        return str(error)
    finally:
        await call(web, "close")
    return ""


async def _tried(web: Web, app: Application, task: Task, file: Path, theme: str) -> Counter[str]:
    await to_thread(_begin, app, task)
    is_themed = theme == app.theme
    failure = await replayed(web, file, _given(app), heal=is_themed, patience=PATIENCE)
    wrong = await to_thread(judged, task, app)
    await call(web, "close")
    told = f"{app.name}, {theme}, {task.name}: {failure or wrong or 'done'}"
    print(told[:700], file=sys.stderr)
    is_done = failure is None and not wrong
    is_wrong = failure is None and bool(wrong)
    return Counter(replays=1, done=is_done, stopped=failure is not None, wrong=is_wrong)


def _begin(app: Application, task: Task) -> None:
    app.reset()
    if task.prepare:
        task.prepare(app)


def _given(app: Application) -> Mapping[str, str]:
    """Return the values that no script keeps: a password, and an address with a token."""
    _, first = next(steps(app.entry, app.values()))
    return {"password": wagtail.PASSWORD, "url": str(first["url"])}
