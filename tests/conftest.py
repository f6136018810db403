"""Guards around every test, and the fixtures that all of them share."""

import gc
import os
import signal
import socket
import time
import uuid
import warnings
from pathlib import Path

import pytest

from strap_browser.settings.managed import SHELL
from tests.support.browser import CHANNEL

MARK = "TEST_RUN_OF_STRAP"
COMPILED = Path(__file__).parents[1] / ".cache" / "compiled"
LONG = ("install", "plugins/browser", "mcp", "plugins/cases", "batch", "docs", "plugins")
"""Slowest folders first, so that nobody waits for one long module at the end."""


DEFAULTS = {signal.SIGINT: signal.default_int_handler}
KINDS = {
    "plugins/browser": "browser",
    "plugins/cases/running": "browser",
    "mcp": "process",
    "batch/test_command.py": "process",
    "plugins/ray/test_ray.py": "process",
    "docs/test_error_examples.py": "browser",
    "docs/test_reference.py::test_a_command": "process",
    "docs/test_site.py": "process",
    "docs/test_tutorial.py": "process",
    "plugins/cases/sanity/test_runs.py": "browser",
    "plugins/http/test_documents.py::test_a_hostile": "process",
    "plugins/http/test_extract.py::test_a_hostile": "process",
    "plugins/http/test_passages.py::test_a_search_that_would_take_long": "process",
    "plugins/http/test_rendering.py": "process",
    "unit/test_clashes.py": "process",
    "unit/test_cli": "process",
    "unit/test_environments.py": "process",
    "unit/test_faults.py": "process",
    "unit/test_imports.py": "process",
    "unit/test_kept.py": "process",
    "unit/test_signals.py": "process",
    "unit/test_terminal.py": "process",
    "install": "install",
}
"""Marks of tests by folder, file or name, for what they need: `make quick` leaves these out."""


def pytest_addoption(parser):
    parser.addoption(
        "--playwright",
        action="store_true",
        help="tests/plugins/browser/pages: drive Chromium of a server of Playwright's",
    )
    parser.addoption(
        "--firefox", action="store_true", help="tests/plugins/browser/pages: drive Firefox"
    )
    parser.addoption(
        "--kept",
        action="store_true",
        help="tests/plugins/browser/pages: keep all outlines, each beside a whole one",
    )


def pytest_configure(config):
    """Mark this run in the environment: every process that it starts inherits the mark.

    They inherit as well which signals are ignored, as interrupts are in what a shell starts in the
    background: what tests of interrupts start must not.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, DEFAULTS.get(number, signal.SIG_DFL))
    os.environ.setdefault(MARK, uuid.uuid4().hex)
    # Hundreds of processes of Node run the same few programs: none needs to compile them again.
    os.environ.setdefault("NODE_COMPILE_CACHE", str(COMPILED))


def pytest_xdist_auto_num_workers(config):
    """Five workers on two cores: tests wait for browsers and servers as often as they compute.

    Three for those without a browser: they wait less, and each worker reads all tests first.
    """
    cores = os.cpu_count() or 2
    return cores * (3 if _is_left_out("browser", config) else 5) // 2


def pytest_collection(session):
    """Look for no garbage while thousands of tests are read: all of it stays."""
    gc.disable()


def pytest_collection_finish(session):
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path, config):
    """Read no test whose kind is left out: to read all takes longer than to run the quick ones."""
    kind = _kind(collection_path.relative_to(Path(__file__).parent).as_posix())
    return True if kind and _is_left_out(kind, config) else None


def _is_left_out(kind, config):
    return f"not {kind}" in config.option.markexpr


def _kind(place):
    """Return the mark of a folder, a file or the test `file::name`; "" for none."""
    return next((kind for start, kind in KINDS.items() if place.startswith(start)), "")


@pytest.hookimpl(tryfirst=True)  # before the marks are asked for
def pytest_collection_modifyitems(config, items):
    """Mark what each test needs, and hand the long modules to the workers first."""
    tests = Path(__file__).parent
    for item in items:
        if kind := _kind(f"{item.path.relative_to(tests).as_posix()}::{item.name}"):
            item.add_marker(kind)
        if config.getoption("--playwright") and item.get_closest_marker("launched"):
            item.add_marker(pytest.mark.skip(reason="not with --playwright"))
        if CHANNEL == SHELL and item.get_closest_marker("whole_browser"):
            item.add_marker(pytest.mark.skip(reason=f"not with {CHANNEL}"))
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _turn(item.path.relative_to(tests).as_posix()))


def _turn(path):
    return next((i for i, folder in enumerate(LONG) if path.startswith(folder)), len(LONG))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Fail the run if a process that a test started is still there."""
    if hasattr(session.config, "workerinput"):
        return
    deadline = time.monotonic() + 10
    while (left := marked()) and time.monotonic() < deadline:
        time.sleep(0.2)
    if left:
        print("\nprocesses left behind:", *left, sep="\n  ")  # noqa: T201
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR  # no test's own: none is run again


def marked():
    """The processes of this run beside this one, as `pid command`."""
    mark = f"{MARK}={os.environ[MARK]}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            ours = mark in (folder / "environ").read_bytes().split(b"\0")
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")[:150]
        except OSError:
            continue
        if ours and command and int(folder.name) != os.getpid():
            found.append(f"{folder.name} {command.decode(errors='replace')}")
    return found


@pytest.fixture(scope="session")
def o200k():
    """The tokenizer that sizes are stated in."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it opens its data in a deprecated way
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(autouse=True)
def environment_is_left_alone():
    before = dict(os.environ)
    yield
    ignored = {"PYTEST_CURRENT_TEST"}
    after = {k: v for k, v in os.environ.items() if k not in ignored}
    assert after == {k: v for k, v in before.items() if k not in ignored}


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch):
    """Refuse connections of this process to anything but loopback."""
    connect = socket.socket.connect

    def guarded(self, address):
        host = address[0] if isinstance(address, tuple) else None
        if host is not None and not (host.startswith("127.") or host in ("localhost", "::1")):
            raise AssertionError(f"a test connects to {address!r}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
