"""SIGKILL at random moments of detached runs and crawls: nothing lost silently, nothing twice."""

import json
import os
import random
import re
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.mcp.conversation import Conversation, call, text_of
from tests.plugins.http.test_crawl import page
from tests.site.server import Reply, serve
from tests.support.browser import ANY_BROWSER
from tests.support.model_server import act, done, scripted
from tests.support.waiting import wait_until

from .lab import KEY, processes

STRAP = (sys.executable, "-m", "strap", "serve")
PAGES, STEPS = 12, 4
"""Pages of the crawl; things that the run buys, one a step."""
SEEDS = {
    "crawl": range(20),
    "run": range(20, 30),
    "worker": range(30, 40),
    "browser": range(40, 50),
}
"""Seeds by what they kill: the server during a crawl or a run, or a process of the run."""
SAMPLE = {3, 22, 31, 44}
BOUGHT = """<!doctype html><title>Thing N</title><h1>Thing N</h1><p>You have bought thing N.</p>
<button>More</button><script>fetch('/buy/N', {method: 'POST'})</script>"""
"""The page that buys; browser-use loads one without text a second time."""
CASES = [
    pytest.param(kind, seed, marks=() if seed in SAMPLE else pytest.mark.soak)
    for kind, seeds in SEEDS.items()
    for seed in seeds
]
LONG = {"crawl": PAGES + 1, "run": 3 * STEPS, "worker": 3 * STEPS, "browser": 3 * STEPS}
"""Requests to the site and the model until the end: a moment lies behind one of them."""
LATER = 0.4
"""Seconds behind that request, at most: as long as one takes."""


@pytest.fixture(scope="module")
def site():
    shops = {f"/shop/{n}": BOUGHT.replace("N", str(n)) for n in range(STEPS)}
    pages = {f"/docs/{n}": page(n, f"/docs/{n + 1}") for n in range(1, PAGES)}
    pages |= {"/docs/": page(0, "/docs/1"), f"/docs/{PAGES}": page(PAGES)}
    buys = {f"/buy/{n}": "bought" for n in range(STEPS)}
    with serve({"/robots.txt": Reply(status=404), "/": "Shop", **shops, **buys, **pages}) as served:
        yield served


@pytest.fixture(scope="module")
def model(site):
    steps = [act("navigate", url=f"{site}/shop/{n}", new_tab=False) for n in range(STEPS)]
    with scripted([*steps, done("bought all")]) as model:
        yield model


class Client:
    """A client of a server at `home`, which is that of the one before it."""

    def __init__(self, home, model, interval="0.2"):
        browser = {k: v for k, v in ANY_BROWSER.items() if v is not None}
        browser |= {"model": "openai/scripted", "model_url": model.url, "model_key": KEY}
        rows = "".join(f"{name} = {json.dumps(value)}\n" for name, value in browser.items())
        (home / "strap.toml").write_text(f"[plugins.browser]\n{rows}")
        env = {"STRAP_NETWORK": "local", "STRAP_HTTP__CRAWL_INTERVAL": interval}
        self.server = Conversation(home, STRAP, **env)
        self.server.wait = 120  # the order of things counts here, not how fast they are

    def __enter__(self):
        self.server.open()
        return self

    def __exit__(self, *_):
        with suppress(OSError):
            self.server.end()
        self.server.__exit__()

    def __call__(self, resource, action, **fields):
        return json.loads(text_of(self.send(resource, action, **fields)))

    def send(self, resource, action, **fields):
        return self.server.ask(call(resource=resource, action=action, **fields))

    def ended(self, session_id):
        """The object of a run, once it is over."""
        until = time.monotonic() + 150
        while time.monotonic() < until:
            told = self("browser", "get_run", session_id=session_id, timeout=20)
            if "status" in told:
                return told
        raise AssertionError(told)


def begin(client, kind, site):
    if kind == "crawl":
        given = {"url": f"{site}/docs/", "output": "book", "limit": PAGES + 1}
        return client("http", "crawl", **given, detach=True)["session_id"]
    given = {"url": str(site), "task": "buy all of them", "budget_s": 300}
    return client("browser", "eval", **given, detach=True)["session_id"]


def victims(home, kind):
    """The processes of a run, but no server: its browser, or its worker and what that is from."""
    found, parents = [], {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (folder / "cmdline").read_bytes()
            parents[folder.name] = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            is_worker = b"strap_agent.worker" in command
            is_browser = b"--remote-debugging" in command and b"--type=" not in command
            if is_worker if kind == "worker" else is_browser:
                found.append(folder.name)
    own = processes(home)
    found = sorted(pid for pid in found if own & {pid, parents[pid]})
    workers = [pid for pid in found if parents[pid] in found]
    return [int(pid) for pid in workers or found]


def read(site, start):
    return [each.path for each in site.requests if each.path.startswith(start)]


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_a_kill_loses_nothing_silently_and_does_nothing_twice(tmp_path, site, model, kind, seed):
    chance = random.Random(seed)
    site.requests.clear()
    model.forget()
    with Client(tmp_path, model) as client:
        session_id = begin(client, kind, site)
        requests = chance.randrange(LONG[kind])
        wait_until(lambda: len(site.requests) + len(model.asked) >= requests, within=150)
        time.sleep(chance.uniform(0, LATER))
        if kind in ("crawl", "run"):
            client.server.process.kill()
        else:
            # At the beginning there may be none: the first one is killed as it begins.
            wait_until(lambda: victims(tmp_path, kind), within=100)
            with suppress(ProcessLookupError):
                os.kill(chance.choice(victims(tmp_path, kind)), signal.SIGKILL)
            answer = client.ended(session_id)
    if kind in ("crawl", "run"):
        wait_until(lambda: not processes(tmp_path), within=60)
    print(f"\nkill {seed}: {kind} after {requests} requests", end=" ")  # noqa: T201
    with Client(tmp_path, model, interval="0") as client:
        listed = client("browser", "list_runs")["runs"]
        assert [each["session_id"] for each in listed] == [session_id]
        stored = client("browser", "get_run", session_id=session_id, timeout=5)
        if kind in ("crawl", "run"):
            answer = stored
            assert answer["stop_reason"] in ("lost", "done")
        assert stored == answer
        print(answer["status"], answer["stop_reason"])  # noqa: T201
        if kind == "crawl":
            goes_on(client, site, session_id, answer, tmp_path)
        else:
            bought = read(site, "/buy/")
            assert len(bought) == len({*bought})
            assert bought == [f"/buy/{n}" for n in range(STEPS)] or answer["status"] == "failed"
            # Whoever has begun the next one has told of the one before.
            asked = client("browser", "get_run_events", session_id=session_id)
            steps = {event["step"] for event in asked["events"] if event["type"] == "agent"}
            assert {*range(1, len(bought))} <= steps
    wait_until(lambda: not processes(tmp_path), within=60)


def goes_on(client, site, session_id, answer, home):
    """A crawl that was lost is resumed and ends with each page, once."""
    if answer["status"] != "success":
        for _ in range(2):  # and by who asks a second time
            again = client.send("browser", "get_run", session_id=session_id, value="resume")
        told = text_of(again)
        answer = client.ended(re.search(r'"session_id": "([^"]+)"', told)[1])
    listed = client("browser", "list_runs")["runs"]
    ended = [client.ended(each["session_id"]) for each in listed]
    assert "success" in {each["status"] for each in ended}, ended
    requests = read(site, "/docs/")
    assert {*requests} == {f"/docs/{n}" for n in range(1, PAGES + 1)} | {"/docs/"}
    # Pages that were on their way are asked for again; none that was kept is.
    assert len(requests) <= PAGES + 1 + 3
    [index] = home.rglob("book/index.md")
    entries = re.findall(r"\]\(([^)]+\.md)\)", index.read_text())
    assert len(entries) == len({*entries}) == PAGES + 1
