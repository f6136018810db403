"""Case files of a text, and `strap test` without a browser."""

from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from strap import UsageError
from strap_cases.command import test as command
from strap_cases.problems import BadCases
from strap_cases.reading import read_cases

SHOP = """---
base_url: http://127.0.0.1:3000
---
## Log in @setup(ada)
Log in.
- `url /`
## Order @smoke @slow
State: ada
Order.
- `url /`
### Examples
| tool |
| - |
| spade |
| rake |
## Leave @smoke
Leave.
- `url /`
"""


@pytest.fixture
def read(tmp_path):
    """Read a text as a case file; settings that every file needs are given."""

    def read_text(text, *, name="shop.case.md", base_url="http://shop.test", **options):
        path = tmp_path / name
        content = text if isinstance(text, bytes) else dedent(text).encode()
        path.write_bytes(content)
        return read_cases([path], base_url=base_url, **options)

    return read_text


@pytest.fixture
def wrong(read, tmp_path):
    """Read a text as a case file and return what is wrong with it, as (line, text)."""

    def problems(text, **options):
        with pytest.raises(BadCases) as raised:
            read(text, **options)
        return [(each.line, each.text) for each in raised.value.problems]

    return problems


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Call `strap test` in a folder with the shop's cases, without any model."""
    monkeypatch.chdir(tmp_path)
    for name in ("STRAP_MODEL", "CI", "STRAP_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    Path("shop.case.md").write_text(SHOP)

    def call(*words):
        done = CliRunner().invoke(command, list(words))
        raised = done.exception if isinstance(done.exception, UsageError) else None
        return 2 if raised else done.exit_code, done.stdout, str(raised or "") or done.stderr

    return call
