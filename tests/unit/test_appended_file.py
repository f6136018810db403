"""Files that grow and stay valid: after each part, a full disk, and a kill in the middle."""

import json
import resource
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from strap import UsageError
from strap.cli.commands.doctor import command
from strap.evidence.appended_file import AppendedFile, mend
from strap.evidence.har import HarFile, entries_of

ENTRY = {"startedDateTime": "2026-01-01T00:00:00.000Z", "pageref": "t1", "request": {}}


def test_it_is_valid_after_each_part(tmp_path):
    har = HarFile(tmp_path / "a.har")
    for number in range(4):
        read = json.loads((tmp_path / "a.har").read_text())
        assert len(read["log"]["entries"]) == number
        assert har.file.size == (tmp_path / "a.har").stat().st_size
        har.append([{**ENTRY, "time": number}], {"t1": "https://shop.example/"})
    har.file.close()
    assert [page["id"] for page in read["log"]["pages"]] == ["t1"]
    assert [each["time"] for each in entries_of(tmp_path / "a.har")] == [0, 1, 2, 3]


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "a.har").write_text("mine")
    with pytest.raises(FileExistsError):
        HarFile(tmp_path / "a.har")
    assert (tmp_path / "a.har").read_text() == "mine"


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path):
    har = HarFile(tmp_path / "a.har")
    har.append([ENTRY])
    before = (tmp_path / "a.har").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            har.append([ENTRY | {"comment": "x" * 1_000}])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert (tmp_path / "a.har").read_bytes() == before


WRITER = """
import sys
from pathlib import Path
from strap.evidence.har import HarFile
har = HarFile(Path(sys.argv[1]))
while True:
    har.append([{"request": {}, "time": 1, "comment": "x" * 300_000}] * 3)
    print("+", flush=True)
"""


def test_what_a_kill_left_is_mended(tmp_path):
    file = tmp_path / "a.har"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout.read(6)
        writer.kill()
    told = CliRunner().invoke(command, ["--mend", str(file)])
    assert told.exit_code == 0, told.output
    assert len(json.loads(file.read_text())["log"]["entries"]) >= 9
    assert "is valid" in told.output


@pytest.mark.parametrize("left", range(1, 60, 7))
def test_a_file_that_is_cut_anywhere_is_mended(tmp_path, left):
    har = HarFile(tmp_path / "a.har")
    har.append([ENTRY, ENTRY])
    content = (tmp_path / "a.har").read_bytes()
    (tmp_path / "a.har").write_bytes(content[:-left])
    assert mend(tmp_path / "a.har") in (1, 2)
    assert len(list(entries_of(tmp_path / "a.har"))) in (1, 2)


def test_what_is_no_recording_stays_as_it_is(tmp_path):
    (tmp_path / "a.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not a recording"):
        mend(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "mine"


def test_a_separator_stands_between_parts(tmp_path):
    file = AppendedFile(tmp_path / "a.txt", b"[", b"]", b",")
    file.append(b"1", b"2")
    file.append(b"3", tail=b"] end")
    file.append()
    assert (tmp_path / "a.txt").read_text() == "[1,2,3] end"
