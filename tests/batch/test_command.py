"""`strap batch` as a process: real fetches, real signals, a killed driver."""

import json
import random
import signal
import subprocess
import sys
import threading
from collections import Counter

import pytest

from strap.batch.folder import rows
from tests.site.server import Reply, serve
from tests.support.waiting import wait_until

NUMBER = 60
LINE = "http fetch url={url}"


@pytest.fixture
def site():
    def answer(request):
        threading.Event().wait(0.02)
        return "<p>text</p>"

    with serve({**{f"/{n}": answer for n in range(NUMBER)}, "/no": Reply(status=503)}) as site:
        yield site


@pytest.fixture
def table(tmp_path, site):
    path = tmp_path / "urls.csv"
    path.write_text("url\n" + "".join(f"{site}/{n}\n" for n in range(NUMBER)))
    return path


def batch(tmp_path, *arguments, **options):
    command = (sys.executable, "-m", "strap", "batch", *map(str, arguments))
    return subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def run(tmp_path, table, *arguments, **options):
    given = ("--call", LINE, "--to", "results", "--home", "home", "--per-host", 0)
    return batch(tmp_path, "run", table, *given, *arguments, **options)


def ended(process):
    out, said = process.communicate(timeout=180)
    return process.returncode, out, said


def journal(tmp_path):
    path = tmp_path / "results" / "journal.jsonl"
    return path.read_text().splitlines() if path.exists() else []


def test_from_a_table_to_a_table(tmp_path, table, site):
    status, out, said = ended(run(tmp_path, table))
    assert (status, out) == (0, "")
    assert f"{NUMBER} ok, 0 failed" in said
    assert Counter(request.path for request in site.requests if request.path != "/robots.txt") == {
        f"/{n}": 1 for n in range(NUMBER)
    }
    status, out, _ = ended(batch(tmp_path, "export", "results", "out.jsonl", "--with-input"))
    assert (status, out) == (0, f"{NUMBER} rows in out.jsonl\n")
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert "text" in first["text"]
    assert json.loads(first["input"])["url"] == first["url"]


def test_failed_rows_are_counted_and_tried_again(tmp_path, site):
    table = tmp_path / "t.jsonl"
    calls = ["fetch", "fetsch"]
    table.write_text(
        "".join(
            json.dumps({"id": a, "resource": "http", "action": a, "url": f"{site}/1"}) + "\n"
            for a in calls
        )
    )
    given = ("run", table, "--to", "results", "--home", "home")
    assert ended(batch(tmp_path, *given))[0] == 1
    out = ended(batch(tmp_path, "status", "results"))[1]
    assert "2 of 2 items have a row" in out
    assert "  unknown_action: 1" in out
    status, _, said = ended(batch(tmp_path, "retry", "results", "--code", "timeout"))
    assert (status, "2 done before" in said) == (1, True)
    assert "1 failed in all: `strap batch status results` tells why" in said
    assert len(journal(tmp_path)) == 2
    assert ended(batch(tmp_path, "retry", "results"))[0] == 1
    assert len(journal(tmp_path)) == 3
    table.write_text(table.read_text().splitlines()[0])
    out = ended(batch(tmp_path, "status", "results"))[1]
    assert "no longer in the source: fetsch" in out
    assert "1 of 1 items have a row" in out
    assert "failed: " not in out  # that row is of what is gone


def test_an_item_that_takes_too_long_is_ended(tmp_path):
    over = threading.Event()

    def never(request):
        over.wait(60)
        return "late"

    with serve({"/slow": never, "/quick": "<p>text</p>"}) as site:
        table = tmp_path / "t.csv"
        table.write_text(f"id,url\nslow,{site}/slow\nquick,{site}/quick\n")
        status = ended(run(tmp_path, table, "--item-timeout", 5, "--retries", 0))[0]
        over.set()
    assert status == 1
    found = {row.key: row for row in rows(tmp_path / "results")}
    slow = found["slow"]
    assert (slow.code, slow.attempts, slow.retryable) == ("timeout", 1, True)
    assert 5 <= slow.seconds < 60
    assert found["quick"].status == "ok"


def killed_at_random(tmp_path, table, times, items):
    for _ in range(times):
        process = run(tmp_path, table, "--concurrency", 4)
        more = len(journal(tmp_path)) + random.randint(1, items // (2 * times))
        wait_until(lambda n=more: len(journal(tmp_path)) >= n)
        process.kill()
        ended(process)


@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.soak)])
def test_a_killed_driver_loses_nothing_and_repeats_only_what_ran(tmp_path, site, times):
    items = 30 * times  # enough for the last of them to be killed before its end
    table = tmp_path / "many.csv"
    table.write_text("url\n" + "".join(f"{site}/{n % NUMBER}?n={n}\n" for n in range(items)))
    killed_at_random(tmp_path, table, times, items)
    assert ended(run(tmp_path, table))[0] == 0
    keys = [row.key for row in rows(tmp_path / "results")]
    assert len(keys) == len(set(keys)) == items
    assert len(journal(tmp_path)) == items
    executions = sum(request.path != "/robots.txt" for request in site.requests)
    assert executions <= items + 4 * times


def test_a_signal_finishes_what_runs(tmp_path, table, site):
    process = run(tmp_path, table, "--concurrency", 2)
    wait_until(lambda: len(journal(tmp_path)) >= 3)
    process.send_signal(signal.SIGTERM)
    status, _, said = ended(process)
    assert status == 3
    assert "finishing" in said
    assert said.endswith("strap: stopped before the end: run it again to go on\n")
    done = len(journal(tmp_path))
    assert done < NUMBER
    assert sum(request.path != "/robots.txt" for request in site.requests) == done
    assert ended(run(tmp_path, table))[0] == 0


def test_a_full_disk_stops_it_and_it_goes_on(tmp_path, table):
    def small_files():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    status, _, said = ended(run(tmp_path, table, preexec_fn=small_files))
    assert status == 3
    assert "run it again" in said
    assert 0 < len(journal(tmp_path)) < NUMBER
    assert ended(run(tmp_path, table))[0] == 0


NO_RAY = ("--engine", "ray", "--address", "127.0.0.1:1")
WRONG = {
    "no table": ("text", ("--call", LINE), "no kind"),
    "no call": ("url\nx\n", ("--call", "url={url}"), "A call is written as"),
    "a rate of none": ("url\nx\n", ("--call", LINE, "--rate", "a=0"), "'batch.rate.a'"),
    "workers of no engine": ("url\nx\n", ("--call", LINE, "--workers", 2), "Give --engine ray"),
    "no call at all": ("url\nx\n", (), "as in --call 'http fetch url={url}'"),
    "no column in it": (
        "url\nx\n",
        ("--call", "http fetch url={url"),
        "'http fetch url={url' names no column",
    ),
    "no such column": ("uri\nx\n", ("--call", LINE), "There is no column 'url' (valid: uri)"),
    "a rate": ("url\nx\n", ("--call", LINE, "--rate", "fast"), "--rate"),
    "two under one id": ("id,url\na,x\na,y\n", ("--call", LINE), "another item has the id 'a'"),
    "a later line": ("url\nx\ny,z\n", ("--call", LINE), "t.csv:3 has 2 cells in place of 1"),
    "no such action": ("url\nx\ny\n", ("--call", "http fech url={url}"), "Did you mean 'fetch'"),
    "no such field": ("url\nx\ny\n", ("--call", "http fetch ur={url}"), "Every item is refused"),
    "no such value": ("url\nx\ny\n", ("--call", f"{LINE} value=pdf"), "Every item is refused"),
    "no Ray": ("url\nx\n", ("--call", LINE, *NO_RAY), "cannot be reached at '127.0.0.1:1'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_run_nothing(name, tmp_path):
    text, options, said = WRONG[name]
    table = tmp_path / ("t.txt" if text == "text" else "t.csv")
    table.write_text(text)
    status, _, words = ended(batch(tmp_path, "run", table, "--to", "r", "--home", "home", *options))
    assert (status, said in words) == (2, True), words
    assert not (tmp_path / "r").exists()


def test_what_is_wrong_with_some_items_is_told_in_their_rows(tmp_path, site):
    calls = [{"resource": "http", "action": each, "url": f"{site}/1"} for each in ("fech", "fetch")]
    table = tmp_path / "t.jsonl"
    table.write_text("".join(json.dumps(each) + "\n" for each in calls))
    status, _, words = ended(batch(tmp_path, "run", table, "--to", "results", "--home", "home"))
    assert (status, "1 ok, 1 failed" in words) == (1, True), words


def test_of_many_items_each_that_is_refused_has_its_row(tmp_path, site):
    calls = [{"resource": "http", "action": "fech", "url": f"{site}/{n}"} for n in range(1_000)]
    calls.append({"resource": "http", "action": "fetch", "url": f"{site}/1"})
    table = tmp_path / "t.jsonl"
    table.write_text("".join(json.dumps(each) + "\n" for each in calls))
    status, _, words = ended(batch(tmp_path, "run", table, "--to", "results", "--home", "home"))
    assert (status, "1 ok, 1000 failed" in words) == (1, True), words


def test_a_wrong_line_leaves_the_folder_of_another_as_it_is(tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "t.csv").write_text("url\nx\ny,z\n")
    given = ("run", "t.csv", "--to", "r", "--home", "home", "--call", LINE)
    assert ended(batch(tmp_path, *given))[0] == 2
    assert [*(tmp_path / "r").iterdir()] == []


@pytest.fixture
def endless(tmp_path):
    """A table of one page that never comes, and the site that has it."""
    over = threading.Event()

    def never(request):
        over.wait(60)
        return "late"

    with serve({"/slow": never}) as site:
        (tmp_path / "t.csv").write_text(f"id,url\na,{site}/slow\n")
        yield tmp_path / "t.csv", site
        over.set()


def asked(site):
    return sum(request.path != "/robots.txt" for request in site.requests)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_takes_longer_than_the_drain_is_ended_without_a_row(tmp_path, endless, number):
    table, site = endless
    process = run(tmp_path, table, "--drain", 0.2)
    wait_until(lambda: asked(site))
    process.send_signal(number)
    status, _, said = ended(process)
    assert (status, "finishing 1 item;" in said) == (3, True), said
    assert journal(tmp_path) == []


def test_what_ran_once_when_it_was_killed_is_unknown_also_behind_a_torn_line(tmp_path, endless):
    table, site = endless
    process = run(tmp_path, table, "--once")
    wait_until(lambda: asked(site))
    process.kill()
    ended(process)
    with (tmp_path / "results" / "journal.jsonl").open("a") as file:
        file.write('{"key": "torn')
    status, _, said = ended(run(tmp_path, table, "--once"))
    assert (status, "1 unknown" in said) == (1, True), said
    assert [(row.key, row.status) for row in rows(tmp_path / "results")] == [("a", "unknown")]
    assert asked(site) == 1
