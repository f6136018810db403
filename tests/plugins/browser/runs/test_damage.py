"""An index that is damaged, a disk that is full: runs keep a true record, and nothing breaks."""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from strap import ActionError
from strap.config import Config
from strap_agent.cli import diagnose
from strap_agent.recovery import open_store
from strap_agent.store.database import damage
from strap_agent.store.records import Event, Query

from .conftest import PNG

SUCCESS = {"status": "success", "stop_reason": "done", "result": "42", "summary": "42"}


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


@pytest.fixture
def stored(root, draft):
    """The ids of a run that succeeded and of one that failed, in a store that is closed."""
    with closing(open_store(root)) as store:
        good, bad = draft(), draft(summary="It did not work.")
        for begun in (good, bad):
            store.begin(begun, owner="local", model="openai/x")
            store.add(begun.session_id, [event(n) for n in range(100)])
            store.add_shot(begun.session_id, PNG, step=2)
        store.finish(good.model_copy(update=SUCCESS), steps=3)
        store.finish(bad, steps=1)
    return good.session_id, bad.session_id


def event(number, **fields):
    given = {"type": "console", "summary": f"event {number} {'x' * 200}", "at": 1.0 + number}
    return Event(**given | fields)


def junk(index):
    index.write_bytes(b"nothing of ours " * 500)


def cut(index):
    os.truncate(index, index.stat().st_size // 2)


def flip(index):
    data = bytearray(index.read_bytes())
    for at in range(100, len(data), 97):
        data[at] ^= 0xFF
    index.write_bytes(data)


def columns(index):
    index.unlink()
    with closing(sqlite3.connect(index)) as db:
        db.execute("CREATE TABLE runs (id INTEGER, name TEXT)")
        db.commit()


def foreign(index):
    with closing(sqlite3.connect(index, isolation_level=None)) as db:
        db.execute("ALTER TABLE events DROP COLUMN url")


def view(index):
    with closing(sqlite3.connect(index, isolation_level=None)) as db:
        db.execute("DROP TABLE shots")
        db.execute("CREATE VIEW shots AS SELECT 1 AS id")


def trigger(index):
    with closing(sqlite3.connect(index, isolation_level=None)) as db:
        db.execute("CREATE TRIGGER no BEFORE INSERT ON runs BEGIN SELECT raise(ABORT, 'no'); END")


def folder(index):
    index.unlink()
    index.mkdir()


def pipe(index):
    index.unlink()
    os.mkfifo(index)


def link(index):
    index.unlink()
    index.symlink_to(index.parent / "nowhere" / "index.db")


DAMAGES = [junk, cut, flip, columns, foreign, view, trigger, folder, pipe, link]


@pytest.mark.parametrize("spoil", DAMAGES)
def test_a_damaged_index_is_set_aside_and_begun_anew(root, stored, draft, spoil):
    good, bad = stored
    spoil(root / "index.db")
    assert damage(root)
    with closing(open_store(root)) as store:
        found = {record.session_id: record for record in store.runs()}
        assert found.keys() == {good, bad}
        assert found[good].answer["result"] == "42"
        assert (found[good].steps, found[good].owner) == (3, "local")
        assert found[bad].answer["summary"] == "It did not work."
        [last] = store.events(bad, Query(last_n=1, has_error=True))
        assert last.summary.startswith("run failed (cancelled): It did not work.")
        [shot] = store.shots(good)
        assert shot.step == 2
        assert found[good].answer["artifacts"] == {
            "screenshots": 1, "stream_samples": 0, "run_events": 0
        }  # fmt: skip
        [notice] = store.notices()
        assert store.notices() == []
        [aside] = root.glob("index-*.db")
        assert aside.name in notice
        begun = draft()
        store.begin(begun, owner="local", model="")
        store.finish(begun.model_copy(update=SUCCESS), steps=1)
        assert store.run(begun.session_id).status == "success"
    assert damage(root) == ""
    with closing(open_store(root)) as store:
        assert len(store.runs()) == 3
        assert store.notices() == []


@pytest.mark.parametrize("spoil", [junk, flip, columns])
def test_an_index_that_is_damaged_while_it_is_used(root, stored, draft, spoil):
    with closing(open_store(root)) as store:
        begun = draft()
        store.begin(begun, owner="local", model="")
        spoil(root / "index.db")
        for ending in ("-wal", "-shm"):
            (root / f"index.db{ending}").unlink(missing_ok=True)
        store.finish(begun.model_copy(update=SUCCESS), steps=1)
        found = {record.session_id: record.status for record in store.runs()}
    with closing(open_store(root)) as store:
        assert {r.session_id: r.status for r in store.runs()} == found
    assert found.keys() == {*stored, begun.session_id}
    assert found[begun.session_id] == "success"


def test_rows_that_are_no_json(root, stored):
    good, bad = stored
    with closing(sqlite3.connect(root / "index.db", isolation_level=None)) as db:
        db.execute("UPDATE runs SET answer = 'no JSON' WHERE session_id = ?", (good,))
        with closing(open_store(root)) as store:
            assert store.run(good).answer["result"] == "42"
            db.execute("UPDATE runs SET answer = '[1]', dropped = 'x', started = 'x'")
            db.execute("UPDATE events SET details = '{'")
            assert {record.status for record in store.runs()} == {"failed"}
            assert store.events(bad, Query())[0].details == {}


@pytest.mark.parametrize("nothing", [b"", b"S", None])
def test_runs_that_an_empty_index_does_not_know(root, stored, nothing):
    for path in root.glob("index.db*"):
        path.unlink()
    if nothing is not None:
        (root / "index.db").write_bytes(nothing)
        assert damage(root)
    for path in root.iterdir():
        os.utime(path, (1, 1))
        known = json.loads((path / "run.json").read_text()) if path.is_dir() else {}
        if known:
            (path / "run.json").write_text(json.dumps(known | {"ended": known["ended"] - 99_999}))
    with closing(open_store(root)) as store, closing(open_store(root)) as other:
        store._refill(), other._refill()  # two processes at once
        ended = [record.ended for record in store.runs()]
        assert max(ended) < time.time() - 90_000  # not now
        found = {record.session_id: record.status for record in store.runs()}
        assert found == dict(zip(stored, ("success", "failed"), strict=True))
        assert [len(store.shots(session_id)) for session_id in stored] == [1, 1]


def test_values_of_another_kind(root, stored, draft):
    with closing(sqlite3.connect(root / "index.db", isolation_level=None)) as db:
        db.execute("UPDATE runs SET ended = 'x', size = 'x', steps = 'many', started = 'once'")
        db.execute("UPDATE runs SET task = x'80', url = x'ff', model = 1")
        db.execute("UPDATE events SET at = 'never', summary = x'80', step = 'x', url = 5")
        db.execute("UPDATE shots SET title = x'80', at = 'x'")
    with closing(open_store(root)) as store:
        assert {record.task for record in store.runs()} == {""}
        assert store.events(stored[1], Query(last_n=100))[-1].summary == ""
        assert store.shots(stored[0])[0].title == ""
        begun = draft()
        store.begin(begun, owner="local", model="")
        store.finish(begun.model_copy(update=SUCCESS), steps=1)
        assert len(store.runs()) == 3


def test_the_commands_say_what_is_wrong(root, stored, tmp_path):
    (root / "index.db").write_bytes(b"junk" * 1_000)
    done = strap(tmp_path, "runs", "list")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 2
    assert "was damaged" in done.stderr
    assert "Traceback" not in done.stderr
    assert strap(tmp_path, "runs", "list").stderr == ""
    assert strap(tmp_path, "runs", "prune").returncode == 0


def strap(home, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "strap", *arguments],
        capture_output=True, text=True, cwd=home, timeout=60, check=False,
        env={"STRAP_HOME": str(home), "HOME": str(home), "PATH": "/usr/bin:/bin"}, **options,
    )  # fmt: skip


def full():
    """No file may grow: what a full disk looks like to a process."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_full_disk_at_the_start(root, stored, tmp_path):
    for index in root.glob("index.db*"):
        index.unlink()
    done = strap(tmp_path, "runs", "list", preexec_fn=full)
    assert done.returncode == 1
    assert "cannot be opened" in done.stderr
    assert "Traceback" not in done.stderr
    assert strap(tmp_path, "runs", "list").stdout.count("\n") == 2


def test_what_cannot_be_opened_is_named(root):
    root.write_text("no folder")
    with pytest.raises(ActionError, match="cannot be"):
        open_store(root)


def test_the_doctor_sees_it(root, stored, tmp_path):
    config = Config.load(home=tmp_path, environ={})
    assert "agent runs" not in [line.subject for line in diagnose(config)]
    junk(root / "index.db")
    [line] = [each for each in diagnose(config) if each.subject == "agent runs"]
    assert not line.ok
    assert "damaged" in line.detail
    open_store(root).close()
    with closing(sqlite3.connect(root / "index.db", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        [line] = [each for each in diagnose(config) if each.subject == "agent runs"]
        assert not line.ok
        assert "locked" in line.detail
        assert "damaged" not in line.detail
    [line] = [each for each in diagnose(config) if each.subject == "agent runs"]
    assert line.ok
    assert "set aside" in line.detail


def test_a_run_of_a_killed_process_has_its_event_and_its_artifacts(root, draft):
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from strap_agent.contract import EvalAnswer\n"
        "from strap_agent.store.records import Event\n"
        "from strap_agent.recovery import open_store\n"
        "store = open_store(Path(sys.argv[1]))\n"
        "draft = EvalAnswer.model_validate_json(sys.argv[2])\n"
        "store.begin(draft, owner='local', model='')\n"
        "store.add(draft.session_id, [Event(type='agent', summary='step 2', at=1.0, step=2)])\n"
        "store.add_shot(draft.session_id, bytes.fromhex(sys.argv[3]), step=1, url='http://a/')\n"
        "import os; os.kill(os.getpid(), 9)\n"
    )
    begun = draft()
    given = [str(root), json.dumps(begun.as_json()), PNG.hex()]
    subprocess.run([sys.executable, "-c", code, *given], check=False, timeout=60)
    with closing(open_store(root)) as store:
        record = store.run(begun.session_id)
        assert (record.status, record.stop_reason, record.steps) == ("failed", "lost", 2)
        assert record.answer["artifacts"]["run_events"] == 2
        assert record.answer["artifacts"]["screenshots"] == 1
        assert record.answer["page"]["url"] == "http://a/"
        assert record.answer["next_actions"]
        assert "strap ended" in record.answer["errors_top"][0]["summary"]
        [failed] = store.events(begun.session_id, Query(has_error=True))
        assert failed.summary.startswith("run failed (lost): strap ended")


def test_an_answer_that_could_not_be_written_is_written_later(root, draft):
    with closing(open_store(root)) as store:
        begun = draft()
        store.begin(begun, owner="local", model="")
        answer = draft(**{**begun.as_json(), "stop_reason": "budget", "summary": "Over."})
        with closing(sqlite3.connect(root / "index.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(sqlite3.OperationalError):
                store.finish(answer, steps=4)
            assert store.run(begun.session_id) is not None
        record = store.run(begun.session_id)
        assert (record.stop_reason, record.steps) == ("budget", 4)
        [failed] = store.events(begun.session_id, Query(has_error=True))
        assert failed.summary == "run failed (budget): Over."
        assert record.answer["artifacts"]["run_events"] == 1


def test_an_answer_is_kept_for_the_next_process(root, draft):
    store = open_store(root)
    begun = draft()
    store.begin(begun, owner="local", model="")
    with closing(sqlite3.connect(root / "index.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError):
            store.finish(begun.model_copy(update=SUCCESS), steps=4)
        store.close()
    with closing(open_store(root)) as store:
        assert store.run(begun.session_id).answer["result"] == "42"


def test_an_answer_is_kept_on_a_full_disk(root, draft):
    code = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from strap_agent.contract import EvalAnswer\n"
        "from strap_agent.recovery import open_store\n"
        "store = open_store(Path(sys.argv[1]))\n"
        "draft = EvalAnswer.model_validate_json(sys.argv[2])\n"
        "store.begin(draft, owner='local', model='')\n"
        "size = (store.folder(draft.session_id) / 'run.json').stat().st_size\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
        "store.finish(draft.model_copy(update={'stop_reason': 'budget'}), steps=1)\n"
    )
    begun = draft()
    given = [str(root), json.dumps(begun.as_json())]
    done = subprocess.run(
        [sys.executable, "-c", code, *given], capture_output=True, check=False, timeout=60
    )
    assert b"sqlite3.OperationalError" in done.stderr
    with closing(open_store(root)) as store:
        assert store.run(begun.session_id).stop_reason == "budget"


def test_the_run_that_was_just_answered_stays(root, draft):
    with closing(open_store(root, megabytes=0.001)) as store:
        for _ in range(2):
            begun = draft()
            store.begin(begun, owner="local", model="")
            store.add_shot(begun.session_id, PNG + b"\0" * 5_000, step=1)
            store.finish(begun, steps=1)
            assert [record.session_id for record in store.runs()] == [begun.session_id]
            assert store.shots(begun.session_id)
