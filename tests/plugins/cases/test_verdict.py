"""The verdict: every rule, and that none of the later ones can undo an earlier one."""

from itertools import product

import pytest

from strap_cases.checks import Check
from strap_cases.verdict import GAVE_UP, AttemptFacts, Seen, Verdict, attempt_verdict, case_verdict


def seen(met):
    check = Check(kind="url", arguments={}, negative=False, source="url /home", line=24)
    return Seen(check=check, met=met, seen="/login")


MET, UNMET, UNKNOWN = seen(True), seen(False), seen(None)


def judged(**what):
    found = attempt_verdict(AttemptFacts(**{"word": "completed", "checks": [MET], **what}))
    return found.status, found.cause, set(found.flags)


@pytest.mark.parametrize(
    ("what", "verdict"),
    [
        ({}, ("passed", None, set())),
        ({"interrupted": True, "checks": [UNMET]}, ("interrupted", None, set())),
        ({"setup_failed": "500"}, ("error", "setup", set())),
        ({"broken": "worker gone"}, ("error", "infrastructure", set())),
        ({"stop_reason": "provider_error"}, ("error", "infrastructure", set())),
        ({"checks": [MET, UNMET]}, ("failed", "bug", set())),
        ({"checks": [MET, UNMET], "acted": False}, ("failed", "unclear", set())),
        ({"checks": [UNMET], "word": None}, ("failed", "unclear", set())),
        ({"checks": [UNMET, UNKNOWN]}, ("failed", "bug", set())),
        ({"checks": [UNMET], "judge": True, "expectations": [True]}, ("failed", "bug", set())),
        ({"checks": [MET, UNKNOWN]}, ("error", "infrastructure", set())),
        ({"word": "failed"}, ("failed", "unclear", {"agent disagrees"})),
        ({"word": "failed", "checks": []}, ("failed", "unclear", set())),
        ({"word": "not-finished"}, ("not_finished", "unclear", set())),
        ({"word": None}, ("not_finished", "unclear", set())),
        ({"run_status": "partial"}, ("not_finished", "unclear", set())),
        ({"run_status": "failed", "stop_reason": "refusal"}, ("not_finished", "unclear", set())),
        ({"expectations": [True, False]}, ("failed", "bug", set())),
        ({"judge": False}, ("failed", "unclear", set())),
        ({"judge_broken": "it changed the page"}, ("error", "infrastructure", set())),
        ({"expectations": [True, None]}, ("not_finished", "unclear", set())),
        ({"wants_judge": True}, ("not_finished", "unclear", set())),
        ({"checks": []}, ("not_finished", "unclear", set())),
        ({"checks": [], "wants_judge": True, "judge": True}, ("passed", None, {"by judge"})),
        ({"checks": [], "trusts_word": True}, ("passed", None, {"by word"})),
        ({"checks": [MET], "trusts_word": True}, ("passed", None, set())),
    ],
)
def test_the_first_rule_that_fits_decides(what, verdict):
    assert judged(**what) == verdict


@pytest.mark.parametrize("reason", sorted(GAVE_UP))
def test_a_run_that_gave_up_is_not_finished(reason):
    assert judged(stop_reason=reason)[0] == "not_finished"


def test_the_reason_names_the_check_and_its_line():
    verdict = attempt_verdict(AttemptFacts(word="completed", checks=[UNMET]))
    assert verdict.reason == "line 24: `url /home`"


def test_nothing_passes_with_a_check_unmet_or_without_the_word():
    for word, checks, judge, plain in product(
        (None, "completed", "failed", "not-finished"),
        ([MET], [UNMET], [UNKNOWN], [MET, UNMET], []),
        (None, True, False),
        ((), (True,), (False,), (None,)),
    ):
        status, _, _ = judged(word=word, checks=checks, judge=judge, expectations=plain)
        sound = word == "completed" and checks == [MET] and judge is not False
        assert (status == "passed") == (sound and plain in ((), (True,)))


def test_a_case_is_what_its_last_attempt_is():
    passed, failed = Verdict(status="passed"), Verdict(status="failed", reason="no")
    assert case_verdict([failed, failed]) is failed
    assert case_verdict([passed]) is passed
    assert case_verdict([failed, passed]).flags == {"flaky"}
    assert case_verdict([failed], xfail="known").status == "xfailed"
    unexpected = case_verdict([passed], xfail="known")
    assert (unexpected.status, unexpected.reason) == ("failed", "unexpectedly passes: known")
