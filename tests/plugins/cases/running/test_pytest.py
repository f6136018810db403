"""Cases as tests of pytest: a process of its own, with the real plugin, browser and agent."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from .test_runs import EXAMPLE

EXAMPLE_PROJECT = Path(__file__).resolve().parents[4] / "examples" / "shop-cases"
CONFTEST = """
import pytest
SEEN = []
@pytest.fixture(scope="session")
def strap_base_url():
    return "{site}"
@pytest.fixture(autouse=True)
def seed(strap_case):
    SEEN.append(strap_case and strap_case.name)
    yield
def pytest_sessionfinish(session):
    if SEEN:
        print("SEEN", SEEN)
"""
PLAIN = "def test_plain():\n    assert True\n"
BAD = "---\nbase_url: http://127.0.0.1:1\n---\n## Broken\nGo.\n- `urll /`\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The example project beside its own shop, with a plain test and a conftest.py."""
    made = tmp_path_factory.mktemp("project") / "shop-cases"
    shutil.copytree(
        EXAMPLE_PROJECT, made, ignore=shutil.ignore_patterns(".strap", "__pycache__", "replays")
    )
    command = [sys.executable, "shop.py", "--port", "0"]
    with subprocess.Popen(command, cwd=made, stdout=subprocess.PIPE, text=True) as shop:
        try:
            site = re.search(r"http://\S+", shop.stdout.readline())[0]
            config = (made / "strap.toml").read_text()
            (made / "strap.toml").write_text(re.sub(r"http://localhost:\d+", site, config))
            (made / "conftest.py").write_text(CONFTEST.format(site=site))
            (made / "test_plain.py").write_text(PLAIN)
            yield made
        finally:
            shop.terminate()


def run(project, *words, model=None):
    """Run pytest in a project; returns its exit status and what it said."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *words]
    hidden = ("STRAP_", "PYTEST_", "CI", "COV_")
    environ = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    if model is not None:
        environ |= {"STRAP_MODEL": "openai/scripted", "STRAP_BROWSER__MODEL_URL": model.url}
        environ |= {"STRAP_BROWSER__MODEL_KEY": "sk-scripted-0123456789"}
    done = subprocess.run(
        command, cwd=project, env=environ, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def ran(project, model):
    """One run of all, whose recordings others replay; several processes are in test_example."""
    return run(project, "-s", "--junitxml", "own.xml", "-W", "error", model=model)


def test_it_is_the_example_of_the_documentation():
    assert (EXAMPLE_PROJECT / "shop.case.md").read_text() == EXAMPLE


def test_the_example_of_the_documentation_runs_as_tests(project, ran):
    status, said = ran
    assert status == 1, said
    assert "1 failed, 3 passed" in said
    assert "failed: shop.case.md:" in said
    assert 'seen: "Total 12.50"' in said
    assert "Traceback" not in said
    assert "SEEN [" in said
    assert "'Order a tool [rake]'" in said
    assert "None" in said
    assert "strap: reports of the cases in .strap/pytest" in said
    told = json.loads((project / ".strap/pytest/results.json").read_text())
    assert told["counts"] == {"failed": 1, "passed": 2}
    assert len(ET.parse(project / ".strap/pytest/junit.xml").findall(".//testcase")) == 3
    page = (project / ".strap/pytest/index.html").read_text()
    assert page.index("Order a tool [rake]") < page.index("Customer is known")
    assert "What the agent did" in page
    assert "data:image/" in page
    for name in ("states", "profiles"):
        assert not list((project / ".strap/pytest").rglob(name))


def test_cases_are_chosen_as_any_tests_are(project):
    words = ("--strict-markers", "-k", "RAKE or plain", "-m", "strap_case")
    status, said = run(project, "--collect-only", *words)
    assert status == 0
    assert [line for line in said.splitlines() if "::" in line] == [
        "shop.case.md::Order a tool[rake]"
    ]
    status, said = run(project, "--collect-only", "-p", "no:strap")
    assert "case.md" not in said


def test_what_passed_is_replayed_and_what_is_wrong_with_a_file_is_its_own(project, model, ran):
    bad, asked = project / "bad.case.md", len(model.asked)
    bad.write_text(BAD)
    words = ("-k", "Customer or Broken or plain", "--strap-report", "again")
    try:
        status, said = run(project, *words, "--strap-replay", "only", model=model)
    finally:
        bad.unlink()
    assert status == 1, said
    assert "bad.case.md:6: `urll /`: 'urll' is not a valid check. Did you mean 'url'?" in said
    assert "1 failed, 2 passed" in said
    assert "Traceback" not in said
    [told] = json.loads((project / "again/results.json").read_text())["cases"]
    assert told["flags"] == ["replayed"]
    assert len(model.asked) == asked


def test_a_model_that_is_missing_is_told_in_one_line(tmp_path):
    Path(tmp_path / "a.case.md").write_text("## A\nGo.\n- `url /`\n")
    status, said = run(tmp_path, "--strap-base-url", "http://127.0.0.1:1")
    assert status == 1
    assert "no model" in said.lower()
    assert "Traceback" not in said


def test_a_pytest_without_cases_loads_nothing_of_strap(tmp_path):
    code = (
        "import sys, strap_cases.for_pytest.plugin;"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in"
        " ('strap', 'strap_browser', 'markdown_it', 'yaml', 'pydantic')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
