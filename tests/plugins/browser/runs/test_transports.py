"""The attacks on the agent, begun from the command line, over stdio and over HTTP."""

import json
import subprocess
import sys

import jsonschema
import pytest

from tests.mcp.conversation import Conversation, Listening, call, environment, text_of
from tests.mcp.http_server import answer_of, open_session, post
from tests.site.server import serve
from tests.support.model_server import act, acts, done, say, scripted

from .lab import KEY, SCHEMA
from .test_injection import NEWER, PAGE, PAYLOADS
from .test_page_text import CLOSE, HIDDEN, MARK

STRAP = (sys.executable, "-m", "strap")
ATTACKS = [
    ("find_text", {"text": PAYLOADS[0]}),
    ("find_text", {"text": PAYLOADS[5]}),
    ("search_page", {"pattern": PAYLOADS[1]}),
    ("search_page", {"pattern": "x", "css_scope": PAYLOADS[8]}),
    ("find_elements", {"selector": PAYLOADS[8], "attributes": [PAYLOADS[7]]}),
    ("input", {"index": 1, "text": PAYLOADS[2]}),
    ("select_dropdown", {"index": 2, "text": PAYLOADS[3]}),
    ("extract", {"query": PAYLOADS[9]}),
    ("navigate", {"url": PAYLOADS[11], "new_tab": False}),
]
"""One text of each action that once ran scripts, or that goes into one."""


@pytest.fixture(scope="module")
def trap():
    page = PAGE + HIDDEN.partition("</title>")[2] + f"<p>{CLOSE.replace('<', '&lt;')}</p>"
    with serve({"/": page, "/ran": ""}) as served:
        yield served


def by_call(home, variables, arguments):
    words = [f"{name}={value}" for name, value in arguments.items()]
    done = subprocess.run(
        [*STRAP, "call", "browser", "eval", *words],
        env=environment(home, **variables), capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


def by_stdio(home, variables, arguments):
    with Conversation(home, (*STRAP, "serve"), **variables) as conversation:
        conversation.open()
        return text_of(conversation.ask(call(resource="browser", action="eval", **arguments)))


def by_http(home, variables, arguments):
    with Listening(home, (*STRAP, "serve", "--http", "--port=0"), **variables) as served:
        session = open_session(served)
        asked = call(resource="browser", action="eval", **arguments)
        return text_of(answer_of(post(served, asked, session)))


@pytest.mark.parametrize("way", [by_call, by_stdio, by_http])
def test_no_text_of_the_model_runs_and_what_nobody_knows_is_refused(tmp_path, trap, way):
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "sitecustomize.py").write_text(NEWER)
    unknown = act("run_script", script="1"), act("find_text", text="Form", script="1")
    # Failures in a row would end the run, but not those of steps with several actions.
    tries = [acts({"wait": {"seconds": 0}}, {name: fields}) for name, fields in ATTACKS]
    script = [*unknown, *tries]
    script.insert(len(script) - 1, say("what `extract` asks the model for"))
    trap.requests.clear()
    with scripted((*script, done("held"))) as model:
        variables = {
            "STRAP_HEADLESS": "true",
            "STRAP_NETWORK": "local",
            "STRAP_BROWSER__PORT": "0",
            "STRAP_MODEL": "openai/scripted",
            "STRAP_BROWSER__MODEL_URL": model.url,
            "STRAP_BROWSER__MODEL_KEY": KEY,
            "PYTHONPATH": str(tmp_path / "newer"),
        }
        answer = json.loads(way(tmp_path, variables, {"url": f"{trap}/", "task": "look"}))
        asked = str([body["messages"] for body in model.asked])
    jsonschema.validate(answer, SCHEMA)
    assert (answer["status"], answer["result"]) == ("success", "held")
    assert [each.path for each in trap.requests if each.path.startswith("/ran")] == []
    named = "The agent did without actions that this strap does not know: run_script."
    assert named in answer["warnings"]
    assert "strap does not know the field 'script' of find_text" in asked
    assert "it ran" not in asked
    assert len(model.asked) > len(script)
    assert f"{MARK}white on white" in asked
    assert CLOSE not in asked
