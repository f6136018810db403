"""A crawl that goes on after its call was answered, and after its server was killed."""

import json
import sys
import time

import pytest

from tests.mcp.conversation import Conversation, call, text_of
from tests.plugins.http.test_crawl import page
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio
MANY = 12
STRAP = (sys.executable, "-m", "strap", "serve")
"""The real server: what it left is read by the next one."""
DYING = """import os, sys
sys.path[0], sys.argv = os.getcwd(), ["strap", "serve"]
from strap.__main__ import main
from strap.api.outputs import Outputs
writes = int(os.environ["TEST_WRITES"])
def write(self, path, content, write=Outputs.write):
    global writes
    writes -= 1
    if writes < 0:
        os._exit(9)
    write(self, path, content)
Outputs.write = write
main()"""
"""The same, which is gone at one of the files that it writes."""
OPEN = {"STRAP_NETWORK": "local", "STRAP_BROWSER__PORT": "0"}


@pytest.fixture(scope="module")
def site():
    pages = {f"/docs/{n}": page(n, f"/docs/{n + 1}") for n in range(1, MANY)}
    routes = {"/robots.txt": Reply(status=404), "/docs/": page(0, "/docs/1"), **pages}
    with serve({**routes, f"/docs/{MANY}": page(MANY)}) as served:
        yield served


async def test_it_is_answered_at_once_and_told_of_until_it_is_over(named_web, site):
    web = await named_web("a", crawl_interval=0.05)
    ask = {"resource": "http", "action": "crawl", "url": f"{site}/docs/", "output": "book"}
    session_id = (await web(**ask, detach=True)).data["session_id"]
    look = {"resource": "browser", "action": "get_run", "session_id": session_id}
    answer = (await web(**look, timeout=40)).data
    assert (answer["status"], answer["stop_reason"]) == ("success", "done")
    assert answer["task"] == f"http.crawl {site}/docs/"
    assert answer["result"].startswith(f"{MANY + 1} pages of {site}/docs/")
    assert answer["next_actions"] == []
    events = await web(**look | {"action": "list_runs", "session_id": None})
    [run] = events.data["runs"]
    assert (run["state"], run["steps"]) == ("done", MANY + 1)


async def test_it_needs_a_folder_and_says_what_went_wrong(named_web, site):
    web = await named_web("a", crawl_interval=0)
    ask = {"resource": "http", "action": "crawl", "url": f"{site}/none/", "detach": True}
    assert "detach needs output" in str(await web.fails(**ask))
    session_id = (await web(**ask, output="none")).data["session_id"]
    look = {"resource": "browser", "action": "get_run", "session_id": session_id}
    answer = (await web(**look, timeout=40)).data
    assert (answer["status"], answer["stop_reason"]) == ("failed", "not_finished")
    assert "404" in answer["summary"]
    slow = await web(**ask | {"url": f"{site}/docs/"}, output="slow", timeout=0.01)
    look["session_id"] = slow.data["session_id"]
    answer = (await web(**look, timeout=40)).data
    assert answer["stop_reason"] == "budget", answer


async def test_a_cancelled_one_keeps_its_pages(named_web, site):
    web = await named_web("a", crawl_interval=0.3)
    ask = {"resource": "http", "action": "crawl", "url": f"{site}/docs/", "output": "part"}
    session_id = (await web(**ask, detach=True)).data["session_id"]
    look = {"resource": "browser", "action": "get_run", "session_id": session_id}
    told = {"step": 0}
    while told["step"] < 2:
        told = (await web(**look, timeout=1.2)).data
    assert (told["state"], told["of"]) == ("running", 25)
    assert told["last"].startswith(f"{site}/docs/")
    await web(**look | {"action": "cancel_run"})
    answer = (await web(**look, timeout=40)).data
    assert answer["stop_reason"] == "cancelled"
    assert answer["next_actions"][0].startswith('web(resource: "http", action: "crawl", url: ')
    look["session_id"] = (await web(**look, value="resume")).data["session_id"]
    ended = (await web(**look, timeout=40)).data
    assert ended["result"].startswith(f"{MANY + 1} pages of")
    error = await web.fails(**look, value="resume")
    assert error.code == "not_resumable"


def asked(server, **arguments):
    return text_of(server.ask(call(**arguments)))


@pytest.mark.soak
@pytest.mark.parametrize("pages", [1, 2, 4, 7])
def test_a_killed_server_leaves_a_lost_run_that_goes_on(tmp_path, site, pages):
    site.requests.clear()
    ask = {"resource": "http", "action": "crawl", "url": f"{site}/docs/", "output": "book"}
    with Conversation(tmp_path, STRAP, **OPEN, STRAP_HTTP__CRAWL_INTERVAL="0.2") as server:
        server.open()
        begun = json.loads(asked(server, **ask, limit=MANY, detach=True))
        until = time.monotonic() + 30
        while len(site.requests) < pages + 1 and time.monotonic() < until:
            time.sleep(0.01)
        server.process.kill()
    with Conversation(tmp_path, STRAP, **OPEN, STRAP_HTTP__CRAWL_INTERVAL="0") as server:
        server.open()
        look = {"resource": "browser", "action": "get_run", "session_id": begun["session_id"]}
        lost = json.loads(asked(server, **look))
        assert (lost["status"], lost["stop_reason"]) == ("failed", "lost")
        again = json.loads(asked(server, **look, value="resume"))
        look["session_id"] = again["session_id"]
        answer = json.loads(asked(server, **look))
        assert answer["status"] == "success", answer["summary"]
        assert answer["result"].startswith(f"{MANY} pages of")
    read = [each.path for each in site.requests if each.path.startswith("/docs/")]
    # A page that was on its way is asked for again; none that was kept is.
    assert len(read) <= MANY + 3
    assert {f"/docs/{n}" for n in range(1, MANY)} <= {*read}


@pytest.mark.parametrize("writes", range(6))
def test_a_server_that_is_gone_between_two_files_leaves_one_that_goes_on(tmp_path, site, writes):
    ask = {"resource": "http", "action": "crawl", "url": f"{site}/docs/", "output": "book"}
    dying = {**OPEN, "STRAP_HTTP__CRAWL_INTERVAL": "0", "TEST_WRITES": str(writes)}
    with Conversation(tmp_path, (sys.executable, "-c", DYING), **dying) as server:
        server.open()
        begun = json.loads(asked(server, **ask, limit=MANY, detach=True))
        assert server.process.wait(30) == 9
    with Conversation(tmp_path, STRAP, **OPEN, STRAP_HTTP__CRAWL_INTERVAL="0") as server:
        server.open()
        look = {"resource": "browser", "action": "get_run", "session_id": begun["session_id"]}
        again = json.loads(asked(server, **look, value="resume"))
        answer = json.loads(asked(server, **look | {"session_id": again["session_id"]}))
        assert answer["status"] == "success", answer["summary"]
        assert answer["result"].startswith(f"{MANY} pages of")
