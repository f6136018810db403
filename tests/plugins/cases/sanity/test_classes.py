"""Each rule by which a scenario is classed, and what of an answer has no part in it."""

import pytest

from strap_cases.grammar import parse_check
from strap_cases.sanity.classify import Outcome, classify, is_as_expected
from strap_cases.sanity.scenario_run import Evidence, Picture
from strap_cases.sanity.summary import exit_status
from strap_cases.verdict import Seen

ANSWER = {
    "version": "gsd-browser.web_eval_agent.v1",
    "session_id": "5607f90e-0000-4000-8000-000000000000",
    "tool_call_id": "cee9c1f6-0000-4000-8000-000000000000",
    "url": "http://127.0.0.1:1/",
    "task": "look",
    "mode": "compact",
    "status": "success",
    "result": "42",
    "summary": "42",
    "artifacts": {"screenshots": 1, "stream_samples": 0, "run_events": 1},
    "next_actions": [],
    "timeouts": {"budget_s": 60, "step_timeout_s": 15, "max_steps": 25, "timed_out": False},
    "warnings": [],
    "page": {"url": None, "title": None},
    "errors_top": [],
    "stop_reason": "done",
}
FAILED = {**ANSWER, "status": "failed", "result": None, "stop_reason": "login_required"}
ERROR = {"type": "agent", "summary": "run failed (login_required): why", "has_error": True}


def seen(*met):
    check = parse_check('text "x"', 1, {})
    return [Seen(check=check, met=each, seen="y") for each in met]


def classed(*, expected="pass", stop="", missing=(), answer=ANSWER, **known):
    known.setdefault("pictures", [Picture({"step": 1}, b"x")])
    evidence = Evidence(answer=answer, **known)
    status = (answer or {}).get("status", "")
    outcome = Outcome(
        evidence=evidence, expected=expected, stop_reason=stop, missing=missing, status=status
    )
    found = classify(outcome)
    return found.of, found.rule, set(found.flags)


INCOMPLETE = [
    {"answer": None},
    {"answer": None, "broken": "The browser did not start."},
    {"answer": {**ANSWER, "status": "splendid"}},
    {"answer": {**ANSWER, "more": 1}},
    {"eval_s": 62.5},
    {"left_over": ["page t1"]},
    {"missing": ["calls.jsonl"]},
    {"pictures": []},
]


@pytest.mark.parametrize("known", INCOMPLETE)
def test_what_is_incomplete_fails_hard(known):
    assert classed(checks=seen(True), **known)[:2] == ("hard_fail", 1)


def test_why_there_is_nothing_to_see_is_told():
    failed = {**FAILED, "summary": "The provider has no such model.", "page": ANSWER["page"]}
    outcome = Outcome(evidence=Evidence(answer=failed), expected="pass", status="failed")
    assert classify(outcome).reasons[-1] == "The provider has no such model."


def test_a_success_that_is_not_so_fails_hard():
    false = ("hard_fail", 2, {"false success"})
    assert classed(checks=seen(True, False)) == false
    assert classed(expected="soft_fail") == false
    assert classed(expected="soft_fail", checks=seen(False)) == false


def test_a_success_that_is_so_passes():
    assert classed(checks=seen(True)) == ("pass", 3, set())
    assert classed() == ("pass", 3, set())
    assert classed(expected="soft_fail", checks=seen(True)) == ("pass", 3, set())
    assert classed(eval_s=61.9) == ("pass", 3, set())


def test_a_failure_that_tells_why_fails_softly():
    known = {"answer": FAILED, "events": [ERROR], "expected": "soft_fail"}
    assert classed(**known) == ("soft_fail", 4, set())
    assert classed(**known | {"pictures": []}) == ("soft_fail", 4, set())
    assert classed(**known, checks=seen(True)) == ("soft_fail", 4, {"false failure"})
    assert classed(**known, stop="login_required") == ("soft_fail", 4, set())
    assert classed(**known, stop="bot_wall") == ("soft_fail", 4, {"other stop"})
    judged = {"type": "judge", "summary": "no", "step": None, "url": None}
    partial = {**ANSWER, "status": "partial", "errors_top": [judged]}
    assert classed(answer=partial) == ("soft_fail", 4, set())


def test_anything_else_fails_hard():
    known = {"expected": "soft_fail"}
    assert classed(answer=FAILED, **known) == ("hard_fail", 5, set())
    cancelled = {**FAILED, "stop_reason": "cancelled"}
    assert classed(answer=cancelled, events=[ERROR], **known) == ("hard_fail", 5, set())
    assert classed(answer={**ANSWER, "result": " \n"}) == ("hard_fail", 5, set())
    assert classed(checks=seen(True, None)) == ("hard_fail", 5, set())


@pytest.mark.parametrize("said", ["stopped", "cloudflare", "failed", "<status>failed</status>"])
def test_no_word_of_the_answer_counts(said):
    assert classed(answer={**ANSWER, "result": said}, checks=seen(True))[0] == "pass"


def test_infrastructure_is_told_apart():
    down = {**FAILED, "stop_reason": "provider_error"}
    assert classed(answer=down, events=[ERROR]) == ("soft_fail", 4, {"infrastructure"})
    meant = classed(answer=down, events=[ERROR], stop="provider_error")
    assert meant == ("soft_fail", 4, set())
    assert classed(answer=None, broken="no browser")[2] == {"infrastructure"}


def test_better_than_expected_is_as_good():
    assert is_as_expected("pass", "soft_fail")
    assert not is_as_expected("soft_fail", "pass")
    assert not is_as_expected("hard_fail", "soft_fail")


def test_only_infrastructure_is_a_status_of_its_own():
    good, bad = {"as_expected": True, "flags": []}, {"as_expected": False, "flags": []}
    down = {"as_expected": False, "flags": ["infrastructure"]}
    assert exit_status([good]) == 0
    assert exit_status([good, down]) == 3
    assert exit_status([good, down, bad]) == 1
