"""Records that were appended to a journal stay, whatever became of its writer."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from strap import Journal, JournalDamaged, JournalInUse, is_torn, read_journal

WRITER = """
import sys
from pathlib import Path
from strap import Journal
with Journal(Path(sys.argv[1])) as journal:
    number = len(list(journal.records()))
    while True:
        journal.append({"number": number, "text": "x" * (number * 997 % 20000)})
        journal.sync()
        print(number, flush=True)
        number += 1
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "journal.jsonl"


def test_records_come_back_in_their_order(path):
    records = [{"a": 1}, {"text": "two\nlines \u2028 \x85 ü", "none": None}, {}]
    with Journal(path) as journal:
        for record in records:
            journal.append(record)
        assert list(journal.records()) == records
    with Journal(path) as journal:
        journal.append({"b": 2})
        journal.sync()
    assert (list(read_journal(path)), is_torn(path)) == ([*records, {"b": 2}], False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_half_a_surrogate_does_not_spoil_the_file(path):
    with Journal(path) as journal:
        journal.append({"text": "a\ud800b"})
        assert list(journal.records()) == [{"text": "a?b"}]


@pytest.mark.parametrize(
    "torn", [b'{"b":', b'{"b":"\xc3', b"\0" * 4096, b'{"b":2}', b"x" * 200_000]
)
def test_an_unfinished_record_is_passed_over_and_cut_off(path, torn):
    path.parent.mkdir()
    path.write_bytes(b'{"a":1}\n' + torn)
    assert (list(read_journal(path)), is_torn(path)) == ([{"a": 1}], True)
    with Journal(path) as journal:
        assert journal.torn == len(torn)
        journal.append({"c": 3})
    assert list(read_journal(path)) == [{"a": 1}, {"c": 3}]


@pytest.mark.parametrize("torn", [b'{"b":', b"\0\0"])
def test_the_first_record_may_be_unfinished(path, torn):
    path.parent.mkdir()
    path.write_bytes(torn)
    with Journal(path) as journal:
        assert (journal.torn, list(journal.records())) == (len(torn), [])


@pytest.mark.parametrize("text", ["Dear diary", "Dear diary,\ntoday", "[1]\n{", "{}}\n", "\n"])
def test_a_file_of_another_kind_is_left_as_it_is(path, text):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(JournalDamaged, match=r"journal\.jsonl:1: this line is not a record"):
        Journal(path)
    assert path.read_text() == text


def test_a_damaged_line_is_named(path):
    path.parent.mkdir()
    path.write_text('{"a":1}\n{"b":\n{"c":3}\n')
    with Journal(path) as journal, pytest.raises(JournalDamaged, match=":2: this line"):
        list(journal.records())


def test_a_journal_has_one_writer_and_many_readers(path):
    with Journal(path) as journal:
        journal.append({"a": 1})
        with pytest.raises(JournalInUse, match="is being written by another process"):
            Journal(path)
        assert list(read_journal(path)) == [{"a": 1}]
    Journal(path).close()


def test_another_job_begins_with_an_empty_journal(path):
    with Journal(path) as journal:
        journal.append({"a": 1})
        journal.clear()
        journal.append({"b": 2})
        assert list(journal.records()) == [{"b": 2}]


def test_what_json_cannot_say_is_refused_and_leaves_nothing(path):
    with Journal(path) as journal:
        with pytest.raises(TypeError):
            journal.append({"path": path})
        with pytest.raises(ValueError, match="Out of range"):
            journal.append({"number": float("inf")})
        assert list(journal.records()) == []


def test_threads_append_whole_records(path):
    with Journal(path) as journal, ThreadPoolExecutor(8) as threads:
        texts = [str(number) * 5000 for number in range(200)]
        list(threads.map(lambda text: journal.append({"text": text}), texts))
        assert sorted(each["text"] for each in journal.records()) == sorted(texts)


def test_a_full_disk_leaves_no_half_record(path):
    with Journal(path) as journal:
        journal.append({"a": 1})
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            with pytest.raises(OSError, match="too large"):
                journal.append({"b": "x" * 5000})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, before)
        journal.append({"c": 3})
        assert list(journal.records()) == [{"a": 1}, {"c": 3}]


def test_no_record_is_lost_when_its_writer_is_killed(path):
    seen = -1
    for told in (1, 7, 20):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(told):
            seen = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        rest = writer.communicate()[0].split()
        seen = int(rest[-1]) if rest and rest[-1].isdecimal() else seen
        numbers = [record["number"] for record in read_journal(path)]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) > seen
    assert json.loads(path.read_bytes().splitlines()[0]) == {"number": 0, "text": ""}
