"""The generated pages are those that the code gives."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
REFERENCE = DOCS / "reference"


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages():
    """In a process of its own: click remembers the options of a help that some test asked for.

    Takes two seconds: not to be done by each worker that only reads the tests.
    """
    asked = "import generate, json; print(json.dumps(generate.pages()))"
    told = subprocess.run([sys.executable, "-c", asked], cwd=DOCS, capture_output=True, check=True)
    return json.loads(told.stdout)


@pytest.mark.parametrize("path", sorted(REFERENCE.iterdir()), ids=lambda path: path.name)
def test_page_is_current(pages, path):
    assert path.read_text("utf-8") == pages[path.name], "run `make docs`"


def test_there_is_no_other_page(pages):
    assert {path.name for path in REFERENCE.iterdir()} == set(pages)


def test_a_command_stands_as_it_tells_itself(pages):
    """Asked in a process of its own: click remembers the options of a help it once gave."""
    wide = "prog_name='strap', terminal_width=96, max_content_width=96"
    asked = f"from strap.cli.main import cli; cli(['batch', 'run', '--help'], {wide})"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert f"## strap batch run\n\n```text\n{told.stdout}```\n" in pages["command-line.md"]


def test_the_size_of_the_tool_stands_in_the_comparison_alone():
    pages = [DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md", *DOCS.glob("*.md")]
    size = re.compile(r"\b(tool|definition)\b[^.|]*?\d[\d,]* tokens", re.DOTALL)
    assert size.search("One tool of fewer than 850 tokens.")
    assert [page.name for page in pages if size.search(page.read_text("utf-8"))] == []


def test_copies_are_current(generator):
    copies = generator.copies() | generator.action_lists()
    assert copies
    for path, text in copies.items():
        assert (DOCS.parent / path).read_text("utf-8") == text, f"{path}: run `make docs`"
