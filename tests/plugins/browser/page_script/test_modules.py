"""The page script's modules: their layers, sizes, types and style, and their parts in Node."""

import re
from pathlib import Path

import pytest

from strap_browser.page_script.bundle import module, source
from strap_browser.page_script.roles import roles_with
from tests import node

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
SCRIPT = ROOT / "plugins/browser/strap_browser/page_script"
MODULES = sorted(SCRIPT.rglob("*.js"))
LAYERS = [
    {"."},
    {"actions", "audit"},
    {"forms", "pointer", "text"},
    {"accessibility"},
    {"dom"},
]
"""Folders from top to bottom: a module imports from its own and from those below."""
ALONE = {"evaluate", "preload"}
"""Folders whose modules are programs of their own and import nothing."""
LINES = 300
"""Lines of a module at most, as in Python."""
TYPESCRIPT = "7.0.2"
IMPORT = re.compile(r'^import (?:[^"]*) from "([^"]+\.js)";$', re.MULTILINE)


def imports():
    found = {}
    for path in MODULES:
        others = IMPORT.findall(path.read_text("utf-8"))
        found[path] = [(path.parent / other).resolve() for other in others]
    return found


def folder(path):
    return path.relative_to(SCRIPT).parent.as_posix()


def level(path):
    return next(number for number, names in enumerate(LAYERS) if folder(path) in names)


def test_each_folder_has_a_layer():
    named = set().union(*LAYERS) | ALONE
    assert {folder(path) for path in MODULES} == named


def test_no_module_imports_one_above_it():
    arrows = [(path, other) for path, others in imports().items() for other in others]
    assert len(arrows) > 100
    up = [
        f"{path.relative_to(SCRIPT)} -> {other.relative_to(SCRIPT)}"
        for path, other in arrows
        if folder(path) in ALONE
        or level(other) < level(path)
        or (level(other) == level(path) and folder(other) != folder(path))
    ]
    assert up == []


def test_no_module_imports_itself_by_others():
    graph = imports()
    done = set()

    def visit(path, way):
        assert path not in way, [each.name for each in (*way, path)]
        if path not in done:
            for other in graph[path]:
                visit(other, (*way, path))
            done.add(path)

    for path in graph:
        visit(path, ())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SCRIPT).as_posix())
def test_modules_are_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= LINES


def test_types():
    command = node.installed("typescript", TYPESCRIPT, "bin/tsc")
    done = node.run([*command, "-p", str(HERE / "tsconfig.json")], ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_parts():
    scripts = sorted(str(path) for path in (HERE / "js").glob("*.test.mjs"))
    assert scripts
    options = ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--test"]
    done = node.run([node.NODE, *options, *scripts], ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_bundle_has_each_module_once_and_no_comment():
    text = source()
    names = re.findall(r"^const (\w+) = \(\(\) => \{$", text, re.MULTILINE)
    assert len(names) == len(set(names)) > 40
    assert not re.search(r"^\s*//|^(import|export) ", text, re.MULTILINE)


def test_a_module_comes_with_what_it_imports(tmp_path):
    program = f"console.log(({module('accessibility/roles.js')}).isRole('button'))"
    done = node.run([node.NODE, "-e", program], ROOT)
    assert done.stdout == "true\n", done.stderr


def test_the_table_of_roles():
    assert {"cell", "gridcell"} < roles_with("cell")
    assert "button" in roles_with("control")
    assert roles_with("no fact") == frozenset()
