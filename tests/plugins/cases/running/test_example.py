"""The example project, as its README says: the shop by itself, `strap test`, and pytest."""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest

from .test_pytest import EXAMPLE_PROJECT


@contextmanager
def shop(folder, *words):
    """The example's shop, in a process of its own; yields its port."""
    command = [sys.executable, "shop.py", "--port", "0", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield re.search(r":(\d+)$", process.stdout.readline().strip())[1]
        finally:
            process.terminate()


@pytest.fixture
def project(tmp_path):
    """A copy of the example, in which the port of the shop is put."""
    folder = tmp_path / "shop-cases"
    shutil.copytree(EXAMPLE_PROJECT, folder, ignore=shutil.ignore_patterns(".strap", "__pycache__"))

    def at(port):
        for name in ("shop.case.md", "strap.toml"):
            file = folder / name
            file.write_text(re.sub(r"localhost:\d+", f"localhost:{port}", file.read_text()))

    return folder, at


def run(folder, model, *words):
    hidden = ("STRAP_", "PYTEST_", "CI", "COV_")
    environ = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    environ |= {"STRAP_MODEL": "openai/scripted", "STRAP_BROWSER__MODEL_URL": model.url}
    environ |= {"STRAP_BROWSER__MODEL_KEY": "sk-scripted-0123456789"}
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder, env=environ, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_a_case_that_resets_the_shop_leaves_the_orders_of_those_beside_it(project):
    folder, _ = project
    with shop(folder) as port:
        ask = HTTPConnection("127.0.0.1", int(port), timeout=30)

        def said(method, path, body=None):
            ask.request(method, path, body)
            return ask.getresponse().read().decode()

        for number in range(50):
            said("POST", "/api/orders", json.dumps({"tool": "rake", "note": f"run {number}."}))
        said("POST", "/test/reset", "")
        orders = said("GET", "/api/orders")
        ask.close()
    assert "run 49." in orders
    assert "run 9." not in orders


@pytest.mark.soak  # the case file goes the same way in test_runs, the project in test_pytest
def test_the_bug_is_found_and_without_it_all_pass(project, model):
    folder, at = project
    with shop(folder) as port:
        at(port)
        done = run(folder, model, "strap", "test")
    assert done.returncode == 1, done.stdout + done.stderr
    assert '`text "Total 9.00"`  seen: "Total 12.50"' in done.stdout
    assert "2 passed, 1 failed" in done.stdout
    assert (folder / ".strap/test/index.html").exists()
    for fixed, counts in (([], {"failed": 1, "passed": 2}), (["--fixed"], {"passed": 3})):
        with shop(folder, *fixed) as port:
            at(port)
            done = run(folder, model, "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
        assert done.returncode == len(counts) - 1, done.stdout + done.stderr
        told = json.loads((folder / ".strap/pytest/results.json").read_text())
        assert told["counts"] == counts
