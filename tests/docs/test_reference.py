"""The generated pages are those that the code gives."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = generator()
PAGES = GENERATOR.pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_current(name):
    assert (DOCS / "reference" / name).read_text("utf-8") == PAGES[name], "run `make docs`"


@pytest.mark.parametrize(("path", "text"), (GENERATOR.copies() | GENERATOR.action_lists()).items())
def test_copy_is_current(path, text):
    assert (DOCS.parent / path).read_text("utf-8") == text, "run `make docs`"


def test_there_is_no_other_page():
    assert {p.name for p in (DOCS / "reference").iterdir()} == set(PAGES)
