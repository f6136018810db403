"""The tutorial, step by step, as somebody who follows it writes and calls it."""

import importlib
import re
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
    return re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


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
