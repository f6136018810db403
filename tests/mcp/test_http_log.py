"""The log of a server as JSON: who called what and how it ended, and nothing of what was said."""

import json
import logging
import sys
from datetime import datetime

import pytest

from strap.config import load
from strap.config.json_lines import MESSAGE, JsonLines
from strap.config.log_setup import configure_logging
from strap.config.secrets import Secret, Secrets
from strap.errors import StartupError
from tests.mcp.conversation import call
from tests.mcp.http_server import Served, open_session, post

CI = {"authorization": "Bearer a-token-of-ci"}
SETTINGS = """
log = "info"
log_format = "json"
[serve.tokens.ci]
value = "a-token-of-ci"
limits = { calls_per_minute = 6 }
"""


@pytest.fixture
def served(tmp_path):
    (tmp_path / "strap.toml").write_text(SETTINGS)
    with Served(tmp_path) as served:
        yield served


def test_an_object_a_line_without_what_was_said(served):
    session = open_session(served, **CI)
    post(served, call(resource="probe", action="say", words="hidden.example"), session, **CI)
    post(served, call(resource="probe", action="fail"), session, **CI)  # too soon for its rate
    post(served, call(resource="probe", action="say"), session, authorization="Bearer wrong")
    served.end()
    lines = served.log().splitlines()
    told = [json.loads(line) for line in lines]
    assert all(datetime.fromisoformat(each["time"]) for each in told)
    events = [each for each in told if each["event"] != "log"]
    assert [each["event"] for each in events] == ["listening", "call", "refused", "refused"]
    _, said, busy, stranger = events
    took = said.pop("seconds")
    assert 0 <= took < 30
    assert len(said.pop("session")) == 12
    del said["time"]
    assert said == {
        "level": "info",
        "event": "call",
        "transport": "http",
        "principal": "token:ci",
        "resource": "probe",
        "action": "say",
        "outcome": "ok",
    }
    assert (busy["reason"], busy["principal"]) == ("busy", "token:ci")
    assert (stranger["reason"], stranger["principal"]) == ("token", None)
    whole = "\n".join(lines)
    for hidden in ("hidden.example", session, "a-token-of-ci", "Bearer"):
        assert hidden not in whole


def test_other_records_are_bounded_and_hide_secrets():
    secrets = Secrets({"door": Secret(value="let-me-in-now", origins=("https://a.example",))})
    try:
        raise ValueError("let-me-in-now")
    except ValueError:
        failure = sys.exc_info()
    text = "line\nlet-me-in-now " + "x" * 2 * MESSAGE
    record = logging.LogRecord("strap.x", logging.ERROR, "", 0, text, (), failure)
    line = JsonLines(secrets).format(record)
    told = json.loads(line)
    assert "\n" not in line
    assert "let-me-in-now" not in line
    assert len(told["message"]) == MESSAGE
    assert (told["level"], told["logger"]) == ("error", "strap.x")
    assert "ValueError" in told["error"]


def test_the_file_has_the_same_form(tmp_path, monkeypatch):
    config = load(environ={"STRAP_LOG_FORMAT": "json"}, directory=tmp_path, home=tmp_path)
    logger = logging.Logger("strap")  # noqa: LOG001 - one that nobody else has
    monkeypatch.setattr(logging, "getLogger", lambda name=None: logger)
    configure_logging(load(environ={}, directory=tmp_path, home=tmp_path))
    for handler in (*logger.handlers,):
        logger.removeHandler(handler)
    (tmp_path / "strap.toml").write_text('log_file = true\nlog_format = "json"\n')
    configure_logging(load(environ={}, directory=tmp_path, home=tmp_path))
    logger.warning("said")
    for handler in logger.handlers:
        handler.close()
    line = (tmp_path / "logs" / "strap.log").read_text()
    assert json.loads(line)["message"] == "said"
    assert config.log_format == "json"


def test_a_form_that_is_not_known_is_refused(tmp_path):
    with pytest.raises(StartupError, match="'log_format' is 'xml'; valid: 'text', 'json'"):
        load(environ={"STRAP_LOG_FORMAT": "xml"}, directory=tmp_path, home=tmp_path)
