"""Two principals over HTTP, in 200 tries of one at the runs and tasks of the other."""

import json
import random
import uuid

import pytest

from tests.mcp.conversation import PREFIX, modern, text_of
from tests.mcp.http_server import Served, answer_of, post_modern
from tests.site.server import Reply, serve

TASKS = PREFIX + "tasks"
TRIES = 200
TOKENS = {name: f"a-token-of-{name}" for name in ("ci", "team")}
SETTINGS = 'network = "local"\n' + "".join(
    f'[serve.tokens.{name}]\nvalue = "{token}"\nlimits = {{ calls_per_minute = 0 }}\n'
    for name, token in TOKENS.items()
)
OF_RUNS = ("get_run", "cancel_run", "get_run_events", "get_screenshots", "resume")
OF_TASKS = ("get", "cancel", "update", "result")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "strap.toml").write_text(SETTINGS)
    with Served(home) as served:
        yield served


@pytest.fixture(scope="module")
def site():
    links = "".join(f"<a href=/docs/{n}>{n}</a>" for n in range(20))
    pages = {f"/docs/{n}": f"<title>{n}</title><p>Page {n}</p>" for n in range(20)}
    with serve({"/robots.txt": Reply(status=404), "/docs/": links, **pages}) as served:
        yield served


class Principal:
    def __init__(self, served, name):
        self._served, self._name = served, name
        self._headers = {"authorization": f"Bearer {TOKENS[name]}"}

    def __call__(self, method, **params):
        message = modern(method, **params)
        capabilities = {"extensions": {TASKS: {}}}
        message["params"]["_meta"][PREFIX + "clientCapabilities"] = capabilities
        name = params.get("taskId", "web")
        headers = self._headers | {"mcp-name": name.encode("latin-1", "replace")}
        if method != "tools/call":
            return answer_of(post_modern(self._served, message, **headers))
        return answer_of(post_modern(self._served, message, **self._headers))

    def web(self, action, resource="browser", **fields):
        given = {"resource": resource, "action": action, **fields}
        return self("tools/call", name="web", arguments=given)

    def run(self, site):
        given = {"url": f"{site}/docs/", "output": f"book-{uuid.uuid4().hex}", "detach": True}
        return json.loads(text_of(self.web("crawl", "http", **given)))["session_id"]

    def task(self):
        asked = {"resource": "probe", "action": "sleep", "number": 50}
        return self("tools/call", name="web", arguments=asked)["result"]["taskId"]

    def tries(self, kind, identity):
        """Return the answer to a call about a run or a task with this id."""
        if kind in OF_TASKS:
            more = {"inputResponses": {}} if kind == "update" else {}
            return self(f"tasks/{kind}", taskId=identity, **more)
        fields = {"value": "resume"} if kind == "resume" else {}
        action = "get_run" if kind == "resume" else kind
        return self.web(action, session_id=identity, **fields)


def like(chance, identity):
    """Ids that stand for nothing: of the same form, changed in one place, or of no form at all."""
    at = chance.randrange(len(identity))
    other = identity[:at] + chance.choice("0123456789abcdef") + identity[at + 1 :]
    made = [str(uuid.UUID(int=chance.getrandbits(128))), identity[:at], identity.upper()]
    return [each for each in (other, *made, "x", "../..", "' OR 1=1") if each != identity]


def test_nobody_learns_of_runs_and_tasks_of_another(served, site):
    own, other = Principal(served, "ci"), Principal(served, "team")
    chance = random.Random(58)
    runs, tasks = [own.run(site) for _ in range(3)], [own.task() for _ in range(2)]
    said = {}
    for number in range(TRIES):
        kind = chance.choice((*OF_RUNS, *OF_TASKS))
        identity = chance.choice(tasks if kind in OF_TASKS else runs)
        if number % 2:
            identity = chance.choice(like(chance, identity))
        answer = other.tries(kind, identity)
        answer.get("result", {}).get("_meta", {}).pop(PREFIX + "serverInfo", None)
        text = json.dumps(answer).replace(json.dumps(repr(identity))[1:-1], "ID")
        said.setdefault(kind, set()).add(text)
        if number % 20 == 0:
            assert json.loads(text_of(other.web("list_runs")))["runs"] == []
    assert {kind: len(texts) for kind, texts in said.items()} == dict.fromkeys(said, 1)
    assert set(said) == {*OF_RUNS, *OF_TASKS}
    # None of that has touched anything: all of them go on, or have ended well.
    for each in tasks:
        assert own("tasks/get", taskId=each)["result"]["status"] == "working"
    listed = json.loads(text_of(own.web("list_runs")))["runs"]
    assert {each["session_id"] for each in listed} == {*runs}
    assert {each["state"] for each in listed} <= {"running", "queued", "done"}
