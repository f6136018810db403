"""The tutorial, step by step, as somebody who follows it writes and calls it."""

import ast
import importlib
import os
import re
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from strap import testing
from tests.site.archive import serve_archive

pytestmark = pytest.mark.anyio

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"


def blocks(step):
    """The Python blocks of a numbered section."""
    section = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[step]
    assert section.startswith(f"{step}. ")
    return re.findall(
        r"^```python\n# strap-wayback/.*?\n(.*?)^```", section, re.MULTILINE | re.DOTALL
    )


@pytest.fixture
def package(tmp_path, monkeypatch, request):
    """Write what the tutorial has after a step, as a package of its own name; returns a module."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(step, module="plugin"):
        name = f"tutorial_wayback_{step}"
        (actions,), (plugin,) = blocks(2), blocks(3)
        if step >= 4:
            more_actions, more_plugin = blocks(4)
            actions, plugin = actions + more_actions, plugin + more_plugin
        if step >= 5:
            plugin += blocks(5)[0]
        files = {"__init__": "", "actions": actions, "plugin": plugin, "test_it": blocks(6)[0]}
        (tmp_path / name).mkdir()
        for file, text in files.items():
            written = text.replace("strap_wayback", name)
            (tmp_path / name / f"{file}.py").write_text(written, "utf-8")
        return importlib.import_module(f"{name}.{module}")

    return write


@pytest.fixture
def opened(tmp_path):
    with serve_archive() as archive:
        settings = {"wayback": {"endpoint": f"{archive}/available"}}

        def open_with(plugin):
            return testing.router(plugin, home=tmp_path, network="local", plugins=settings)

        open_with.archive = archive
        yield open_with


PAGE_WANTED = "https://example.com/?a=1&b=2#c"


async def test_the_first_action_works_before_the_second_is_written(package, opened):
    async with opened(package(3)) as web:
        found = await web(resource="wayback", action="lookup", url=PAGE_WANTED, date="1999")
    assert found.text == f"1999 {opened.archive}/web/1999/{PAGE_WANTED}"


async def test_the_second_action(package, opened):
    async with opened(package(4)) as web:
        page = await web(resource="http", action="fetch_archived", url="https://example.com/")
    assert "The page as it was." in page.text


async def test_the_wrapper(package, opened):
    async with opened(package(5)) as web:
        gone = await web(resource="http", action="fetch", url=f"{opened.archive}/gone")
    assert gone.text.endswith("An archived copy may exist.")


async def test_its_test(package, tmp_path):
    module = package(6, "test_it")
    made = module.endpoint.__wrapped__()
    try:
        await module.test_no_copy(tmp_path, next(made))
    finally:
        assert next(made, None) is None


HEADED = re.compile(r"# (strap-wayback/\S+)\n(.*)", re.DOTALL)


def fenced():
    """All blocks of the page as (language, text), in order."""
    found = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) > 15
    return found


def named(node):
    """The names that a statement at the top of a module defines."""
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {node.name} if hasattr(node, "name") else set()


def edited(old, new):
    """`old` with `new` in it: in place of what `new` defines again, else below the rest."""
    again = {name for node in ast.parse(new).body for name in named(node)}
    places = [node for node in ast.parse(old).body if named(node) & again]
    if not places:
        return f"{old}\n\n{new}"
    (node,) = places
    lines = old.splitlines(keepends=True)
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    return "".join([*lines[: first - 1], f"{new}\n\n", *lines[node.end_lineno :]])


def write(folder, text):
    path, body = HEADED.match(text).groups()
    file = folder / path
    known = file.read_text("utf-8") if file.exists() else ""
    file.write_text(edited(known, body) if known and path.endswith(".py") else body, "utf-8")


@pytest.fixture
def shell(tmp_path):
    """Run a command in a fresh environment that has what this one has, and needs no network."""
    env = tmp_path / "env"
    venv.create(env)
    here = sysconfig.get_path("purelib")
    (site,) = (env / "lib").glob("python*/site-packages")
    (site / "tests.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    for name, module in (("strap", "strap"), ("pip", "pip")):
        script = env / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{env}/bin/python" -m {module} "$@"\n')
        script.chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STRAP_", "PYTHON", "PIP_"))}
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    paths = {"PATH": f"{env}/bin:{os.environ['PATH']}", "HOME": str(tmp_path)}
    work = tmp_path / "empty"
    work.mkdir()

    def run(command, **more):
        return subprocess.run(
            command,
            shell=True,
            cwd=work,
            env=kept | offline | paths | {"STRAP_HOME": str(tmp_path / "home")} | more,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    run.folder = work
    return run


def test_word_by_word_from_an_empty_folder(shell):
    """Write the files, run the commands, look for the output that is printed."""
    for needed in ("hatchling", "editables"):
        pytest.importorskip(needed, reason="builds without network")
    shown = []
    with serve_archive() as archive:
        for language, text in fenced():
            if language == "console":
                for step in text.removeprefix("$ ").split("\n$ "):
                    command, _, output = step.strip().partition("\n")
                    ours = {"STRAP_WAYBACK__ENDPOINT": f"{archive}/available"}
                    done = shell(command, **ours if "call wayback" in command else {})
                    said = done.stdout + done.stderr
                    assert output in said, f"{command}\n{said}"
                    assert output or done.returncode == 0, f"{command}\n{said}"
                    shown.append((command, said))
            elif HEADED.match(text):
                write(shell.folder, text)
    calls = [said for command, said in shown if command.startswith("strap call wayback")]
    assert calls[0] == calls[3] == f"20010203 {archive}/web/20010203/https://example.com/\n"
    assert calls[1].startswith("wayback.lookup url [date]\n")
    assert re.fullmatch(r"[0-9a-f]{128}\n", calls[4])
    assert "wayback" not in shown[-1][1]
    assert "http (strap-web)" in shown[-1][1]


def test_its_test_works_where_the_plugin_is_not_installed(shell):
    """Word by word it is: there the plugin is known by its entry point and as an argument."""
    for language, text in fenced():
        if language == "console" and "mkdir" in text:
            assert shell(text.replace("$ ", "")).returncode == 0
        elif HEADED.match(text):
            write(shell.folder, text)
    done = shell("python -m pytest -q strap-wayback/tests", PYTHONPATH="strap-wayback/src")
    assert "1 passed" in done.stdout, done.stdout
