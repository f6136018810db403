"""Fixtures that tests of plugins share."""

import subprocess
import sys

import pytest

from .installed import Site


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Install distributions for this process, and for those that it starts by `site.strap`."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield Site(tmp_path)
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def strap(tmp_path):
    """Run `strap …` in an empty directory with an empty home."""

    def run(*arguments, stdin="", **environ):
        env = {"HOME": str(tmp_path), "STRAP_HOME": str(tmp_path / "data"), "PATH": "/usr/bin:/bin"}
        return subprocess.run(
            [sys.executable, "-m", "strap", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=env | environ,
            timeout=60,
            check=False,
        )

    return run
