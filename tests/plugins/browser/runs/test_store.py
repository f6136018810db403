"""Runs on disk: bounded, private, readable after a restart and from another process."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import closing

import jsonschema
import pytest
from pydantic import ValidationError

from strap import Secrets
from strap.config.secrets import Secret
from strap_agent.contract import json_schema
from strap_agent.recorder import RunRecorder
from strap_agent.recovery import open_store
from strap_agent.result.compose import Redactor
from strap_agent.store.records import CAPS, Event, Query
from strap_agent.store.run_folder import alive

from .conftest import PNG


def event(number=0, kind="network", **changes):
    fields = {"type": kind, "summary": f"event {number}", "at": 1_000.0 + number}
    return Event(**fields | changes)


def test_a_run_survives_the_process(store, draft, tmp_path):
    begun = draft()
    store.begin(begun, owner="local", model="openai/x")
    store.add(begun.session_id, [event(1), event(2, "console", has_error=True, step=1)])
    assert store.add_shot(begun.session_id, PNG, step=1, url="http://localhost:3000/", title="T")
    assert store.run(begun.session_id).status == "running"
    done = begun.model_copy(update={"status": "success", "stop_reason": "done", "result": "42"})
    store.finish(done, steps=1)
    store.close()
    again = open_store(tmp_path / "runs")
    record = again.run(begun.session_id)
    assert (record.status, record.stop_reason, record.steps) == ("success", "done", 1)
    assert record.answer == done.as_json()
    assert [e.summary for e in again.events(begun.session_id, Query())] == ["event 2", "event 1"]
    [shot] = again.shots(begun.session_id)
    assert (again.folder(begun.session_id) / shot.file).read_bytes() == PNG
    assert again.counts(begun.session_id) == {
        "agent": 0, "console": 1, "network": 1, "screenshots": 1,
        "samples": 0,
    }  # fmt: skip
    again.close()


def test_only_the_user_can_read_it(store, draft, tmp_path):
    begun = draft()
    store.begin(begun, owner="local", model="")
    store.add_shot(begun.session_id, PNG, step=1)
    root = tmp_path / "runs"
    for path in (root, *root.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_each_kind_is_bounded_and_errors_stay_longest(store, draft):
    begun = draft()
    store.begin(begun, owner="local", model="")
    cap = CAPS["network"]
    store.add(begun.session_id, [event(0, has_error=True)])
    store.add(begun.session_id, [event(n) for n in range(1, cap + 11)])
    kept = store.events(begun.session_id, Query(last_n=10_000))
    assert len(kept) == cap
    assert {e.summary for e in kept} >= {"event 0", f"event {cap + 10}"}
    for number in range(CAPS["screenshots"] + 2):
        store.add_shot(begun.session_id, PNG, step=number)
    assert store.run(begun.session_id).dropped == {"network": 11, "screenshots": 2}
    assert len(list(store.folder(begun.session_id).glob("*.png"))) == CAPS["screenshots"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(last_n=1), ["c"]),
        (Query(last_n=0), []),
        (Query(types=("agent", "console")), ["c", "b"]),
        (Query(has_error=True), ["b"]),
        (Query(has_error=False), ["c", "a"]),
        (Query(since=20.0), ["c", "b"]),
    ],
)
def test_events_are_filtered_newest_first(store, draft, query, expected):
    begun = draft()
    store.begin(begun, owner="local", model="")
    store.add(
        begun.session_id,
        [
            Event(type="network", summary="a", at=10.0),
            Event(type="console", summary="b", at=20.0, has_error=True),
            Event(type="agent", summary="c", at=30.0),
        ],
    )
    assert [e.summary for e in store.events(begun.session_id, query)] == expected


def test_what_is_no_picture_is_not_kept(store, draft):
    begun = draft()
    store.begin(begun, owner="local", model="")
    assert not store.add_shot(begun.session_id, b"iVBORw0KGgo=", step=1)
    assert store.shots(begun.session_id) == []


def test_a_run_of_a_killed_process_is_failed_and_cleared(draft, tmp_path):
    begun = draft()
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "from strap_agent.contract import EvalAnswer\n"
        "from strap_agent.recovery import open_store\n"
        "store = open_store(Path(sys.argv[1]))\n"
        "draft = EvalAnswer.model_validate_json(sys.argv[2])\n"
        "folder = store.begin(draft, owner='local', model='')\n"
        "(folder / 'work').mkdir()\nprint('begun', flush=True)\ntime.sleep(60)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "runs"), json.dumps(begun.as_json())],
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout.readline() == b"begun\n"
        reader = open_store(tmp_path / "runs")
        assert reader.run(begun.session_id).status == "running"
        child.send_signal(signal.SIGKILL)
        child.wait()
    finally:
        child.kill()
        child.stdout.close()
    record = reader.run(begun.session_id)
    assert (record.status, record.stop_reason) == ("failed", "lost")
    assert record.answer["summary"] == "strap ended while the run was going on."
    assert not (reader.folder(begun.session_id) / "work").exists()
    reader.close()


def test_old_runs_go_and_too_many_bytes_go(draft, tmp_path):
    store = open_store(tmp_path / "runs", megabytes=0.001)
    old, new = draft(), draft()
    for begun in (old, new):
        store.begin(begun, owner="local", model="")
        store.add_shot(begun.session_id, PNG + b"\0" * 700, step=1)
        store.finish(begun, steps=1)
        time.sleep(0.002)
    assert [r.session_id for r in store.runs()] == [new.session_id]
    assert not store.folder(old.session_id).exists()
    assert store.events(old.session_id, Query()) == []
    assert store.prune(days=0) == 1
    assert store.runs() == []
    assert not [path for path in (tmp_path / "runs").iterdir() if path.is_dir()]
    store.close()


def test_runs_of_others_are_not_seen(store, draft):
    begun = draft()
    store.begin(begun, owner="alice", model="")
    assert store.run(begun.session_id, owners=["bob"]) is None
    assert store.runs(owners=["bob"]) == []
    assert store.run(begun.session_id, owners=["alice"]) is not None


def test_an_answer_is_valid_against_the_published_schema(draft):
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(draft().as_json(), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(draft().as_json() | {"status": "ok"}, schema)
    for field in draft().as_json():
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({k: v for k, v in draft().as_json().items() if k != field}, schema)
    with pytest.raises(ValidationError):
        draft(summary="x" * 2_001)


def test_a_flood_is_counted_and_bounded(store, draft):
    begun = draft()
    store.begin(begun, owner="local", model="")
    diary = RunRecorder(begun.session_id, store, Redactor(()))
    for number in range(2_000):
        diary.add(event(number, "console"))
    diary.close()
    diary.add(event(1, "console"))
    assert store.counts(begun.session_id)["console"] == CAPS["console"]
    assert store.run(begun.session_id).dropped == {"console": 2_000 - CAPS["console"]}


def test_configured_secrets_do_not_reach_the_store(store, draft):
    begun = draft()
    store.begin(begun, owner="local", model="")
    secrets = Secrets({"pin": Secret(value="hunter2", origins=())})
    diary = RunRecorder(begun.session_id, store, Redactor((), secrets.hide))
    url = "http://localhost/hunter2"
    details = {"text": "hunter2"}
    diary.add(Event(type="console", summary="hunter2", at=1.0, url=url, details=details))
    diary.last_page({"url": url, "title": "hunter2"}, PNG)
    diary.close()
    [stored] = store.events(begun.session_id, Query())
    assert (stored.summary, stored.url) == ("{{pin}}", "http://localhost/{{pin}}")
    assert stored.details == {"text": "{{pin}}"}
    [shot] = store.shots(begun.session_id)
    assert (shot.url, shot.title) == ("http://localhost/{{pin}}", "{{pin}}")


def test_folders_that_never_got_into_the_index_are_removed(store, draft, tmp_path):
    begun = draft()
    store.begin(begun, owner="local", model="")
    old, new = (tmp_path / "runs" / name for name in ("old", "new"))
    for folder in (old, new):
        folder.mkdir()
    for folder in (old, store.folder(begun.session_id)):
        os.utime(folder, (1, 1))
    open_store(tmp_path / "runs").close()
    assert not old.exists()
    assert new.exists()
    assert store.folder(begun.session_id).exists()


def test_samples_have_a_cap_of_their_own_and_are_known_again(store, draft):
    begun = draft()
    store.begin(begun, owner="local", model="m")
    for number in range(CAPS["samples"] + 2):
        store.add_shot(begun.session_id, PNG, step=number, kind="stream_sample")
    store.add_shot(begun.session_id, PNG, step=1)
    counts = store.counts(begun.session_id)
    assert (counts["screenshots"], counts["samples"]) == (1, CAPS["samples"])
    assert store.run(begun.session_id).dropped == {"samples": 2}
    assert [shot.step for shot in store.shots(begun.session_id, kind="agent_step")] == [1]
    store.finish(begun, steps=1)
    store.close()
    (store.root / "index.db").write_bytes(b"x" * 5_000)
    with closing(open_store(store.root)) as again:
        assert again.counts(begun.session_id)["samples"] == CAPS["samples"]
        kept = again.run(begun.session_id).answer["artifacts"]
        assert kept == {"screenshots": 1, "stream_samples": CAPS["samples"], "run_events": 1}


def test_a_killed_run_ended_when_it_was_last_seen_to_go_on(tmp_path, draft):
    begun = draft()
    with closing(open_store(tmp_path / "runs")) as store:
        folder = store.begin(begun, owner="local", model="m")
        [before] = store.runs()
        alive(folder)
        seen = before.started + 12.3
        os.utime(folder, (seen, seen))
    with closing(open_store(tmp_path / "runs")) as store:
        [record] = store.runs()
    assert record.stop_reason == "lost"
    assert record.ended == pytest.approx(seen)
