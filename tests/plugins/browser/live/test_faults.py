"""Deaths of pages or browsers under a person's control: the agent goes on, or is told."""

import asyncio
import os
import signal

import pytest

from tests.plugins.browser.lifecycle.machine import browser_pid, renderers
from tests.support.caller import Caller
from tests.support.waiting import becomes, eventually

from .watcher import Person, watching

pytestmark = pytest.mark.anyio
CANARY = "canary-4711"


async def test_page_and_browser_die_and_what_was_typed_is_on_no_disk(open_web, home, site, caplog):
    async with open_web() as web:
        caller = Caller(web, site)
        await caller("launch")
        await caller.open("/form")
        link = (await caller.result("live")).data["url"]
        async with watching(link) as viewer, asyncio.timeout(60):
            person = Person(viewer, await viewer.open())
            await viewer.picture()
            await caller.run(
                "a.type = 'password'; a.oninput = () => console.error('typed ' + a.value); 0"
            )
            await person.order("take", "held")
            await person.click(200, 120)
            await person.do("text", text=CANARY)
            waits = asyncio.create_task(caller.fails("snapshot"))
            await asyncio.sleep(0.3)
            for pid in renderers(home):
                os.kill(pid, signal.SIGKILL)
            await person.order("give", "agent")
            assert (await waits).code == "page_lost"
            await caller.open("/form")
            await becomes(lambda: [page["url"] for page in person.now["pages"]], [f"{site}/form"])

            await person.order("take", "held")
            os.kill(browser_pid(home), signal.SIGKILL)
            await eventually(lambda: person.now["state"] != "held")
            await caller("launch")
            assert "form" in await caller.open("/form")
        kept = [
            path for path in home.rglob("*") if path.is_file() and "user-data" not in path.parts
        ]
        assert not [path for path in kept if CANARY.encode() in path.read_bytes()]
        assert CANARY not in str(viewer.said)
        assert CANARY not in caplog.text
        assert CANARY not in str(web.calls)
