"""The rules behind an answer, apart from any run: verdicts, ranking, addresses, limits."""

import time
from types import SimpleNamespace

import pytest

from strap import Caller, Guard, PolicyDenied, UsageError
from strap_agent.limits import limits
from strap_agent.monitor.request_guard import RequestGuard
from strap_agent.request import default_mode
from strap_agent.result.compose import Redactor, bounded
from strap_agent.result.ranking import top_errors
from strap_agent.result.verdict import Failure, RunOutcome, decide
from strap_agent.store.records import Event
from strap_agent.store.saved_login import saved_login
from strap_browser.common.urls import is_noise, loggable_url, site
from strap_browser.settings.agent import AgentSettings

OBJECTION = {"verdict": False, "failure_reason": "the price is wrong", "reasoning": "long"}


def ending(*kinds, **fields):
    failures = [Failure(kind=k, text=f"{k} failed", step=n + 1) for n, k in enumerate(kinds)]
    return RunOutcome(failures=failures, failing=bool(kinds), **{"steps": len(kinds)} | fields)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (RunOutcome(done=True, success=True, text="42"), ("success", "done", "42")),
        (RunOutcome(done=True, success=True, text=" "), ("failed", "empty_result", None)),
        (RunOutcome(done=True, success=True, text=None), ("failed", "empty_result", None)),
        (
            RunOutcome(done=True, success=True, text="42", judgement=OBJECTION),
            ("partial", "done", "42"),
        ),
        (
            RunOutcome(done=True, success=True, text="42", judgement={"verdict": True}),
            ("success", "done", "42"),
        ),
        (
            RunOutcome(
                done=True,
                success=True,
                text="42",
                judgement={"verdict": True, "impossible_task": True},
            ),
            ("partial", "impossible_task", "42"),
        ),
        (
            RunOutcome(
                done=True,
                success=True,
                text="42",
                judgement={"verdict": False, "reached_captcha": True, "impossible_task": True},
            ),
            ("partial", "bot_wall", "42"),
        ),
        (RunOutcome(done=True, success=None, text="half"), ("failed", "not_finished", None)),
        (ending("provider", "provider"), ("failed", "provider_error", None)),
        (ending("schema", "schema"), ("failed", "schema_error", None)),
        (ending("step_timeout"), ("failed", "step_timeout", None)),
        (ending("browser"), ("failed", "browser_error", None)),
        (ending("action", "action"), ("failed", "not_finished", None)),
        (ending("schema", out_of_steps=True, steps=4), ("failed", "max_steps", None)),
        (ending("schema", out_of_steps=True), ("failed", "max_steps", None)),
        (
            ending("provider", "provider", out_of_steps=True),
            ("failed", "provider_error", None),
        ),
        (RunOutcome(text="go", interrupted="budget"), ("failed", "budget", None)),
        (RunOutcome(done=True, text="go", interrupted="cancelled"), ("failed", "cancelled", None)),
        (RunOutcome(broken=Failure(kind="browser", text="x")), ("failed", "browser_error", None)),
        (RunOutcome(), ("failed", "not_finished", None)),
    ],
)
def test_verdicts(given, expected):
    verdict = decide(given)
    assert (verdict.status, verdict.stop_reason, verdict.result) == expected
    assert verdict.timed_out == (verdict.stop_reason in ("budget", "max_steps", "step_timeout"))
    assert verdict.summary


@pytest.mark.parametrize(
    ("part", "misfit", "status", "result"),
    [
        ("```json\n[1]\n```", "", "partial", "[1]"),
        ('["one"]', "it is none.", "failed", None),
    ],
)
def test_a_part_of_an_answer_keeps_to_the_schema_as_well(part, misfit, status, result):
    text = f"STOP: login_required the rest needs a login\nPARTIAL: {part}"
    verdict = decide(RunOutcome(done=True, success=False, text=text, misfit=misfit))
    assert (verdict.status, verdict.stop_reason) == (status, "login_required")
    assert verdict.result == result
    assert "the rest needs a login" in verdict.summary
    assert ("does not fit the schema" in verdict.summary) == (result is None)


def test_a_judge_that_gave_no_verdict_is_a_warning():
    verdict = decide(RunOutcome(done=True, success=True, text="42", judge_failed=True))
    assert (verdict.status, verdict.warnings) == ("success", ("The judge gave no verdict.",))


def test_slow_steps_are_named_first():
    verdict = decide(
        ending("step_timeout", "step_timeout", "action", done=True, success=True, text="42")
    )
    assert verdict.warnings[0].startswith("2 steps timed out: Give a step more time")


def network(url, status=None, **details):
    return Event(
        type="network",
        summary=f"GET {url} {status}",
        at=time.time(),
        has_error=True,
        url=url,
        details={"status": status, **details},
    )


def ranked(given, events=(), home="https://shop.example/"):
    return top_errors(given, events, home, verdict=decide(given))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (RunOutcome(interrupted="budget"), "budget: The time budget was over"),
        (RunOutcome(interrupted="cancelled"), "cancelled: The run was cancelled."),
        (RunOutcome(interrupted="step_timeout"), "step_timeout: The agent did not answer"),
        (RunOutcome(done=True, success=True, text=" "), "empty_result: The agent said"),
        (RunOutcome(done=True, success=False, text="no idea"), "not_finished: no idea"),
        (RunOutcome(done=True, success=False, text="STOP: incomplete oops"), "not_finished: oops"),
        (
            RunOutcome(done=True, success=False, text="STOP: bot_wall\nwall\nPARTIAL: 3"),
            "bot_wall: wall",
        ),
        (ending(out_of_steps=True, steps=4), "max_steps: The agent used up its steps"),
        (ending("step_timeout"), "step_timeout failed"),
        (RunOutcome(broken=Failure(kind="browser", text="It broke.")), "It broke."),
    ],
)
def test_why_a_run_is_no_success_comes_before_what_its_page_did(given, said):
    top = ranked(given, [network("https://shop.example/x", 500)])
    assert top[0].type == "agent"
    assert top[0].summary.startswith(said)
    assert len(top) == 2


@pytest.mark.parametrize(
    ("home", "path"),
    [
        ("https://shop.example/", "analytics/report"),
        ("https://shop.example/", "api/metrics"),
        ("https://shop.example/", "beacon"),
        ("https://analytics.example.org/", "tracking/1"),
    ],
)
def test_nothing_of_the_site_under_test_is_noise(home, path):
    given = RunOutcome(done=True, success=True, text="42")
    events = [
        network("http://stranger.example.com/x.png", 404),
        Event(type="console", summary="said", at=1, has_error=True, url=f"{home}{path}",
              details={"level": "error"}),
        network(f"{home}{path}", 500),
    ]  # fmt: skip
    top = [error.summary for error in ranked(given, events, home)]
    assert top[:2] == [f"GET {home}{path} 500", "said"]


def test_ranking():
    home = "https://shop.example.com/"
    events = [
        network("https://www.google-analytics.com/collect", 500),
        network("https://cdn.other.org/x.js", 503),
        network("https://api.example.com/blocked", None, blocked=True),
        Event(type="console", summary="plain", at=1, has_error=True, details={"level": "error"}),
        network("https://shop.example.com/missing", 404),
        Event(type="console", summary="thrown", at=1, has_error=True,
              details={"level": "exception"}),
        network("https://api.example.com/buy", 500),
        network("https://api.example.com/buy", 500),
    ]  # fmt: skip
    given = RunOutcome(
        judgement=OBJECTION, failures=[Failure(kind="provider", text="refused", step=2)]
    )
    top = [error.summary for error in top_errors(given, events, home)]
    assert top == [
        "the price is wrong",
        "refused",
        "GET https://api.example.com/buy 500",
        "thrown",
        "GET https://shop.example.com/missing 404",
        "plain",
        "GET https://cdn.other.org/x.js 503",
        "GET https://www.google-analytics.com/collect 500",
    ]


@pytest.mark.parametrize(
    ("url", "noise"),
    [
        ("https://www.google-analytics.com/collect", True),
        ("https://shop.example/analytics/v1", True),
        ("https://shop.example/favicon.ico", True),
        ("https://analyticsconference.example/talks", False),
        ("https://shop.example/my-analytics-book", False),
        ("https://notgoogle-analytics.com.example/x", False),
    ],
)
def test_hosts_and_paths_are_matched_by_whole_words(url, noise):
    assert is_noise(url) is noise


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:pw@example.com:8443/a?token=1#x", "https://example.com:8443/a"),
        ("http://[::1]:3000/", "http://[::1]:3000/"),
        ("data:text/html,secret", "data:"),
        ("http://exa mple:x/", ""),
        (f"http://a/{'x' * 3_000}", f"http://a/{'x' * (2_000 - 9)}"),
    ],
)
def test_addresses_as_they_are_stored(url, shown):
    assert loggable_url(url) == shown


def test_sites():
    assert site("https://a.b.example.com/") == "example.com"
    assert site("http://127.0.0.1:3000/") == "127.0.0.1"
    assert site("http://[::1]/") == "::1"


def test_the_mode_follows_the_host():
    assert default_mode("http://localhost:3000") == "dev"
    assert default_mode("http://[::1]:3000") == "dev"
    assert default_mode("https://localhost.example.com") == "compact"


def given(**fields):
    names = ("budget_s", "step_timeout_s", "llm_timeout_s", "max_steps")
    return SimpleNamespace(**dict.fromkeys(names) | fields)


def test_limits():
    settings, stdio = AgentSettings(), Caller(transport="stdio")
    plain = limits(given(), settings, stdio, seen=True, client_model=False)
    assert (plain.budget_s, plain.step_timeout_s, plain.llm_timeout_s, plain.max_steps) == (
        60, 15, 15, 25
    )  # fmt: skip
    unseen = limits(given(), settings, stdio, seen=False, client_model=False)
    assert unseen.budget_s == 50
    assert "50 instead of 60" in unseen.warnings[0]
    here = limits(given(budget_s=90), settings, Caller(), seen=False, client_model=False)
    assert here.budget_s == 90
    asked = limits(given(max_steps=3), settings, stdio, seen=True, client_model=True)
    assert (asked.step_timeout_s, asked.llm_timeout_s, asked.max_steps) == (120, 120, 3)
    own = limits(given(step_timeout_s=5), settings, stdio, seen=True, client_model=True)
    assert own.step_timeout_s == 5


def test_keys_are_hidden():
    hide = Redactor(["my-secret-value"])
    text = "key my-secret-value and sk-abc12345678 and Bearer abcdefghijk but API key provided"
    assert hide(text) == "key *** and *** and *** but API key provided"
    assert hide.deep({"a": ["my-secret-value", 1]}) == {"a": ["***", 1]}


def test_warnings_are_bounded():
    lines = bounded([*(f"{n} " + "x" * 500 for n in range(30)), "0 " + "x" * 500])
    assert len(lines) == 20
    assert all(len(line) <= 400 for line in lines)


def test_a_saved_login(tmp_path):
    with pytest.raises(UsageError, match="saved: none yet"):
        saved_login(tmp_path, "me")
    states = tmp_path / "states"
    states.mkdir()
    (states / "me.json").write_text('{"cookies": [{"name": "sid"}], "origins": []}')
    (states / "bad.json").write_text("[]")
    assert saved_login(tmp_path, "me").storage == {"cookies": [{"name": "sid"}], "origins": []}
    with pytest.raises(UsageError, match="not a storage state"):
        saved_login(tmp_path, "bad")


@pytest.mark.anyio
async def test_a_public_page_leads_to_no_private_network():
    looked_up = []

    async def resolver(host, port):
        looked_up.append(host)
        return ["93.184.215.14"]

    guard = Guard("local", resolver=resolver)
    gate = RequestGuard(guard.check, await guard.check("http://example.com/start"))
    await gate("http://example.com/a", None)
    await gate("http://example.com/b", None)
    assert looked_up == ["example.com"] * 2
    for page in (None, "http://example.com/a", "about:blank"):
        with pytest.raises(PolicyDenied):
            await gate("http://127.0.0.1:3000/", page)
    at_home = RequestGuard(guard.check, await guard.check("http://127.0.0.1:3000/"))
    await at_home("http://127.0.0.1:4000/api", "http://127.0.0.1:3000/")
    await at_home("http://example.com/a.js", "http://127.0.0.1:3000/")
    with pytest.raises(PolicyDenied):
        await at_home("http://127.0.0.1:3000/", "http://example.com/a")
