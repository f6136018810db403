"""The person at the terminal of `strap call`, who is asked there and nowhere else."""

import json
import os
import pty
import select
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from strap.cli.kept.client import end_session
from tests.site.server import serve

LIMIT = 30


class Terminal:
    """A terminal with `strap …` in it; standard input is a pipe that says yes to everything."""

    def __init__(self, home, *words, stdin=b"y\nyes\n", **environ):
        self.ours, theirs = pty.openpty()
        reading, writing = os.pipe()
        os.write(writing, stdin)
        os.close(writing)
        env = {"HOME": str(home), "STRAP_HOME": str(home / "data"), "PATH": "/usr/bin:/bin"}
        self.said = ""
        run = (
            "import os, sys, fcntl, termios; os.setsid();"
            "fcntl.ioctl(1, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", run, sys.executable, "-m", "strap", *words],
            stdin=reading,
            stdout=theirs,
            stderr=theirs,
            env=env | environ,
            cwd=home,
        )
        os.close(theirs)
        os.close(reading)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)

    def until(self, text):
        """Read until `text` was said."""
        end = time.monotonic() + LIMIT
        while text not in self.said:
            assert time.monotonic() < end, self.said
            if select.select([self.ours], [], [], 0.2)[0]:
                try:
                    self.said += os.read(self.ours, 10_000).decode()
                except OSError:  # nobody holds it any more
                    assert text in self.said, self.said
        return self.said

    def type(self, text):
        """Press keys."""
        os.write(self.ours, text.encode())

    def end(self):
        """Return the exit status; what is left to be read is."""
        status = self.process.wait(LIMIT)
        try:
            while select.select([self.ours], [], [], 0.1)[0]:
                self.said += os.read(self.ours, 10_000).decode()
        except OSError:
            pass
        return status


@pytest.fixture
def terminal(tmp_path, runtime):
    """Run `strap …` in a terminal, with kept sessions of the test's own."""
    with ExitStack() as stack:
        yield lambda *words, **more: stack.enter_context(
            Terminal(tmp_path, *words, XDG_RUNTIME_DIR=runtime, **more)
        )


@pytest.fixture
def site():
    with serve({"/": "<p>Paid</p>"}) as served:
        yield served


@pytest.fixture
def runtime():
    with TemporaryDirectory(dir="/tmp") as folder:
        yield folder
        for path in Path(folder).rglob("*.sock"):
            end_session(path)


def call(site, *more):
    return ("call", *more, "--confirm", "http.fetch", "http", "fetch", f"{site}/")


@pytest.mark.parametrize("keep", [(), ("--keep=shop",)])
@pytest.mark.parametrize(("typed", "status"), [("y\n", 0), ("yes\n", 0), ("n\n", 1), ("\n", 1)])
def test_the_person_at_the_terminal_decides(terminal, site, keep, typed, status):
    ran = terminal(*call(site, *keep))
    said = ran.until("[y/N]")
    assert f"An agent wants to do http.fetch.\r\nAddress: {site}/\r\nMay it?" in said
    assert not site.requests
    ran.type(typed)
    assert ran.end() == status
    assert ("Paid" in ran.said) is (status == 0)
    assert len(site.requests) == (status == 0)
    if status:
        assert "A person said no to http.fetch" in ran.said


def test_what_was_typed_before_is_no_answer(terminal, site):
    ran = terminal(*call(site))
    ran.type("y\ny\n")
    ran.until("[y/N]")
    time.sleep(0.3)
    assert ran.process.poll() is None
    ran.type("n\n")
    assert ran.end() == 1
    assert not site.requests


@pytest.mark.parametrize("keep", [(), ("--keep=shop",)])
def test_no_terminal_is_a_no(tmp_path, site, runtime, keep):
    env = {"HOME": str(tmp_path), "STRAP_HOME": str(tmp_path / "data"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-m", "strap", *call(site, *keep, "--json")],
        input="y\n",
        env=env | {"XDG_RUNTIME_DIR": runtime},
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=LIMIT,
        check=False,
    )
    assert json.loads(done.stdout)["error"]["code"] == "needs_confirmation"
    assert done.returncode == 1
    assert not site.requests


@pytest.mark.parametrize("keep", [(), ("--keep=shop",)])
def test_an_interrupt_ends_the_question(terminal, site, keep):
    ran = terminal(*call(site, *keep))
    ran.until("[y/N]")
    ran.type("\x03")
    assert ran.process.wait(10) != 0
    assert not site.requests


@pytest.mark.parametrize("keep", [(), ("--keep=shop",)])
def test_calls_in_a_row(terminal, site, keep):
    lines = f"http fetch {site}/\nhttp fetch {site}/\n".encode()
    ran = terminal("call", *keep, "--confirm", "http", "-", stdin=lines)
    ran.until("[y/N]")
    ran.type("n\n")
    ran.until("said no")
    ran.said = ran.said.partition("said no")[2]
    ran.until("[y/N]")
    ran.type("y\n")
    ran.until("Paid")
    ran.end()
    assert len(site.requests) == 1
