"""Runs where the machine fails: disks, folders, browsers."""

import subprocess
from pathlib import Path

import pytest

from strap import read_journal
from strap_cases.reading import read_cases
from strap_cases.replays.recordings import Recording, call, place_of, write
from strap_cases.running.case_attempts import digest
from tests.support.small_disk import fill, make_room, small_disk_in

CASES = """---
url: /door
---
## First
Open the door.
- `text "You are in"`
## Second
Open the door.
- `text "You are in"`
### Given
- `http fetch url={base_url}/fill`
## Third
Open the door.
- `text "You are in"`
"""
DOOR = "<!doctype html><title>Door</title><a href=/in>Open it</a>"


@pytest.fixture
def small_disk(folder):
    with small_disk_in(folder) as place:
        yield place


@pytest.fixture
def doors(folder, shop):
    """Three recorded cases, the second of which asks the site for `/fill`."""
    shop.routes |= {"/door": DOOR, "/in": "<!doctype html><title>In</title>You are in"}
    path = folder / "doors.case.md"
    path.write_text(CASES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for case in read_cases([Path("doors.case.md")], base_url=str(shop.site)):
            click = call("click", ref='link "Open it"')
            recording = Recording(segments=[[click]], steps=digest(case, {}))
            write(recording, case.name, folder / place_of(case))
    return path


@pytest.mark.soak
def test_a_disk_that_is_full_is_told_and_what_had_finished_is_kept(
    strap_test, small_disk, doors, shop
):
    shop.routes["/fill"] = lambda asked: fill(small_disk) or "filled"
    words = ("doors.case.md", "--replay", "only", "--report", "small/report")
    done = strap_test(*words)
    assert "cannot be written to 'small/report': No space left on device." in str(done.error)
    assert "--resume" in done.error.hint
    kept = list(read_journal(small_disk / "report" / "journal.jsonl"))
    assert [record["name"] for record in kept][:1] == ["First"]

    make_room(small_disk)
    shop.routes["/fill"] = "nothing"
    done = strap_test(*words, "--resume")
    assert done.status == 0, done.out + done.err
    assert done.lines[-1].startswith("3 passed")

    fill(small_disk)
    done = strap_test("doors.case.md", "--replay", "only", "--report", "small/other")
    assert "No space left on device" in (done.err or str(done.error))
    assert len((done.err or str(done.error)).splitlines()) == 1
    assert str(done.err or done.error).strip().endswith("folder with --report."), done.err
    make_room(small_disk)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    done = strap_test(*words[:3], "--report", "small/new")
    assert "cannot be written to 'small/new': Read-only file system." in str(done.error)
