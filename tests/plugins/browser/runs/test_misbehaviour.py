"""Pages that open dialogs without end, and processes of pages that die: told, and never in vain."""

import os
import signal
from pathlib import Path

import pytest

from tests.site.server import serve
from tests.support.model_server import act, done
from tests.support.processes import of_browsers
from tests.support.waiting import eventually

from .lab import begin, click, running

pytestmark = pytest.mark.anyio
WAIT = act("wait", seconds=0)
HELLO = "<!doctype html><title>Hello</title><h1>Hello</h1>"
GREEDY = (
    f"{HELLO}<script>for (const all = [];;) all.push(new Array(1e7).fill(Math.random()))</script>"
)
STORMS = {
    "interval": "setInterval(() => alert(1), 5)",
    "loop": "for (;;) alert(1)",
    "question": "while (confirm('again?'));",
    "refusing": "const open = alert; for (;;) { try { open(1) } catch {} }",
    "frame": "</script><iframe srcdoc='<script>setInterval(() => alert(1), 1)</script>'></iframe>",
    "different": "let n = 0; setInterval(() => alert(n++), 1)",
}
SIMILAR = ("loop", "question", "refusing", "different")


@pytest.fixture(scope="module")
def stormy():
    pages = {f"/{name}": f"{HELLO}<script>{script}</script>" for name, script in STORMS.items()}
    talking = f"""{HELLO}<button onclick="alert('key sk-abcdefghijklmnop');
    this.textContent = [confirm('Sure?'), prompt('Name?')].join('|')">Talk</button>"""
    with serve({**pages, "/talking": talking, "/": HELLO, "/greedy": GREEDY}) as site:
        yield site


async def dialogs(lab, answer):
    events = await lab.events(answer, event_types=["console"], include_details=True)
    return [event for event in events[::-1] if event["summary"].startswith("dialog: ")]


@pytest.mark.parametrize(
    "name",
    [
        *("interval", "frame"),
        *(pytest.param(name, marks=pytest.mark.soak) for name in SIMILAR),
    ],
)
async def test_a_storm_of_dialogs_is_one_event_and_the_page_is_seen(lab, stormy, name):
    answer = await lab.run(WAIT, done("ok"), url=f"{stormy}/{name}", step_timeout_s=30)
    assert answer["artifacts"]["screenshots"] >= 1
    told = await dialogs(lab, answer)
    assert 1 <= len(told) <= 6
    assert told[-1]["has_error"]
    assert sum(event["details"]["count"] for event in told) >= 20
    assert told[-1]["summary"].endswith("then silenced")
    assert any(error["summary"] == told[-1]["summary"] for error in answer["errors_top"])


async def test_dialogs_are_events(lab, stormy):
    answer = await lab.run(click("Talk"), done("ok"), url=f"{stormy}/talking")
    told = await dialogs(lab, answer)
    assert {event["step"] for event in told} == {1}  # though the last is told of later
    assert [event["summary"] for event in told] == [
        "dialog: alert 'key ***' accepted",
        "dialog: confirm 'Sure?' accepted",
        "dialog: prompt 'Name?' dismissed",
    ]
    assert not any("has_error" in event for event in told)
    assert "true|" in str(lab.model.asked[-1]["messages"])


async def process_of(lab, target: str) -> int:
    """The process of a page or frame, found by letting its script work."""
    watch = running(lab).monitor
    session = watch._initiators._sessions[target]
    spin = "for (const end = Date.now() + 700; Date.now() < end;);"
    before = {pid: ticks(pid) for pid in of_browsers("renderer", lab.home)}
    await watch._cdp.send("Runtime.evaluate", session, expression=spin)
    return max(before, key=lambda pid: ticks(pid) - before[pid])


def ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


async def test_a_page_whose_process_dies_ends_the_run(lab, stormy, hang):
    call = await begin(lab, WAIT, hang, url=f"{stormy}/")
    await eventually(lambda: running(lab).recorder.steps >= 1)
    page = running(lab).recorder.page_id
    os.kill(await process_of(lab, page), signal.SIGKILL)
    answer = await lab.checked(await call)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")
    assert "The page's process crashed." in answer["summary"]
    [event] = await crashes(lab, answer)
    assert event["summary"] == f"crash: the process of the page {stormy}/ died (killed, 9)"


@pytest.mark.soak
async def test_a_page_that_dies_before_it_was_seen_has_a_picture(lab, stormy, monkeypatch):
    monkeypatch.setattr("strap_agent.run.LOOK_LIMIT", 7)  # machines are busy
    monkeypatch.setattr("strap_agent.monitor.watcher.REVIVAL", 10)
    answer = await lab.run(WAIT, done("ok"), url=f"{stormy}/greedy")
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")
    assert answer["page"]["title"] == "Hello"


async def crashes(lab, answer):
    events = await lab.events(answer, event_types=["console"])
    return [event for event in events if event["summary"].startswith("crash: ")]


async def test_a_frame_or_another_page_whose_process_dies_is_an_event(lab):
    with serve({"/": HELLO}) as other:
        frame = str(other).replace("127.0.0.1", "localhost")
        page = f"{HELLO}<iframe src='{frame}/'></iframe><a href='{frame}/' target=_blank>Open</a>"
        with serve({"/": page, "/second": HELLO}) as site:

            def pause(_):
                lab.model.released.wait(60)
                return done("ok")

            lab.model.released.clear()
            call = await begin(
                lab, act("navigate", url=f"{site}/second", new_tab=True), pause, url=f"{site}/"
            )
            await eventually(lambda: running(lab).recorder.steps >= 1)
            watch = running(lab).monitor
            [inner] = [t for t, i in watch._targets.items() if i["type"] == "iframe"]
            os.kill(await process_of(lab, inner), signal.SIGKILL)
            await eventually(lambda: inner in watch._crashed)
            [first] = [t for t in watch.pages if t != running(lab).recorder.page_id]
            os.kill(await process_of(lab, first), signal.SIGKILL)
            await eventually(lambda: first in watch._crashed)
            lab.model.released.set()
            answer = await lab.checked(await call)
    assert (answer["status"], answer["result"]) == ("success", "ok")
    told = [event["summary"] for event in await crashes(lab, answer)]
    assert [line.rpartition(" died")[0] for line in told[::-1]] == [
        f"crash: the process of the frame {frame}/",
        f"crash: the process of the page {site}/",
    ]
