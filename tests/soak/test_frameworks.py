"""Agents of twelve frameworks read a page and fill a form, over stdio and over HTTP.

Each framework is in an environment of its own, which is kept in the repository's cache. The model
is a script. `make clients` says which framework could not be installed, and why.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.site.server import Reply, serve
from tests.soak.frameworks import BEGINNING, END, FRAMEWORKS

pytestmark = pytest.mark.soak
CACHE = Path(__file__).resolve().parents[2] / ".cache" / "frameworks"
STRAP = str(Path(sys.executable).with_name("strap"))
FORM = """<title>Order</title><form action=/done><label>Name <input name=name></label>
<button>Send</button></form>"""
STEPS = {
    "fetch": [{"resource": "http", "action": "fetch", "url": "{site}/article"}],
    "browser": [
        {"resource": "browser", "action": "launch"},
        {"resource": "browser", "action": "navigate", "url": "{site}/form"},
        {"resource": "browser", "action": "fill", "selector": "[name=name]", "value": "Ada"},
        {"resource": "browser", "action": "click", "selector": "text=Send"},
        {"resource": "browser", "action": "text"},
        {"resource": "browser", "action": "close"},
    ],
}
SHOWN = {"fetch": "The lamp was lit at nine", "browser": "/done?name=Ada"}
NEVER = {
    ("ag2", "stdio", "browser"): "AG2 starts a server for each call, with which its pages end",
}


def completion(message, *, streams):
    """Return a model's answer, in one piece or as the chunks of a stream."""
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    body = {"id": "x", "created": 1, "model": "scripted", "usage": usage}
    if not streams:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        body = {**body, "object": "chat.completion", "choices": [choice]}
        return Reply(headers={"Content-Type": "application/json"}, body=json.dumps(body))
    calls = [{"index": n, **each} for n, each in enumerate(message.get("tool_calls", ()))]
    delta = {**message, "tool_calls": calls} if calls else message
    chunks = [
        {**body, "object": "chat.completion.chunk", "choices": [{"index": 0, **each}]}
        for each in ({"delta": delta}, {"delta": {}, "finish_reason": reason})
    ]
    text = "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + "data: [DONE]\n\n"
    return Reply(headers={"Content-Type": "text/event-stream"}, body=text)


class Script:
    """A model that makes these calls of the tool one after another, then repeats what it saw."""

    def __init__(self, steps, site):
        self.steps = [{k: v.format(site=site) for k, v in step.items()} for step in steps]
        self.asked = []

    def __call__(self, request):
        body = json.loads(request.body)
        self.asked.append(body)
        seen = [text_of(each) for each in body["messages"] if is_result(each)]
        names = [each["function"]["name"] for each in body.get("tools", ())]
        if len(seen) < len(self.steps):
            return self._call(body, next(n for n in names if "web" in n), self.steps[len(seen)])
        answer = "\n".join(seen)
        if "final_answer" in names:
            return self._call(body, "final_answer", {"answer": answer})
        message = {"role": "assistant", "content": f"Final Answer: {answer}"}
        return completion(message, streams=body.get("stream"))

    def _call(self, body, name, arguments):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{len(self.asked)}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return completion(message, streams=body.get("stream"))


def is_result(message):
    """Whether a message tells what a call answered; smolagents writes it as a user's."""
    return message["role"] == "tool" or text_of(message).startswith("Observation:")


def text_of(message):
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


@pytest.fixture
def site():
    article = "<title>Lamp</title><p>The lamp was lit at nine, said the keeper of the house."
    routes = {
        "/article": Reply(body=article),
        "/form": Reply(body=FORM),
        "/done": Reply(body="<title>Done</title>Thanks"),
    }
    with serve(routes) as site:
        yield site


@pytest.fixture(params=FRAMEWORKS)
def framework(request):
    """A framework's name and the Python that has it, or why there is none."""
    name = request.param
    return name, install_once(name, FRAMEWORKS[name][0].split())


def install_once(name, requirements):
    """Return the Python that has these packages; skips the test if they cannot be installed."""
    digest = hashlib.sha256(" ".join(requirements).encode()).hexdigest()[:8]
    folder = CACHE / f"{name}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            install(folder, requirements)
            (folder / "complete").touch()
    return folder / "env" / "bin" / "python"


def install(folder, requirements):
    """Install a framework; skips its tests where that fails."""
    venv.create(folder / "env", with_pip=True, clear=True)
    python = str(folder / "env" / "bin" / "python")
    words = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if uv := shutil.which("uv"):
        words = [uv, "pip", "install", "-q", "--python", python]
    done = subprocess.run([*words, *requirements], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        why = (done.stderr.strip() or "no reason was given").splitlines()[-1]
        pytest.skip(f"MISSING: {' '.join(requirements)} cannot be installed: {why}")


@pytest.fixture
def environ(tmp_path):
    """Return variables for strap: it may reach the site, and keeps its files here."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {
        **kept,
        "HOME": str(tmp_path),
        "STRAP_HOME": str(tmp_path / "d"),
        "STRAP_NETWORK": "all",
    }


@pytest.fixture(params=["stdio", "http"])
def url(request, environ):
    """Return the address at which strap serves, "" where the client starts it."""
    if request.param == "stdio":
        yield ""
        return
    words = [STRAP, "serve", "--http", "--port", "0"]
    with subprocess.Popen(words, env=environ, stderr=subprocess.PIPE, text=True) as server:
        found = (re.search("http:[^ ]*/mcp", line) for line in server.stderr)
        yield next(filter(None, found))[0]
        server.terminate()
        server.communicate(timeout=30)


@pytest.mark.parametrize("task", STEPS)
def test_an_agent_does_its_task(framework, url, task, site, environ, tmp_path):
    name, python = framework
    if why := NEVER.get((name, "http" if url else "stdio", task)):
        pytest.skip(why)
    script = Script(STEPS[task], site)
    with serve({"/v1/chat/completions": script}) as model:
        known = {"MODEL": f"{model}/v1", "URL": url, "TASK": "Do it.", "ENV": json.dumps(environ)}
        quiet = {"OTEL_SDK_DISABLED": "true", "CREWAI_DISABLE_TELEMETRY": "true", "NO_COLOR": "1"}
        home = {"PATH": environ["PATH"], "HOME": str(tmp_path), "OPENAI_API_KEY": "none"}
        done = subprocess.run(
            [python, "-c", BEGINNING + FRAMEWORKS[name][1] + END],
            cwd=tmp_path,
            env={**home, **known, **quiet, "STRAP": json.dumps([STRAP, "serve"])},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
    told = [text_of(each) for each in script.asked[-1]["messages"]] if script.asked else []
    assert done.returncode == 0, done.stderr[-3_000:]
    assert SHOWN[task] in done.stdout, "\n".join([*told, done.stdout[-2_000:]])
    if task == "browser":
        assert "Closed 1 page" in done.stdout, done.stdout[-2_000:]
