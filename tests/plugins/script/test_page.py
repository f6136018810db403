"""The page of the documents about scripts, from a session to a green test, as it is written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from anyio import to_thread

from strap_browser.chromium.executables import find_executable
from tests.site.server import serve
from tests.support.browser import SETTINGS

from .conftest import shop
from .test_exports import RUNNER

pytestmark = pytest.mark.anyio
PAGE = Path(__file__).parents[3] / "docs" / "scripts.md"
INSTALLS = "pip install"
"""Commands that need a registry: their packages are installed for the tests."""
WINDOWED = "strap record"


@pytest.fixture
def shell(tmp_path):
    """Run a command as a reader does; returns what it prints."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
    environ["PATH"] = f"{Path(sys.executable).parent}:{environ['PATH']}"
    environ |= {"STRAP_HOME": str(tmp_path / "home"), "STRAP_NETWORK": "local"}
    for key, value in SETTINGS.items():
        if value is not None:
            environ[f"STRAP_BROWSER__{key.upper()}"] = str(value).lower()

    def run(command):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    yield run
    run("strap sessions close")


async def test_the_page_leads_from_a_session_to_a_green_test(shell, tmp_path):
    blocks = re.findall(
        r"^```console\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    commands = re.findall(r"^\$ (.*)$", "".join(blocks), re.MULTILINE)
    (tmp_path / "conftest.py").write_text(RUNNER % str(find_executable()))
    with serve(shop()) as site:
        printed = {}
        for command in commands:
            if command.startswith((INSTALLS, WINDOWED)):
                continue
            told = command.replace("http://localhost:3000", str(site)).replace("…", "correct")
            printed[command] = await to_thread.run_sync(shell, told)
        posted = [request for request in site.requests if request.method == "POST"]
    assert [told for told in printed.values() if "1 passed" in told]
    assert len(posted) >= 3  # by hand, by `strap run`, by pytest
