"""However a client or its server goes away in the middle of a run: nothing of the run is left."""

import asyncio
import json
import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import jsonschema
import pytest

from strap_agent.recovery import open_store
from strap_agent.workers.workspace import sweep
from tests.mcp.conversation import Conversation, Listening, call, notification, text_of
from tests.mcp.http_server import answer_of, open_session, post
from tests.plugins.browser.live.watcher import Person, watching
from tests.site.server import Raw
from tests.support.model_server import scripted
from tests.support.waiting import wait_until

from .lab import SCHEMA, processes
from .test_watched import open_run

SERVER = (sys.executable, "-m", "strap", "serve")
WAIT = 60
CANARY = "canary-4711"
REST = ("SIGINT", "SIGKILL")


@pytest.fixture
def model():
    """A model that does not answer until the test is over."""

    def hang(body):
        served.released.wait(WAIT)
        return Raw()

    with scripted((hang,)) as served:
        yield served


def variables_of(model):
    return {
        "STRAP_BROWSER__PORT": "0",
        "STRAP_HEADLESS": "true",
        "STRAP_NETWORK": "local",
        "STRAP_MODEL": "openai/scripted",
        "STRAP_BROWSER__MODEL_URL": model.url,
        "STRAP_BROWSER__MODEL_KEY": "k",
    }


@pytest.fixture
def serving(tmp_path, model, site):
    """A server in the middle of a run."""
    with Conversation(tmp_path, SERVER, **variables_of(model)) as conversation:
        conversation.open()
        begin(conversation, 7, model, site, tmp_path)
        yield conversation


def begin(conversation, number, model, site, home):
    """Send a call that begins a run, and wait until its model was asked."""
    asked = len(model.asked)
    task = {"resource": "browser", "action": "eval", "url": str(site), "task": "look"}
    conversation.send(call(number, **task))
    wait_until(lambda: len(model.asked) > asked)
    assert len(processes(home)) >= 4  # the server, the browser, the fork server, the worker


@pytest.mark.parametrize(
    "way",
    # Interrupts and terminations go one way: tests/unit/test_signals.py.
    ["SIGTERM", "end of input", *(pytest.param(w, marks=pytest.mark.soak) for w in REST)],
)
def test_a_server_that_ends_answers_a_run_and_leaves_nothing(serving, tmp_path, site, way):
    if way == "end of input":
        serving.process.stdin.close()
    else:
        serving.process.send_signal(getattr(signal, way))
    if way != "SIGKILL":
        told = serving.receive()
        assert told["id"] == 7
        answer = checked(text_of(told))
        assert answer["page"] == {"url": f"{site}/", "title": "Shop"}
        assert answer["artifacts"]["screenshots"] >= 1
    assert serving.receive() is None
    serving.process.wait(WAIT)
    wait_until(lambda: not processes(tmp_path))
    assert left(serving, tmp_path) == []
    assert endings(tmp_path) == [("failed", "cancelled")]


@pytest.mark.parametrize("way", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.soak)])
def test_a_server_over_http_that_ends_answers_a_run(tmp_path, model, site, way):
    command = (*SERVER, "--http", "--port=0", "--drain=1")
    with (
        Listening(tmp_path, command, **variables_of(model)) as served,
        ThreadPoolExecutor() as pool,
    ):
        session, task = open_session(served), {"url": str(site), "task": "look"}
        run = call(7, resource="browser", action="eval", **task)
        answer = pool.submit(post, served, run, session)
        wait_until(lambda: model.asked)
        waiting = call(8, resource="browser", action="launch")
        launched = pool.submit(post, served, waiting, session)
        served.end(getattr(signal, way))
        told = checked(text_of(answer_of(answer.result())))
        assert told["page"]["url"] == f"{site}/"
        assert "result" in answer_of(launched.result())
    wait_until(lambda: not processes(tmp_path))
    assert endings(tmp_path) == [("failed", "cancelled")]


def left(serving, home):
    """The folders of runs that are left; of a server that had no time, after the next start."""
    work = home / "data" / "work"
    if serving.process.returncode:
        sweep(work)  # as the next start does
    return list(work.iterdir())


def checked(text):
    """The one object of a run that was cancelled."""
    answer = json.loads(text)
    jsonschema.validate(answer, SCHEMA)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "cancelled")
    return answer


def test_what_a_killed_browser_left_goes_with_its_folder(tmp_path):
    work, socket = tmp_path / "work", tmp_path / "temporary" / "SingletonSocket"
    for folder in (work / "run", socket.parent):
        folder.mkdir(parents=True)
    socket.touch()
    (work / "run" / "SingletonSocket").symlink_to(socket)
    sweep(work)
    assert not socket.parent.exists()
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("way", ["SIGKILL", pytest.param("SIGTERM", marks=pytest.mark.soak)])
def test_a_server_that_ends_while_a_person_has_control_leaves_nothing(serving, tmp_path, way):
    serving.send(call(8, resource="browser", action="live"))
    link = re.search(r"http://\S+", text_of(serving.receive()))[0]

    async def hold():
        async with watching(link) as viewer:
            person = Person(viewer, (await open_run(viewer))["id"])
            await viewer.picture()
            await person.order("take", "held")
            await person.do("text", text=CANARY)
            await asyncio.to_thread(serving.end, getattr(signal, way))
            await asyncio.wait_for(viewer.socket.wait_closed(), 20)

    asyncio.run(hold())
    wait_until(lambda: not processes(tmp_path))
    if way == "SIGKILL":
        sweep(tmp_path / "data" / "work")  # as the next start does
    assert endings(tmp_path) == [("failed", "lost" if way == "SIGKILL" else "cancelled")]
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if CANARY.encode() in path.read_bytes()]
    assert CANARY not in serving.log()


def test_a_client_that_cancels_its_call_or_ends_its_input_ends_the_run(
    serving, model, site, tmp_path
):
    serving.send(notification("notifications/cancelled", {"requestId": 7}))
    wait_until(lambda: endings(tmp_path) == [("failed", "cancelled")])
    wait_until(lambda: len(processes(tmp_path)) == 2)  # the server and the fork server
    begin(serving, 8, model, site, tmp_path)
    serving.finish()
    wait_until(lambda: not processes(tmp_path))
    assert left(serving, tmp_path) == []
    assert endings(tmp_path) == [("failed", "cancelled")] * 2


def endings(home):
    with closing(open_store(home / "data" / "runs")) as store:
        return [(record.status, record.stop_reason) for record in store.runs()]
