"""`strap test` as far as it goes without a browser: files, places, options, what is missing."""

import asyncio
import json
from pathlib import Path

import pytest

from strap import Journal
from strap_cases.cases import Case
from strap_cases.running.engine import Engine, Options, in_order
from strap_cases.running.run import exit_status
from strap_cases.running.selecting import tag_expression
from strap_cases.settings import Settings

from .conftest import SHOP


def test_cases_are_listed_and_files_checked(run):
    status, out, _ = run("--list")
    assert (status, out.splitlines()) == (
        0,
        [
            "shop.case.md::Log in",
            "shop.case.md::Order[spade]",
            "shop.case.md::Order[rake]",
            "shop.case.md::Leave",
        ],
    )
    assert run("--check")[:2] == (0, "4 cases in 1 file can be run.\n")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["shop.case.md:4"], ["Log in"]),
        (["shop.case.md:11"], ["Log in", "Order[spade]", "Order[rake]"]),
        (["shop.case.md::Order[rake]"], ["Log in", "Order[rake]"]),
        (["shop.case.md::Leave"], ["Leave"]),
        (["-k", "RAKE"], ["Log in", "Order[rake]"]),
        (["-t", "smoke and not slow"], ["Leave"]),
        (["-t", "not (smoke or @setup)"], []),
    ],
)
def test_a_selection_takes_along_the_setup_that_it_needs(run, words, names):
    status, out, _ = run("--list", *words)
    assert [line.partition("::")[2] for line in out.splitlines()] == names
    assert status == (0 if names else 5)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.case.md"], "missing.case.md:1: it cannot be read: No such file or directory"),
        (["shop.case.md::Buy"], "shop.case.md has no case at Buy."),
        (["shop.case.md:2"], "shop.case.md has no case at :2."),
        (["-t", "smoke and"], "'smoke and' is not a valid expression of tags"),
        (["-t", "(smoke"], "is not a valid expression of tags"),
        (["--param", "tool"], "write --param name=value"),
        (["--jobs", "0"], "x>=1"),
        (["--config", "none.toml"], "'none.toml' does not exist"),
    ],
)
def test_bad_arguments_are_told(run, words, said):
    status, _, error = run(*words)
    assert status == (1 if "none.toml" in words else 2)
    assert said in error or "none.toml" in words


def test_all_that_is_wrong_with_files_is_told_at_once(run):
    Path("bad.case.md").write_text("## A\nGo {x}.\n- `urll /`\n")
    status, out, error = run()
    assert (status, out) == (2, "")
    first, second, third = error.splitlines()
    assert first.startswith("bad.case.md:1: nothing says where the case begins")
    assert second.startswith("bad.case.md:2: there is no value for {x}")
    assert third.startswith(
        "bad.case.md:3: `urll /`: 'urll' is not a valid check. Did you mean 'url'?"
    )


def test_a_missing_model_is_told_once(run):
    status, out, error = run()
    assert (status, out) == (3, "")
    assert error.startswith("strap: There is no model for the agent")
    assert len(error.splitlines()) == 1


def test_a_missing_browser_is_told_once(run, monkeypatch):
    monkeypatch.setenv("STRAP_BROWSER_PATH", "/nowhere/chromium")
    status, out, error = run("--model", "openai/none")
    assert (status, out) == (3, "")
    assert "/nowhere/chromium" in error
    assert len(error.splitlines()) == 1


def test_secrets_that_are_not_set_are_told_with_their_lines(run):
    Path("shop.case.md").write_text(SHOP.replace("Log in.", "Log in with {{shop}}."))
    status, _, error = run()
    assert status == 2
    assert error.startswith("shop.case.md:5: There is no secret 'shop'.")


def test_secrets_for_another_port_are_told_with_what_adds_it(run, monkeypatch):
    Path("shop.case.md").write_text(SHOP.replace("Log in.", "Log in with {{shop}}."))
    secret = '[secrets.shop]\nvalue = "correct-horse"\norigins = ["{}"]\n'
    Path("strap.toml").write_text(secret.format("http://localhost:3001"))
    status, _, error = run()
    assert (status, len(error.splitlines())) == (2, 1)
    assert error.startswith("shop.case.md:5: the secret 'shop' is for http://localhost:3001, and")
    name, _, value = error.strip().rpartition(" ")[2].partition("=")
    monkeypatch.setenv(name, value)
    assert run()[0] == 3  # there is no model
    monkeypatch.delenv(name)
    Path("strap.toml").write_text(secret.format("https://login.shop.test"))
    assert run()[0] == 3


def test_addresses_that_may_not_be_reached_are_told_before_anything_runs(run):
    status, _, error = run("--network", "public")
    assert status == 2
    assert error.startswith("shop.case.md:4: the case begins at an address that is not allowed: ")
    assert len(error.splitlines()) == 1


def test_calls_that_there_are_not_are_told_before_anything_runs(run):
    text = SHOP.replace("## Leave", "### Finally\n- `http fetsh url=x`\n## Leave")
    Path("shop.case.md").write_text(text)
    status, _, error = run()
    assert status == 2
    assert error.startswith("shop.case.md:17: `http fetsh url=x`: Unknown action: 'fetsh'")


def test_one_run_has_one_model(run):
    text = SHOP.replace("## Leave", "```\n```\n## Leave").replace(
        "---\nbase", "---\nmodel: a/b\nbase"
    )
    Path("shop.case.md").write_text(text)
    Path("other.case.md").write_text(SHOP.replace("## Log in @setup(ada)", "## In @setup(eve)"))
    status, _, error = run("shop.case.md", "other.case.md", "-k", "leave")
    assert status == 2
    assert "one run has one model" in error


def test_a_folder_without_cases_says_what_one_is(run):
    Path("shop.case.md").unlink()
    status, _, error = run()
    assert (status, "'.': cases are in files *.case.md" in error) == (5, True)


def test_a_report_has_one_writer(run):
    with Journal(Path(".strap/test/journal.jsonl")) as journal:
        journal.append({"name": "kept"})
        status, _, error = run()
        assert (status, "is being written by another process" in error) == (2, True)
        assert json.loads(journal.path.read_text()) == {"name": "kept"}


def test_a_report_that_cannot_be_written_is_told(run):
    Path("taken").write_text("")
    status, _, error = run("--report", "taken")
    assert status == 2
    assert "The report cannot be written to 'taken'" in error


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ([], 0),
        (["passed", "skipped", "xfailed"], 0),
        (["passed", "failed", "error"], 1),
        (["not_finished"], 1),
        (["passed", "error"], 3),
    ],
)
def test_the_exit_status_says_what_came_of_it(statuses, status):
    assert exit_status([{"status": each, "flags": []} for each in statuses]) == status


def test_flaky_cases_fail_where_that_is_asked_for():
    flaky = [{"status": "passed", "flags": ["flaky"]}]
    assert exit_status(flaky) == 0
    assert exit_status(flaky, fail_on_flaky=True) == 1


def test_setups_come_first_each_behind_what_it_needs():
    def case(title, *, setup="", state=""):
        return Case(
            path=Path("a"), title=title, line=1, tags=(), settings=Settings(), segments=(),
            setup=setup, state=state,
        )  # fmt: skip

    cases = [case("c", state="b"), case("b", setup="b", state="a"), case("a", setup="a")]
    assert [each.title for each in in_order(cases)] == ["a", "b", "c"]


def test_a_fault_of_strap_itself_is_that_of_its_case_alone():
    same = {"path": Path("a"), "line": 1, "tags": (), "segments": ()}
    broken = [Case(title=title, settings=Settings(), **same) for title in ("one", "two", "three")]
    left_out = Case(title="left out", settings=Settings(skip="no time"), **same)
    results = []

    async def tell(result):
        results.append(result.verdict)

    engine = Engine(None, Options(max_failures=2))
    left = asyncio.run(engine.run([broken[0], left_out, *broken[1:]], tell))
    assert [each.status for each in results] == ["error", "skipped", "error"]
    assert (results[0].cause, results[0].reason.split()[0]) == ("infrastructure", "AttributeError:")
    assert (left, engine.stopped) == (1, "2 cases failed (--max-failures)")


@pytest.mark.parametrize(
    ("source", "tags", "met"),
    [
        ("a", ("a",), True),
        ("not a", ("a",), False),
        ("a and b or c", ("c",), True),
        ("a and (b or c)", ("c",), False),
        ("not a and b", ("b",), True),
    ],
)
def test_tag_expressions(source, tags, met):
    case = Case(path=Path("a"), title="", line=1, tags=tags, settings=Settings(), segments=())
    assert tag_expression(source)(case) is met


def test_a_file_to_begin_with_can_be_run_and_is_never_written_over(run):
    status, out, _ = run("new", "http://localhost:3000/login?a=1", "Log in: Ada!")
    assert (status, out.partition(".")[0]) == (0, "Wrote log-in-ada")
    text = Path("log-in-ada.case.md").read_text()
    assert 'base_url: http://localhost:3000\nurl: "/login?a=1"\n' in text
    assert run("--check", "log-in-ada.case.md")[:2] == (0, "1 case in 1 file can be run.\n")
    status, _, error = run("new", "http://localhost:3000", "Log in: Ada!")
    assert status == 2
    assert "log-in-ada.case.md is there already" in error
    assert Path("log-in-ada.case.md").read_text() == text


@pytest.mark.parametrize("words", [(), ("localhost:3000", "A"), ("http://localhost:3000",)])
def test_what_makes_no_file_says_how(run, words):
    status, _, error = run("new", *words)
    assert status == 2
    assert "write strap test new http://localhost:3000/login 'Log in'" in error


def test_a_title_needs_words(run):
    assert "is not a valid title" in run("new", "http://localhost:3000", "!!")[2]
