"""Going on with an earlier run, and the reports that are made from its journal alone."""

import json
from pathlib import Path

import pytest

from strap import Journal
from strap_cases.reports import github, page

REPORT = Path(".strap/test")
ALL = {"Log in": 3, "Order[spade]": 6, "Order[rake]": 6, "Leave": 14}


def record(name, status="passed", reason="", **more):
    head = {"format": 1, "id": f"shop.case.md::{name}", "file": "shop.case.md", "line": ALL[name]}
    tail = {"tags": [], "cause": "", "flags": [], "seconds": 1.5, "attempts": []}
    return {**head, "name": name, "status": status, "reason": reason, **tail, **more}


def keep(*records):
    with Journal(REPORT / "journal.jsonl") as journal:
        journal.clear()
        for each in records:
            journal.append(each)


def listed(done):
    return [line.partition("::")[2] for line in done[1].splitlines()]


def test_only_what_failed_last_time_is_run_and_what_it_needs(run):
    keep(record("Order[rake]", "failed"), record("Order[spade]"), record("Leave", "skipped"))
    assert listed(run("--last-failed", "--list")) == ["Log in", "Order[rake]"]


def test_what_had_to_wait_for_a_failed_setup_is_run_again(run):
    keep(record("Log in", "error"), record("Order[rake]", "skipped", "setup ada failed"))
    assert listed(run("--last-failed", "--list")) == ["Log in", "Order[rake]"]


def test_the_last_result_of_a_case_counts(run):
    keep(record("Leave", "failed"), record("Leave"))
    assert run("--last-failed") == (0, "", "None failed last time.\n")


def test_a_resumed_run_does_what_is_left(run):
    assert listed(run("--resume", "--list")) == list(ALL)
    keep(record("Log in"), record("Order[spade]", "failed"))
    assert listed(run("--resume", "--list")) == ["Log in", "Order[rake]", "Leave"]
    with (REPORT / "journal.jsonl").open("a") as journal:
        journal.write('{"id": "shop.case.md::Leave", "sta')  # the process was killed here
    assert listed(run("--resume", "--list")) == ["Log in", "Order[rake]", "Leave"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--last-failed"], "There was no run whose report is in '.strap/test'."),
        (["--last-failed", "--resume"], "--resume and --last-failed exclude each other"),
    ],
)
def test_what_cannot_be_gone_on_with(run, words, said):
    status, _, error = run(*words)
    assert (status, error.startswith(said)) == (2, True)


def test_a_run_that_had_finished_is_reported_again(run, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    wrong = record("Leave", "failed", "50% of it:\nnot | there")
    keep(record("Log in"), record("Order[spade]"), record("Order[rake]"), wrong)
    status, out, error = run("--resume")
    assert (status, error) == (1, "All have a result.\n")
    annotation, last = out.splitlines()
    assert annotation == (
        "::error file=shop.case.md,line=14,title=Leave%3A failed::50%25 of it:%0Anot | there"
    )
    assert last.startswith("3 passed, 1 failed in")
    kept = json.loads((REPORT / "results.json").read_text())
    assert kept["counts"] == {"failed": 1, "passed": 3}
    assert [each["name"] for each in kept["cases"]] == list(ALL)
    rows = Path("summary.md").read_text().splitlines()
    assert rows[4] == ("| failed | Leave | shop.case.md:14 | 1.5 s | 50% of it: not &#124; there |")
    assert len(rows) == 9
    assert 'failures="1"' in (REPORT / "junit.xml").read_text()


def test_annotations_are_as_many_as_github_shows():
    wrong = [record("Leave", "error", "no model")] * 25
    assert len(list(github.annotations([record("Log in"), *wrong]))) == github.MOST_ANNOTATIONS


def test_nothing_of_a_case_becomes_markup_of_the_summary(tmp_path):
    path = tmp_path / "summary.md"
    github.summarize([record("Leave", "error", "<img src=x> [a](http://b) `c` @d")], path)
    row = path.read_text().splitlines()[-1]
    assert not [each for each in ("<", "[a]", "`", "@d") if each in row]


HOSTILE = "<script>alert(1)</script>\u202e"


def attempted(**more):
    check = {"check": f'text "{HOSTILE}"', "line": 5, "met": False, "seen": HOSTILE}
    told = {"number": 1, "status": "failed", "reason": "", "seconds": 1.0, "steps": 2}
    told |= {"runs": ["r1"], "acts": [HOSTILE], "checks": [check], "word": "completed"}
    return told | {"says": HOSTILE, "notes": [HOSTILE]} | more


def test_the_page_tells_what_did_not_pass_first_and_runs_nothing(tmp_path):
    picture = tmp_path / "a.jpg"
    picture.write_bytes(b"\xff\xd8\xff")
    wrong = record(
        "Order[rake]",
        "failed",
        HOSTILE,
        tags=[HOSTILE],
        attempts=[attempted(), attempted(number=2, picture=str(picture))],
    )
    text = page.render([record("Log in"), wrong])
    assert text.index("Order[rake]") < text.index("Log in")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in text
    assert "data:image/jpeg;base64,/9j/" in text
    assert "Attempt 2: failed" in text
    assert text.count("<details") == 2
    assert text.count(" open>") == 1


def test_a_page_without_cases_or_pictures_says_so(tmp_path):
    assert "No case was run." in page.render([])
    gone = record("Leave", "failed", attempts=[attempted(picture=str(tmp_path / "gone.jpg"))])
    assert "(the picture is gone)" in page.render([gone])
    large = tmp_path / "large.jpg"
    large.write_bytes(bytes(page.MOST_PICTURE + 1))
    told = record("Leave", "failed", attempts=[attempted(picture=str(large))])
    assert str(large) in page.render([told])
