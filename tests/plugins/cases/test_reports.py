"""Going on with an earlier run, and the reports that are made from its journal alone."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from strap import Journal
from strap_cases.reports import github, junit, page, terminal

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
    waited = record("Order[rake]", "skipped", "setup ada failed", waited_for="ada")
    keep(record("Log in", "error"), waited, record("Leave", "skipped", "setup is not on Mondays"))
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


def test_a_line_that_was_torn_is_left_out_and_told(run):
    keep(*map(record, ALL))
    with (REPORT / "journal.jsonl").open("a") as journal:
        journal.write('{"id": "shop.case.md::Leave", "sta')
    told = f"The last line of '{REPORT}/journal.jsonl' was not whole, and is left out."
    for words in (("report", str(REPORT)), ("--last-failed", "--list")):
        assert told in run(*words)[2].splitlines()
    status, _, error = run("--resume")
    assert (status, error.splitlines()[1:]) == (
        0,
        ["The last line of the journal was not whole, and is left out."],
    )
    assert len((REPORT / "journal.jsonl").read_text().splitlines()) == len(ALL)


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


def test_the_headline_of_a_case_has_what_was_seen():
    check = {"check": 'text "Total 9.00"', "line": 24, "met": False, "seen": '"Total 12.50"'}
    wrong = record("Order[rake]", "failed", "line 24: `text`", attempts=[attempted(checks=[check])])
    text = page.render([wrong, record("Log in")])
    code = "<code>text &quot;Total 9.00&quot;</code>"
    assert f"<p>line 24: {code}  seen: &quot;Total 12.50&quot;</p>" in text
    assert "`" not in text
    assert '<a href="#">show all</a>' in text


def test_a_page_without_cases_or_pictures_says_so(tmp_path):
    assert "No case was run." in page.render([])
    gone = record("Leave", "failed", attempts=[attempted(picture=str(tmp_path / "gone.jpg"))])
    assert "(the picture is gone)" in page.render([gone])
    large = tmp_path / "large.jpg"
    large.write_bytes(bytes(page.MOST_PICTURE + 1))
    told = record("Leave", "failed", attempts=[attempted(picture=str(large))])
    assert str(large) in page.render([told])


def test_many_pictures_leave_a_page_that_opens_at_once(tmp_path):
    full = tmp_path / "full.jpg"
    full.write_bytes(bytes(page.MOST_PICTURE))
    told = record("Leave", "failed", attempts=[attempted(picture=str(full))])
    text = page.render([told] * 100)
    assert len(text) < 15_000_000
    assert text.count("data:image/") == page.MOST_PICTURES // page.MOST_PICTURE
    assert text.count(f"Picture: <code>{full}") == 100 - text.count("data:image/")


def test_what_went_wrong_in_the_page_is_told():
    trouble = ["console: done is not defined", f"request failed: {HOSTILE}"]
    told = record("Leave", "failed", attempts=[attempted(trouble=trouble)])
    text = page.render([told])
    assert "What went wrong" in text
    assert "<li><code>console: done is not defined</code></li>" in text
    assert "console: done is not defined" in list(terminal.why(told))


def test_shards_part_the_cases_and_take_along_what_they_need(run):
    parts = [listed(run("--list", "--shard", f"{part}/3")) for part in (1, 2, 3)]
    assert parts == [["Log in", "Leave"], ["Log in", "Order[spade]"], ["Log in", "Order[rake]"]]
    assert listed(run("--list", "--shard", "1/1")) == list(ALL)
    keep(record("Leave"))
    assert listed(run("--list", "--resume", "--shard", "1/3")) == ["Log in"]


@pytest.mark.parametrize("written", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/3/3"])
def test_what_is_no_shard_is_told(run, written):
    status, _, error = run("--list", "--shard", written)
    assert status == 2
    assert "write --shard 1/4 to --shard 4/4" in error


def test_a_shard_without_a_case_is_no_failure(run):
    status, out, error = run("--list", "--shard", "9/9")
    assert (status, out, error) == (0, "", "No case is left for this shard.\n")


USED = {"model_calls": 2, "input_tokens": 1_500, "cached_tokens": 0, "output_tokens": 34}


def kept_in(folder, *records):
    with Journal(Path(folder) / "journal.jsonl") as journal:
        for each in records:
            journal.append(each)


def test_the_reports_of_shards_become_one(run):
    attempt = {
        "number": 1,
        "status": "failed",
        "reason": "no",
        "seconds": 1,
        "steps": 1,
        "runs": ["91cc4ab0"],
    }
    says = "It is bold.\n<status>completed</status>"
    attempt |= {"acts": [], "checks": [], "word": "completed", "says": says, "notes": []}
    attempt["picture"] = "elsewhere/pictures/Leave-14-1.jpg"
    kept_in("a", record("Log in", "error", "no login"), record("Order[spade]", usage=USED))
    kept_in("b", record("Log in"), record("Leave", "failed", "no", attempts=[attempt], usage=USED))
    Path("b/pictures").mkdir()
    Path("b/pictures/Leave-14-1.jpg").write_bytes(b"\xff\xd8picture")
    status, out, _ = run("report", "a", "b", "--report", "all", "--junit", "all.xml")
    assert status == 1
    assert "1 passed, 1 failed, 1 error in " in out
    assert "3,068 tokens" in out
    told = json.loads(Path("all/results.json").read_text())
    assert [(case["name"], case["status"]) for case in told["cases"]] == [
        ("Log in", "error"),
        ("Order[spade]", "passed"),
        ("Leave", "failed"),
    ]
    assert told["cases"][2]["attempts"][0]["picture"] == "b/pictures/Leave-14-1.jpg"
    page = Path("all/index.html").read_text()
    assert "data:image/jpeg;base64," in page
    assert "\nIt is bold.</p>" in page
    assert "strap runs show 91cc4ab0 --html --output run.html --home data" in page
    assert "\ninput_tokens: 1500\n" in Path("all.xml").read_text()
    assert listed(run("--last-failed", "--list", "--report", "all")) == ["Log in", "Leave"]


def test_reports_of_one_run_are_made_anew(run):
    keep(record("Leave"))
    before = (REPORT / "journal.jsonl").read_bytes()
    assert run("report")[0] == 0
    assert json.loads((REPORT / "results.json").read_text())["counts"] == {"passed": 1}
    assert (REPORT / "journal.jsonl").read_bytes() == before


def test_a_folder_without_a_run_is_told(run):
    status, _, error = run("report", "nowhere", "--report", "all")
    assert status == 2
    assert "There is no run in 'nowhere': it has no journal.jsonl." in error
    assert not Path("all").exists()


def test_the_page_shows_cases_as_written_and_filters_without_a_script():
    text = page.render(
        [
            record("Leave", "failed", "no", source="## Leave <b>\nLeave."),
            record("Log in", usage=USED),
        ]
    )
    assert "<pre>## Leave &lt;b&gt;\nLeave.</pre>" in text
    assert '<a class="badge failed" href="#failed">1 failed</a>' in text
    assert '<i id="failed"></i>' in text
    assert "1,534 tokens" in text
    assert "<script" not in text


COUNTS = {"name", "time", "tests", "failures", "errors"}
RERUN = ({"message", "type"}, {"stackTrace", "system-out", "system-err"})
OUTCOMES = {"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure"}
OF_JENKINS = {
    "testsuites": (COUNTS, {"testsuite"}),
    "testsuite": (COUNTS | {"skipped"}, {"testsuite", "properties", "testcase"}),
    "testcase": ({"name", "time", "classname"}, OUTCOMES | {"flakyError", "system-out"}),
    "flakyFailure": RERUN,
    "system-out": (set(), set()),
} | dict.fromkeys(("skipped", "error", "failure"), ({"type", "message"}, set()))
"""Attributes and elements that the schema junit-10.xsd of Jenkins' xUnit plugin allows of these."""


def test_jenkins_schema_takes_the_report_and_other_readers_find_what_they_look_for(tmp_path):
    attempt = {"reason": "no\x01 order\nthere", "status": "failed", "picture": "a.jpg", "runs": []}
    attempts = [attempt | {"checks": [], "word": None, "says": "", "notes": []}] * 2
    usage = {"model_calls": 3, "input_tokens": None}
    given = {"attempts": attempts, "tags": ["a", "b"], "usage": usage}
    statuses = ("passed", "failed", "not_finished", "error", "xfailed", "skipped")
    records = [record("Leave", status, "why", **given) for status in statuses]
    records.append(record("Log in", flags=["flaky"], seconds=12345.5, **given))
    junit.write(records, tmp_path / "junit.xml")
    root = ET.parse(tmp_path / "junit.xml").getroot()
    for element in root.iter():
        attributes, children = OF_JENKINS[element.tag]
        assert set(element.attrib) <= attributes, element
        assert {child.tag for child in element} <= children, element
    assert {"tests": "7", "failures": "2", "errors": "1"}.items() <= root.attrib.items()
    (suite,) = root
    cases = {case.get("name"): case for case in suite}
    assert {case.get("classname") for case in suite} == {"shop.case.md"}
    assert [case.find("failure") is not None for case in suite].count(True) == 2
    flaky = cases["Log in"].find("flakyFailure")
    assert (flaky.get("message"), flaky.get("type")) == ("no order\nthere", "failed")
    told = cases["Log in"].findtext("system-out").splitlines()  # GitLab shows the last ones
    assert told[:4] == ["line: 3", "tags: a, b", "flags: flaky", "model_calls: 3"]
    assert told[4:] == ["[[ATTACHMENT|a.jpg]]"] * 2
