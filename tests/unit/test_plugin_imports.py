"""Plugins that add to the browser use its public API, and nothing else of it."""

import ast
from pathlib import Path
from types import ModuleType

import pytest

from strap_browser import api

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
OWN = PLUGINS / "browser"
MODULES = [path for path in sorted(PLUGINS.rglob("strap_*/**/*.py")) if OWN not in path.parents]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "strap_browser":
            yield from (f"strap_browser.{name.name}" for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PLUGINS).as_posix())
def test_a_plugin_imports_the_public_api_of_the_browser_alone(path):
    parts = {name for name in imported(path) if name.split(".")[0] == "strap_browser"}
    assert parts <= {"strap_browser.api"}


@pytest.mark.parametrize("name", api.__all__)
def test_each_public_name_is_there(name):
    assert getattr(api, name) is not None
    assert name in dir(api)


def test_a_name_is_no_module_that_is_called_alike():
    modules = [name for name in api.__all__ if isinstance(getattr(api, name), ModuleType)]
    assert not modules


def test_what_is_not_there_is_named():
    with pytest.raises(AttributeError, match=r"'strap_browser.api' has no attribute 'nothing'"):
        api.nothing  # noqa: B018
