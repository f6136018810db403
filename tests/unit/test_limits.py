"""How long modules and functions may be."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULE, TEST_MODULE, FUNCTION = 300, 500, 40
"""Lines."""
SOURCES = [
    path
    for folder in ("strap", "plugins", "examples", "docs", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
    if "node_modules" not in path.parts
]


def names(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.parametrize("path", SOURCES, ids=names(SOURCES))
def test_sources_are_short(path):
    text = path.read_text("utf-8")
    assert text.count("\n") <= MODULE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < FUNCTION, node.name


def test_test_modules_are_short():
    lines = {p: p.read_text("utf-8").count("\n") for p in (ROOT / "tests").rglob("*.py")}
    assert not {path for path, count in lines.items() if count > TEST_MODULE}
