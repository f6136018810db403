"""How the benchmark of applications starts, ends and skips them: with a small server as one."""

import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from types import SimpleNamespace

import pytest

from benchmarks.of_apps import application, debian, imap
from benchmarks.of_apps.application import Application, free_port
from benchmarks.of_apps.apps import _measured
from benchmarks.of_apps.peers import Playwright
from benchmarks.peers import Absent
from benchmarks.processes import tree, wait_until
from benchmarks.wire import Failed


class Small(Application):
    name, version, tasks = "Small", "1", (None,) * 5

    def install(self):
        pass

    def boot(self):
        (self.folder / "database").write_text("seeded")
        self.spawn(sys.executable, "-m", "http.server", str(self.port), "--bind", "127.0.0.1")


class Broken(Small):
    def boot(self):
        self.spawn(sys.executable, "-c", "raise SystemExit('address already in use')")


class Missing(Small):
    def install(self):
        raise Absent("small==1: no such package")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(application, "FOLDER", tmp_path)
    return tmp_path


def running(app):
    return tree(0, app._run)


def test_nothing_is_left_of_an_application():
    app = Small(None)

    def interrupted():
        with app.running():
            assert running(app)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not running(app)
    assert not list(app.folder.iterdir())


def test_what_a_killed_run_left_is_ended_and_removed():
    killed = Small(None)
    left = killed.running()
    left.__enter__()
    (killed.folder / "lock").write_text("held")
    with Small(None).running():
        assert not running(killed)
        assert not (killed.folder / "lock").exists()
    killed._started[0].wait(5)


def test_one_that_does_not_start_says_why():
    with (
        pytest.raises(Failed, match=r"did not start: address already in use"),
        Broken(None).running(),
    ):
        pass


@pytest.mark.parametrize(("kind", "why"), [(Missing, "no such package"), (Broken, "in use")])
def test_one_that_is_not_to_be_had_is_skipped_and_named(kind, why):
    table = _measured(SimpleNamespace(tools=None, drivers=[]), kind)
    assert table.rows == []
    assert why in table.notes[0]
    assert "none of its 5 tasks counts as done" in table.notes[0]


def test_targets_are_found_in_the_snapshots_of_a_peer():
    peer = Playwright(None, "")
    peer._nodes = peer._read("""
- table [ref=e1]:
  - row "Rake 4" [ref=e2]:
    - button "Add" [ref=e3]
  - row "Hoe 5" [ref=e4]:
    - button "Add" [ref=e5] [cursor=pointer]
  - generic [ref=e6] [cursor=pointer]: debug
  - button "\uf112 Reply" [ref=e7]""")
    assert peer.ref({"ref": 'button "Add" in row "Hoe*"'}) == "e5"
    assert peer.ref({"ref": 'button "Add" 1 of 2'}) == "e3"
    assert peer.ref({"ref": 'clickable "debug"'}) == "e6"
    assert peer.ref({"ref": 'button "Reply"'}) == "e7"
    for other in ("Buy", "debug"):  # what is no control may have another role, no control has
        assert bool(peer._found(f'button "{other}"')) is (other == "debug")
    with pytest.raises(Failed, match='no checkbox "Reply"'):
        peer.ref({"ref": 'checkbox "Reply"'})


def test_a_mail_server_takes_over_at_the_log_in():
    port = free_port()
    server = "import os; print(os.environ['IMAPLOGINTAG'], 'OK', flush=True); input()"
    command = (sys.executable, imap.__file__, str(port), sys.executable, "-c", server)
    with subprocess.Popen(command) as front:
        try:
            assert wait_until(lambda: _is_open(port), 20)
            with socket.create_connection(("127.0.0.1", port)) as client, client.makefile() as read:
                client.sendall(b"a CAPABILITY\r\nb LOGIN anna any\r\n")
                lines = [read.readline().split()[:2] for _ in range(4)]
            assert lines == [["*", "OK"], ["*", "CAPABILITY"], ["a", "OK"], ["b", "OK"]]
        finally:
            front.terminate()


def _is_open(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def test_a_database_is_restored_while_it_is_open(tmp_path):
    seeded, data = tmp_path / "seeded", tmp_path / "data"
    for file in (seeded, data):
        with closing(sqlite3.connect(file)) as base:
            base.executescript("pragma journal_mode = wal; create table mails (id)")
    with closing(sqlite3.connect(data)) as base:
        base.execute("insert into mails values (1)")
        base.commit()
        debian.restore(data, seeded)
        assert base.execute("select count(*) from mails").fetchone() == (0,)
        assert base.execute("pragma integrity_check").fetchone() == ("ok",)
