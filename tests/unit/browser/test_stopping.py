"""A stop line is understood in each form that models write it."""

import json
import subprocess
import sys

import pytest

from strap_agent.result.stop_reasons import stop_in
from strap_agent.result.verdict import RunOutcome, decide


@pytest.mark.parametrize(
    "line",
    [
        "STOP: login_required Log in first.",
        "stop: login_required\nLog in first.",
        "STOP:login_required - Log in first.",
        "STOP login_required Log in first.",
        "**STOP** — `login_required`: Log in first.",
        "**STOP:** login_required\n\nLog in first.",
        "**STOP: login_required**\nLog in first.",
        "**STOP**: `login_required`: Log in first.",
        "__Stop : Login Required__ Log in first.",
        "STOP: login required. Log in first.",
        "\u200bSTOP: login_required. Log in first.",
        "STOP: LOGIN-REQUIRED — Log in first.",
        "STOP: [login_required] Log in first.",
        "[STOP: login_required] Log in first.",
        "> STOP: login_required\nLog in first.",
        '"STOP: login_required" Log in first.',
        "“STOP: login_required”\nLog in first.",
        "- STOP: login_required\nLog in first.",
        "1. STOP: login_required\nLog in first.",
        "### STOP: login_required\nLog in first.",
        "```\nSTOP: login_required\nLog in first.\n```",
        "```text\nSTOP: login_required\n```\nLog in first.",
        "`STOP: login_required`\nLog in first.",
        "Log in first.\nSTOP: login_required",
        "Log in first.\r\n\r\n  STOP: login_required\r\n",
        "STOP\uff1a login_required Log in first.",
        "Status: STOP: login_required Log in first.",
        "**Status:** STOP: login_required. Log in first.",
        "**Final answer**: `STOP: login_required`\nLog in first.",
        "Final result: STOP login_required - Log in first.",
        "Status - STOP: login_required. Log in first.",
        "1. Result: STOP: login_required\nLog in first.",
        "Stop reason: login_required. Log in first.",
        "STOP code: login_required\nLog in first.",
        "STOP: reason: login_required. Log in first.",
        "STOP (login_required): Log in first.",
        "STOP, login_required. Log in first.",
        "STOP = login_required\nLog in first.",
        "STOP \u2192 login_required: Log in first.",
        "\U0001f6d1 STOP: login_required\nLog in first.",
        "\u26a0\ufe0f **STOP: login_required** Log in first.",
        "I must STOP: login_required. Log in first.",
        "Therefore, STOP: login_required\nLog in first.",
        "So I have to **STOP: login_required**\nLog in first.",
        "STOP: _login_required_ Log in first.",
        "Unfortunately, I must STOP: login_required\nLog in first.",
        "[STOP] login_required: Log in first.",
        "STOP! login_required. Log in first.",
    ],
)
@pytest.mark.parametrize("success", [True, False])
def test_a_stop_line(line, success):
    found = stop_in(line)
    assert (found.is_explicit, found.reason, found.part) == (True, "login_required", "")
    assert found.why == "Log in first."
    verdict = decide(RunOutcome(done=True, success=success, text=line))
    assert (verdict.status, verdict.stop_reason) == ("failed", "login_required")
    assert verdict.result is None
    assert verdict.summary.startswith("Log in first. Log in on a profile")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("STOP: bot wall", "bot_wall"),
        ("Stop: Impossible Task", "impossible_task"),
        ("stop:\tbot_wall", "bot_wall"),
        ("STOP: incomplete", "not_finished"),
        ("Status: STOP: incomplete", "not_finished"),
        ("STOP (incomplete): half of it", "not_finished"),
    ],
)
def test_every_reason(text, reason):
    assert stop_in(text).reason == reason
    assert decide(RunOutcome(done=True, success=True, text=text)).stop_reason == reason


@pytest.mark.parametrize(
    "text",
    [
        "The sign says STOP: no entry.",
        "Write `STOP: login_required` when a login is needed.",
        "Stop: Central Station",
        "The bus stop: incomplete timetable",
        '{"line": "STOP: incomplete"}',
        '[\n  "STOP: incomplete"\n]',
        "nonstop: login_required",
        "The manual tells agents to write: STOP, login is required there",
        'I read on the page "STOP: incomplete" and a number.',
        "Note: the sign says STOP: incomplete forms",
        "I did not have to STOP: login_required did not apply. Total: 42 EUR.",
        "I did not stop: login required only for admin pages. Total: 42 EUR.",
        "Order status: Stop: incomplete",
        "Job 7: stop reason: incomplete download",
        "So the train has one stop, incomplete_data is its name.",
        "Error column - STOP: bot wall",
        "STOP: incomplete_data is the name of the column.",
    ],
)
def test_what_is_no_stop_line(text):
    verdict = decide(RunOutcome(done=True, success=True, text=text))
    assert (verdict.status, verdict.result) == ("success", text)


@pytest.mark.parametrize(
    "text",
    [
        "STOP: bot_wall A captcha.\nPARTIAL: the price is 3",
        "**STOP: bot_wall** A captcha.\n\n**PARTIAL:** the price is 3",
        "PARTIAL:\nthe price is 3\nSTOP: bot_wall A captcha.",
        "A captcha.\n- STOP: bot wall\n- Partial: the price is 3",
    ],
)
def test_a_part_of_an_answer(text):
    verdict = decide(RunOutcome(done=True, success=False, text=text))
    assert (verdict.status, verdict.stop_reason) == ("partial", "bot_wall")
    assert verdict.result == "the price is 3"
    assert verdict.warnings[0] == "incomplete (bot_wall): A captcha."


LONG = [
    "a " + "-" * 40_000 + " " * 40_000 + "x",
    "status " * 15_000,
    "status" + " -" * 40_000,
    "I " + "have " * 20_000,
    "STOP" + "- " * 50_000,
    "STOP: reason" + "*" * 90_000,
    "so" + " " * 90_000 + "STOP",
]


def test_a_line_is_read_in_the_time_that_its_length_takes():
    command = "import json, sys; from strap_agent.result.stop_reasons import stop_in;"
    command += "print([stop_in(line).is_explicit for line in json.load(sys.stdin)])"
    ran = subprocess.run(
        [sys.executable, "-c", command],
        input=json.dumps(LONG),
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )
    assert ran.stdout == f"{[False] * len(LONG)}\n", ran.stderr
