"""Many processes of the command line on one page, and what is left of their session."""

import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.plugins.browser.lifecycle.machine import litter
from tests.support.processes import descendants, gone
from tests.support.waiting import wait_until

PAGE = """<title>0</title><script>n = 0</script>
<button onclick="document.title = ++n">Add</button>"""
MANY = 12


@pytest.fixture
def call(tmp_path, runtime):
    """Call the command line in a kept session of the test's own, which ends with it."""
    keep = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
    environ = {
        **keep,
        "XDG_RUNTIME_DIR": str(runtime),
        "STRAP_HOME": str(tmp_path / "home"),
        "STRAP_SESSION": "shop",
        "STRAP_HEADLESS": "true",
        "STRAP_BROWSER__PORT": "0",
    }

    def run(*words):
        done = subprocess.run(
            [sys.executable, "-m", "strap", *words],
            env=environ,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    yield run
    run("sessions", "close", "--all")


def test_many_processes_work_on_one_page(call, serve_site):
    site = serve_site({"/": PAGE})
    call("call", "browser", "launch")
    call("call", "browser", "navigate", f"{site}/")
    ref = re.search(r'button "Add" (e\d+)', call("call", "browser", "snapshot"))[1]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: call("call", "browser", "click", f"ref={ref}"), range(MANY)))
    assert call("call", "browser", "evaluate", "document.title").strip() == f'"{MANY}"'


def test_closing_the_browser_ends_the_session(call):
    call("call", "browser", "launch")
    (session,) = map(json.loads, call("sessions", "--json").splitlines())
    call("call", "browser", "close")
    assert gone(session["pid"])
    assert call("sessions") == ""


def test_a_kill_leaves_no_browser_and_no_socket(call, tmp_path, runtime):
    call("call", "browser", "launch")
    (session,) = map(json.loads, call("sessions", "--json").splitlines())
    started = descendants(session["pid"])
    assert len(started) > 3
    os.kill(session["pid"], signal.SIGKILL)
    assert gone(session["pid"], *started)
    wait_until(lambda: not list(runtime.rglob("*.sock")))
    assert not [name for name in litter(tmp_path / "home") if name != "running.json"]
