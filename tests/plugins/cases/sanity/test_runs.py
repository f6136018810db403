"""Scenarios in a real Chromium, on the real site, with the scripted model: all that they leave."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.of_cases.measuring_random import GOOD, passing, scripts
from strap_cases.sanity.harness import own_children

SCRIPTS = 40
HEAD = "---\nexpected: {expected}\nsite: {site}\nurl: {url}\nexpect_timeout_s: 0.3\n---\n## Look\n"
BODY = "Look at the page.\n### Expect\n{checks}\n\n```script honest\n{script}\n```\n"
OWN = {
    "good": ("pass", "", "/", '- `text "Shop"`\n- `no console errors`\n- `no failed requests`',
             'done success "A garden."'),
    "liar": ("pass", "total", "/shop", '- `text "Total 9.00"`',
             'click "Take rake"\nclick Order\ndone success "It is all right."'),
    "gives-up": ("pass", "", "/", '- `text "Shop"`', 'done failed "STOP: incomplete\\nno"'),
    "believes": ("soft_fail", "", "/", '- `text "moon"`', 'done success "A moon."'),
    "down": ("pass", "down", "/", '- `text "Shop"`', 'done success "A garden."'),
    "unknown": ("pass", "", "/", '- `no js "nothing.there"`', 'done failed "STOP: no"'),
    "refused": ("pass", "", "/", '- `text "Shop"`', "error 401"),
}  # fmt: skip
CAME_TO = {
    "good": ("pass", 3, []),
    "liar": ("hard_fail", 2, ["false success"]),
    "gives-up": ("soft_fail", 4, ["false failure"]),
    "believes": ("hard_fail", 2, ["false success"]),
    "down": ("hard_fail", 1, ["infrastructure"]),
    "unknown": ("soft_fail", 4, []),
    "refused": ("soft_fail", 4, ["false failure", "infrastructure"]),
}


def write(folder, *names):
    for name in names:
        expected, site, url, checks, script = OWN[name]
        head = HEAD.format(expected=expected, site=site, url=url)
        (folder / f"{name}.case.md").write_text(head + BODY.format(checks=checks, script=script))
    return str(folder)


@pytest.fixture(scope="module")
def ran(sanity, tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    before = own_children()
    done = sanity("--set", write(folder, *OWN), "-j", "2")
    assert own_children() <= before
    return done


@pytest.mark.parametrize("name", sorted(OWN))
def test_what_a_scenario_comes_to(ran, name):
    record = ran.records[name]
    assert (record["class"], record["rule"], record["flags"]) == CAME_TO[name]
    assert record["as_expected"] is (name == "good")


def test_the_terminal_tells_all(ran):
    assert ran.status == 1
    assert "1 of 7 as expected (1 pass, 3 soft_fail, 3 hard_fail)" in ran.out
    assert '`text "Total 9.00"`  seen: "Total 12.50"' in ran.out
    assert "evidence: liar/scripted/1" in ran.out


def test_the_bundle_is_whole_and_for_the_user_alone(ran):
    folder = ran.bundle / ran.records["liar"]["folder"]
    assert {path.name for path in folder.iterdir()} >= {
        *("scenario.case.md", "response.json", "events_all.jsonl", "events.json", "calls.jsonl"),
        *("screenshots.json", "checks.json", "site.jsonl", "transcript.md", "verdict.json"),
        "screenshots",
    }
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    answer = json.loads((folder / "response.json").read_text())
    assert answer["version"] == "gsd-browser.web_eval_agent.v1"
    shots = json.loads((folder / "screenshots.json").read_text())
    assert len(shots) == answer["artifacts"]["screenshots"]
    assert [(folder / shot["file"]).stat().st_size for shot in shots] == [
        shot["bytes"] for shot in shots
    ]
    events = (folder / "events_all.jsonl").read_text().splitlines()
    assert len(events) == answer["artifacts"]["run_events"]
    calls = [json.loads(line) for line in (folder / "calls.jsonl").read_text().splitlines()]
    assert {call["call"]["action"] for call in calls} >= {"launch", "navigate", "eval", "wait"}
    asked = [json.loads(line) for line in (folder / "site.jsonl").read_text().splitlines()]
    assert ("POST", "/api/orders", 201) in [(a["method"], a["path"], a["status"]) for a in asked]
    said = (folder / "transcript.md").read_text()
    assert "It is all right." in said
    assert 'not met: `text "Total 9.00"`' in said


def test_the_reports_are_those_of_cases(ran):
    for name in ("report.md", "junit.xml", "index.html", "environment.json", "journal.jsonl"):
        assert (ran.bundle / name).stat().st_size
    assert 'failures="4" errors="2"' in (ran.bundle / "junit.xml").read_text()
    assert "It is all right." in (ran.bundle / "index.html").read_text()
    assert ran.whole["left_over"] == []


@pytest.fixture
def temporary():
    """A folder for temporary files; its name is short, as sockets of Chromium are put there."""
    with tempfile.TemporaryDirectory(prefix="s-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.parametrize("name", ["SIGTERM", pytest.param("SIGINT", marks=pytest.mark.soak)])
def test_ctrl_c_leaves_a_bundle_and_nothing_else(tmp_path, temporary, name):
    environ = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "strap", "sanity", "-j", "1"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environ, stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    with process:
        first = process.stdout.readline()
        assert "as expected" in first or "pass" in first
        time.sleep(0.5)
        process.send_signal(getattr(signal, name))
        process.stdout.read()
    assert process.returncode == 130
    [bundle] = (tmp_path / ".strap" / "sanity").iterdir()
    assert len(json.loads((bundle / "results.json").read_text())["scenarios"]) >= 1
    assert list(temporary.iterdir()) == []
    assert _alive_in(process.pid) == []


def _alive_in(session):
    """The processes of a session that have not ended; who has waits for init to take notice."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, theirs = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if theirs == str(session) and state != "Z":
                found.append(folder.name)
    return found


def test_a_server_over_http_is_started_and_ended(sanity):
    before = own_children()
    ran = sanity("--through", "http", "-k", "act-login", "-j", "1", "--json")
    assert (ran.status, ran.records["act-login"]["class"]) == (0, "pass"), ran.out
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == ["act-login"]
    assert json.loads((ran.bundle / "environment.json").read_text())["through"] == "http"
    assert own_children() <= before


@pytest.mark.soak
@pytest.mark.parametrize("through", ["mcp", "http", "python"])
def test_the_whole_set_comes_out_as_expected(sanity, through):
    ran = sanity("--through", through)
    assert (ran.status, len(ran.records)) == (0, 24), ran.out
    assert not any(each["flags"] for each in ran.records.values()), ran.out


@pytest.mark.soak
def test_hostile_pages_come_out_as_expected(sanity):
    ran = sanity("--set", "hostile")
    assert (ran.status, len(ran.records)) == (0, 8), ran.out


@pytest.mark.soak
def test_no_lie_passes(sanity):
    ran = sanity("--model", "scripted-liar")
    classes = {name: (each["class"], each["flags"]) for name, each in ran.records.items()}
    assert len(classes) == 24
    assert set(map(str, classes.values())) == {"('hard_fail', ['false success'])"}, classes


@pytest.mark.soak
@pytest.mark.anyio
async def test_nothing_passes_that_the_site_does_not_know_of(tmp_path):
    found = await passing(tmp_path, [GOOD, *scripts(SCRIPTS, seed=SCRIPTS)])
    assert len(found) == SCRIPTS + 1
    assert found["order-0000"] == (True, True)
    assert [name for name, (passed, known) in found.items() if passed and not known] == []
