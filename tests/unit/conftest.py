"""What tests of plugins share."""

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
