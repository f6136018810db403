"""`make`: whose environment it installs into."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("python", "strap", "mypy", "ruff", "lint-imports", "deptry")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make here")


def checkout(folder, environment):
    """A checkout whose `.venv` is that environment, with programs that tell how they are called."""
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    for name in ("pyproject.toml", "constraints.txt"):
        (folder / name).touch()
    (folder / ".venv").symlink_to(environment)
    return folder


def make(folder, *goals):
    for name in ("pyproject.toml", "constraints.txt"):  # newer than any stamp
        os.utime(folder / name, (2_000_000_000, 2_000_000_000))
    done = subprocess.run(
        ["make", *goals], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout, done.stderr


@pytest.mark.parametrize("goal", ["lint", "install"])
def test_an_environment_stays_that_of_the_checkout_it_was_made_for(tmp_path, goal):
    programs = tmp_path / "environment" / "bin"
    programs.mkdir(parents=True)
    for name in (*PROGRAMS, "pip"):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*"\n')
        (programs / name).chmod(0o755)
    first, second = (checkout(tmp_path / name, programs.parent) for name in ("first", "second"))
    assert "install" in make(first, goal)[0]
    told, warned = make(second, goal)
    assert f"the environment of {first}: nothing was installed for {second}" in warned
    assert " -e " not in told
    assert "install" in make(first, goal)[0]
    shutil.rmtree(first)
    assert "install" in make(second, goal)[0]
