"""Docstrings, also those of fields and constants, begin with the thing or with a verb."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLEAN = ("strap", "plugins", "benchmarks", "docs", "examples", "deploy", "tests")
"""Folders with Python sources."""
TURNED = r"\s*(What|Which|Of|Where|Whose|Who|Whoever|Whatever)\b"


def docstrings(source):
    """Yield the line and the text of each string that is a statement."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text


@pytest.mark.parametrize("folder", CLEAN)
def test_docstrings_begin_with_the_thing(folder):
    turned = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "node_modules" not in path.parts
        for line, text in docstrings(path.read_text("utf-8"))
        if re.match(TURNED, text)
    ]
    assert not turned, "\n".join(turned)


def test_strings_of_fields_and_modules_are_found():
    source = '"""A."""\nclass C:\n    """B."""\n    x: int = 1\n    """C."""\n    y = "D"\n'
    assert [text for _, text in docstrings(source)] == ["A.", "B.", "C."]
