"""Looking back at finished runs, over the socket."""

import asyncio
import json
from contextlib import suppress
from itertools import count

import pytest
from websockets.exceptions import ConnectionClosed

from strap_live.history.past_runs import PAGE
from strap_live.viewer import TOO_SLOW, Viewer
from tests.plugins.browser.runs.conftest import PNG
from tests.support.waiting import becomes

from .watcher import address, knocking, watching

pytestmark = pytest.mark.anyio


async def test_a_finished_run_is_looked_back_at(keep, link):
    first, second = keep(events=250), keep(task="Buy a birch")
    foreign = keep(owner="local/somebody", task="Theirs")
    async with watching(await link()) as viewer:
        await viewer.send(type="runs", limit=1)
        [newest] = (await viewer.next("runs"))["runs"]
        assert (newest["id"], newest["task"]) == (second, "Buy a birch")
        await viewer.send(type="runs", limit=50, before=newest["started"])
        older = await viewer.next("runs", lambda told: told["before"])
        assert [run["id"] for run in older["runs"]] == [first]
        await viewer.send(type="run", id=first)
        run = await viewer.next("run")
        assert (run["status"], run["answer"]["result"]) == ("success", "Bought")
        assert run["answer"]["summary"] == ""
        [step, sample, last] = run["shots"]
        assert (step["sample"], sample["sample"], last["marks"]) == (False, True, [])
        [mark] = step["marks"]
        assert mark["box"] == [0.25, 0.5, 0.2, 0.1]
        assert mark["text"].startswith('click button "Buy <img')
        assert "\u202e" not in mark["text"]
        await viewer.send(type="shot", id=first, file=step["file"], n=7)
        (kind, _, _, number, *_), data = await viewer.picture()
        assert (kind, number, data) == (2, 7, PNG)
        for wrong in ("run", "events"):
            await viewer.send(type=wrong, id=foreign)
            await viewer.next("refused", lambda told, of=wrong: told["of"] == of)
        await viewer.send(type="shot", id=foreign, file=step["file"], n=8)
        assert (await viewer.next("refused", lambda told: told["of"] == "shot"))["n"] == 8


async def test_events_come_in_pages_by_kind_text_and_error(keep, link):
    run = keep(events=250)
    async with watching(await link()) as viewer:

        async def ask(**fields):
            before = sum(told["type"] == "events" for told in viewer.said)
            await viewer.send(type="events", id=run, **fields)
            await becomes(lambda: sum(t["type"] == "events" for t in viewer.said), before + 1)
            return viewer.last("events")

        page = await ask()
        assert (len(page["events"]), page["more"]) == (PAGE, True)
        times = [event["at"] for event in page["events"]]
        assert times == sorted(times)
        rest = await ask(start=PAGE)
        assert (len(rest["events"]), rest["more"]) == (51, False)
        [step] = [event for event in rest["events"] if event["kind"] == "step"]
        assert step["acts"][0]["outcome"] == "Clicked"
        assert step["took"] == "model 1.0 s · page 0.5 s"
        assert {event["kind"] for event in (await ask(kinds=["console"]))["events"]} == {"console"}
        assert len((await ask(bad=True))["events"]) == 25
        assert len((await ask(text="123 "))["events"]) == 1


@pytest.mark.parametrize("file", ["run.json", "../index.db", "1-1.png/../run.json", "1-1.png\n"])
async def test_nothing_but_pictures_is_sent(keep, link, file):
    run = keep()
    async with watching(await link()) as viewer:
        await viewer.send(type="shot", id=run, file=file, n=1)
        await viewer.socket.wait_closed()
        assert viewer.socket.close_code == 4400


async def test_who_asks_without_reading_is_refused_and_then_cut_off(keep, link, monkeypatch):
    run, (port, ticket) = keep(events=250), address(await link())
    close, closed = Viewer.close, []

    def closing(self, code, reason):
        closed.append(code)
        close(self, code, reason)

    monkeypatch.setattr(Viewer, "close", closing)
    # Who reads nothing does not hear why it ends, nor the answer to a heartbeat of its own.
    async with knocking(port, ping_interval=None) as socket, asyncio.timeout(60):
        await socket.send(json.dumps({"type": "hello", "v": 1, "ticket": ticket}))
        with suppress(ConnectionClosed):
            for number in count():
                await socket.send(json.dumps({"type": "events", "id": run}))
                await asyncio.sleep(0 if number < 300 else 0.01)  # more would be a flood
    assert set(closed) == {TOO_SLOW}
