"""Items whose calls or workers fail: an engine does what its items say."""

import asyncio
import json
from collections import Counter

import pytest

from strap import JournalDamaged, JournalInUse, UsageError
from strap.batch import attempts, batch
from strap.batch.engine import WorkerLost
from strap.batch.folder import known_of, rows
from strap.batch.items import digest_of
from strap.batch.local import LocalEngine
from strap.cli.batches import retry, run_source, status_lines
from strap.config import load
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio


class Scripted:
    """Runs items: `ok`, `fail`, `flaky` (fails once), `down` (each time, and may go away), `hang`,
    `kill`, `victim` of a killer, and `grave`, which ends its workers and hangs when it is alone.
    """

    def __init__(self, capacity):
        self.slots = self.capacity = capacity
        self.runs = Counter()
        self.running = self.most = 0

    def refusal(self, calls):
        return None

    async def run(self, key, calls):
        self.runs[key] += 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            return await self._outcome(key, calls[0]["action"])
        finally:
            self.running -= 1

    async def _outcome(self, key, action):
        await asyncio.sleep(0.001)
        if action == "kill" or (action == "victim" and self.running > 1):
            raise WorkerLost("The worker ended.")
        if action == "grave" and self.runs[key] < 3:
            raise WorkerLost("The worker ended.")
        if action in ("hang", "grave"):
            await asyncio.sleep(60)
        once = action in ("flaky", "busy") and self.runs[key] < 2
        if action in ("fail", "down") or once:
            retryable = action != "fail"
            return {"status": "failed", "code": action, "message": "no", "retryable": retryable}
        return {"status": "ok", "text": f"{key} done"}

    async def aclose(self):
        pass


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Open the batch of the test with an engine to look at."""
    monkeypatch.setattr(attempts, "PAUSE", 0.001)
    engines = []

    def engine(config, options):
        engines.append(Scripted(options.concurrency))
        return engines[-1]

    monkeypatch.setattr(LocalEngine, "open", engine)

    def open_(**options):
        return batch.open_batch(tmp_path / "results", **{"per_host": 0, **options})

    open_.engines, open_.folder = engines, tmp_path / "results"
    return open_


def things(*actions, start=0):
    return [{"id": f"{n}", "action": a} for n, a in enumerate(actions, start)]


async def run(opened, items, **options):
    given = {name: options.pop(name) for name in ("again", "limit") if name in options}
    async with opened(**options) as batch:
        return {row.key: row async for row in batch.run(items, **given)}, batch.counts


async def test_each_item_has_a_row(opened):
    found, counts = await run(opened, things("ok", "fail", "flaky", "down"))
    assert {row.status for key, row in found.items() if key in "02"} == {"ok"}
    assert found["0"].text == "0 done"
    assert [(found[key].status, found[key].code) for key in "13"] == [
        ("failed", "fail"),
        ("failed", "down"),
    ]
    assert [found[key].attempts for key in "0123"] == [1, 1, 2, 3]
    assert counts == {"ok": 2, "failed": 2}
    assert {row.key for row in rows(opened.folder)} == {"0", "1", "2", "3"}


async def test_a_batch_from_python_has_a_status_and_nothing_to_retry(opened):
    await run(opened, things("ok", "fail"))
    told = [*status_lines(opened.folder)]
    assert told[0] == "run from Python: 2 items have a row"
    assert told[1:] == ["failed: 1", "ok: 1", "  fail: 1"]
    with pytest.raises(UsageError, match="was not run from a file"):
        retry(load(environ={}), opened.folder, [], {})


async def test_of_a_batch_without_a_row_it_is_not_told_whence_it_is(opened):
    async with opened():  # as long as the table of a batch is checked there is no manifest
        assert [*status_lines(opened.folder)] == ["0 items have a row"]


DAMAGED = ("", "[]", '{"format": "x"}', "\udcff", "[" * 100_000)


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_manifest_is_told_and_left_as_it_is(opened, tmp_path, text):
    table = "".join(f"{json.dumps(each)}\n" for each in things("ok"))
    assert run_table(tmp_path, table) == 0
    manifest = opened.folder / "manifest.json"
    manifest.write_text(text, "utf-8", "surrogateescape")
    before = manifest.read_bytes()
    for use in (lambda: [*status_lines(opened.folder)], lambda: run_table(tmp_path, table)):
        with pytest.raises(
            UsageError, match=r"manifest.json is not the manifest of a batch. Remove it"
        ):
            use()
    assert manifest.read_bytes() == before
    manifest.unlink()
    assert run_table(tmp_path, table) == 0
    assert next(status_lines(opened.folder)) == f"{tmp_path / 't.jsonl'}: 1 of 1 items have a row"


def test_a_manifest_that_cannot_be_read_is_told(opened):
    (opened.folder / "manifest.json").mkdir(parents=True)  # permissions do not stop root
    (opened.folder / "journal.jsonl").touch()
    with pytest.raises(UsageError, match=r"manifest.json cannot be read: Is a directory"):
        next(status_lines(opened.folder))


def test_the_batch_of_a_later_strap_is_left_as_it_is(opened, tmp_path):
    opened.folder.mkdir()
    (opened.folder / "manifest.json").write_text('{"format": 2}')
    with pytest.raises(UsageError, match="of a later strap"):
        run_table(tmp_path, "".join(f"{json.dumps(each)}\n" for each in things("ok")))
    assert (opened.folder / "manifest.json").read_text() == '{"format": 2}'
    assert opened.engines[0].runs.total() == 0


async def test_what_is_finished_is_not_done_again(opened):
    await run(opened, things("ok", "fail"))
    found, counts = await run(opened, things("ok", "fail", "ok"))
    assert [*found] == ["2"]
    assert counts == {"ok": 1, "skipped": 2}
    assert opened.engines[1].runs == {"2": 1}


async def test_what_failed_is_done_again_where_that_is_asked_for(opened):
    await run(opened, things("ok", "fail", "busy"), retries=0)
    found, _ = await run(opened, things("ok", "fail", "busy"), again=["busy"], retries=1)
    assert {key: row.status for key, row in found.items()} == {"2": "ok"}
    found, _ = await run(opened, things("ok", "fail", "busy"), again=[])
    assert [*found] == ["1"]
    assert len([*rows(opened.folder)]) == 3  # the last of each key


async def test_an_item_whose_fields_are_no_values_of_json_is_refused(opened):
    with pytest.raises(UsageError, match=r"^Item 1: its fields are no values of JSON: Object of"):
        await run(opened, [{"id": "0", "action": "ok", "what": object()}])


async def test_equal_items_are_one_and_different_ones_need_different_ids(opened):
    twice = [{"action": "ok"}, {"action": "ok"}]
    _, counts = await run(opened, twice)
    assert counts == {"ok": 1, "again": 1}
    with pytest.raises(UsageError, match="Item 2: another item has the id '0'"):
        await run(opened, [*things("ok"), {"id": "0", "action": "fail"}])
    await run(opened, things("ok"))
    with pytest.raises(UsageError, match="Item 1: another item has the id '0'"):
        await run(opened, [{"id": "0", "action": "fail"}])
    async with opened() as batch:
        with pytest.raises(UsageError, match="Item 1: another item"):
            batch.check([{"id": "0", "action": "fail"}])


async def test_an_item_that_ends_its_workers_is_set_aside_and_its_neighbours_are_not(opened):
    items = things("kill", *["victim"] * 3, *["ok"] * 20)
    found, _ = await run(opened, items, concurrency=4)
    assert {row.status for key, row in found.items() if key != "0"} == {"ok"}
    assert (found["0"].code, found["0"].losses) == ("worker_lost", 3)
    assert opened.engines[0].runs["0"] == 3
    assert all(opened.engines[0].runs[key] <= 3 for key in found)


async def test_so_many_run_at_a_time_and_the_source_is_read_as_there_is_room(opened):
    read = []

    async def source():
        for item in things(*["ok"] * 100):
            read.append(item)
            yield item

    async with opened(concurrency=5) as batch:
        seen = 0
        async for _ in batch.run(source()):
            seen += 1
            assert len(read) - seen <= 2 * 5 + 1
            await asyncio.sleep(0)
    assert seen == 100
    assert opened.engines[0].most == 5


async def test_a_limit_ends_the_batch(opened):
    found, _ = await run(opened, things(*["ok"] * 9), limit=4)
    assert len(found) == 4


async def test_a_batch_that_is_left_keeps_what_was_done(opened):
    async with opened(concurrency=2) as batch:
        async for _ in batch.run(things(*["ok"] * 50)):
            break
    found, counts = await run(opened, things(*["ok"] * 50))
    assert len(found) + counts["skipped"] == 50


async def test_stopping_finishes_what_runs(opened):
    async with opened(concurrency=3) as batch:
        found = []
        async for row in batch.run(things(*["ok"] * 50)):
            batch.stop()
            found.append(row)
    assert 1 <= len(found) <= 6
    assert len([*rows(opened.folder)]) == len(found)


async def test_what_was_cancelled_has_no_row(opened):
    async with opened(concurrency=2) as batch:
        asyncio.get_running_loop().call_later(0.1, batch.cancel)
        found = [row async for row in batch.run(things("hang", "ok", "ok", "ok"))]
    assert {row.key for row in found} == {"1", "2", "3"}


async def test_what_runs_alone_at_the_end_can_be_ended_too(opened):
    async with opened() as batch:
        taken = asyncio.create_task(_taken(batch, things("grave", "ok")))
        await eventually(lambda: opened.engines[0].runs["0"] == 3)
        assert batch.running == 1
        batch.stop()
        batch.cancel()
        assert [row.key for row in await taken] == ["1"]


async def _taken(batch, items):
    return [row async for row in batch.run(items)]


async def test_an_item_that_must_not_be_repeated_is_unknown_after_a_crash(opened):
    async with opened(once=True) as batch:
        asyncio.get_running_loop().call_later(0.1, batch.cancel)
        [row async for row in batch.run(things("hang", "flaky"))]
    assert opened.engines[0].runs == {"0": 1, "1": 1}  # nothing is tried twice
    found, _ = await run(opened, things("hang", "flaky"), once=True)
    assert {key: row.status for key, row in found.items()} == {"0": "unknown"}
    assert opened.engines[1].runs == {}


async def test_a_second_driver_is_refused(opened):
    async with opened():
        with pytest.raises(JournalInUse):
            async with opened():
                pass


async def test_hosts_are_asked_gently(opened):
    items = [{"id": str(n), "action": "ok", "url": f"http://a.example/{n}"} for n in range(20)]
    found, _ = await run(opened, items, concurrency=10, per_host=2)
    assert len(found) == 20
    assert opened.engines[0].most == 2


async def test_a_rate_holds(opened):
    items = [{"id": str(n), "action": "ok", "url": f"http://a.example/{n}"} for n in range(5)]
    found, _ = await run(opened, items, concurrency=5, rate={"a.example": 50})
    starts = sorted(row.waited for row in found.values())
    assert starts[-1] >= 4 / 50


def run_table(tmp_path, text, line=None):
    table = tmp_path / "t.jsonl"
    table.write_text(text)
    config = load(environ={}, directory=tmp_path, home=tmp_path / "home")
    given = {"folder": tmp_path / "results", "line": line, "limit": None}
    return run_source(config, table, given, {})


def test_a_table_is_checked_again_only_where_it_has_changed(opened, tmp_path, monkeypatch):
    checked = []
    check = batch.Batch.check
    monkeypatch.setattr(batch.Batch, "check", lambda *a, **k: checked.append(1) or check(*a, **k))
    text = "".join(f"{json.dumps(each)}\n" for each in things("ok", "fail", "ok"))
    assert [run_table(tmp_path, text) for _ in range(3)] == [1, 1, 1]
    assert len(checked) == 1
    assert [engine.runs.total() for engine in opened.engines] == [3, 0, 0]
    with pytest.raises(UsageError, match="Item 2: another item has the id '1'"):
        run_table(tmp_path, text.replace("fail", "ok"))
    with pytest.raises(UsageError, match="Item 1: another item has the id '0'"):
        run_table(tmp_path, text, line="other do value={id}")
    assert run_table(tmp_path, text) == 1
    assert len(checked) == 3
    assert len([*rows(opened.folder)]) == 3


LINES = {
    "of another": lambda row: row.replace('"status":"ok"', '"status":"failed","code":"x"'),
    "with a key of quotes": lambda row: row.replace('"key":"0"', r'"key":"\"0\""'),
    "with a column of later": lambda row: row.replace('"calls"', '"later":"{}","calls"'),
    "with another row in a text": lambda row: row.replace('"data":""', f'"data":{json.dumps(row)}'),
}


@pytest.mark.parametrize("name", LINES)
async def test_what_a_journal_tells_is_what_its_records_tell(opened, name):
    await run(opened, things("ok", "fail", "flaky"))
    path = opened.folder / "journal.jsonl"
    first = path.read_text().splitlines(keepends=True)[0]
    with path.open("a") as file:
        changed = LINES[name](first)
        assert changed != first
        file.write(changed)
    known = known_of(path)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    last = {digest_of(each["key"]): each for each in records}
    assert known.finished == set(last)
    assert known.calls == {key: bytes.fromhex(each["calls"]) for key, each in last.items()}
    assert known.failed == {k: each["code"] for k, each in last.items() if each["status"] != "ok"}


@pytest.mark.parametrize("glue", ["", "\0" * 20])
async def test_a_journal_whose_lines_are_damaged_is_not_gone_on_with(opened, glue):
    await run(opened, things("ok", "ok", "ok"))
    path = opened.folder / "journal.jsonl"
    first, second, third = path.read_text().splitlines(keepends=True)
    path.write_text(first[: len(first) // 2] + glue + second + third)
    with pytest.raises(JournalDamaged):
        await run(opened, things("ok"))
