"""Tests written of sessions, run alone by pytest and by Playwright's own runner."""

import json
import os
import subprocess
from asyncio import to_thread
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_cases.mutations import flow
from benchmarks.of_scripts.sessions import opened, recorded
from benchmarks.peers import Tools, npm, pip
from strap import Caller
from tests.site.server import serve

PLAYWRIGHT = "@playwright/test@1.65.1"
PYTEST = ("pytest==9.0.2", "pytest-playwright==0.7.2")
LIMIT = 1_800
"""Seconds for all tests of a kind: each opens a browser."""
CONFTEST = """import pytest


@pytest.fixture(scope="session")
def browser_type_launch_args():
    return {"executable_path": %r, "args": %r}
"""
CONFIG = """export default { testDir: ".", workers: 1, reporter: "json",
  use: { launchOptions: { executablePath: %s, args: %s } } };
"""


async def measured(bench: Bench, folder: Path) -> Table:
    """Export each flow twice, and run all tests in environments that have no strap."""
    flows = [flow(number) for number in range(bench.runs(60, 4))]
    tests, types = folder / "tests", folder / "types"
    for each in (tests, types):
        each.mkdir()
    with ExitStack() as stack:
        async with opened(folder) as router:
            for made in flows:
                web = partial(router.call, caller=Caller(session=str(made.number)))
                site = stack.enter_context(serve({"/flow": made.html()}))
                forms = {"pytest": f"tests/test_{made.number}.py"}
                forms["typescript"] = f"types/flow{made.number}.spec.ts"
                await recorded(web, made, f"{site}/flow", forms)
        green = {
            "pytest": await to_thread(_pytest, bench.tools, tests),
            "typescript": await to_thread(_typescript, bench.tools, types),
        }
    return Table(
        title=f"Tests written of {len(flows)} sessions of 5 calls, run alone",
        columns=("format", "tests", "green"),
        rows=[[name, len(flows), count] for name, count in green.items()],
    )


def _pytest(tools: Tools, folder: Path) -> int:
    python = pip("exported-pytest", *PYTEST) / "bin" / "python"
    arguments = [] if tools.sandbox else ["--no-sandbox"]
    (folder / "conftest.py").write_text(CONFTEST % (str(tools.browser), arguments))
    told = _run([str(python), "-m", "pytest", "-q", "-rA", "--tb=short", str(folder)], folder)
    return sum(line.startswith("PASSED") for line in told.splitlines())


def _typescript(tools: Tools, folder: Path) -> int:
    modules = npm(tools, "exported-typescript", PLAYWRIGHT)
    arguments = [] if tools.sandbox else ["--no-sandbox"]
    written = CONFIG % (json.dumps(str(tools.browser)), json.dumps(arguments))
    (folder / "playwright.config.mjs").write_text(written)
    (folder / "node_modules").symlink_to(modules)
    runner = modules / "@playwright" / "test" / "cli.js"
    told = _run([str(tools.node), str(runner), "test"], folder)
    return int(json.loads(told)["stats"]["expected"])


def _run(command: Sequence[str], folder: Path) -> str:
    environ = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    if done.returncode:
        print(done.stdout[-4_000:], done.stderr[-2_000:])
    return done.stdout
