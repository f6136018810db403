"""Changes in Chrome while strap uses it: by the user, the browser or the extension."""

import pytest

from strap import testing
from strap_browser.relay.access.pairing import Pairing
from tests.plugins.browser.chrome.chromium import running
from tests.plugins.browser.chrome.conftest import LIMIT, ChromeCaller, free_port, tables
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio


async def pages_at(caller, path):
    """The names of the shared tabs whose address ends with `path`."""
    return [name for name, line in (await caller.pages()).items() if f"{path} " in line]


async def test_nothing_is_shared(caller, chromium, site):
    await chromium.open(f"{site}/two")
    assert await caller.pages() == {}
    assert "/two" not in await caller("list_pages")


async def test_a_popup_joins(caller, site):
    name, _ = await caller.share(f"{site}/")
    known = set(await caller.pages())
    answer = await caller("click", target_id=name, selector="#popup")
    (opened,) = await caller.new_pages(known)
    assert opened in answer
    assert "Two" in await caller("snapshot", target_id=opened)


async def test_the_user_closes_a_tab(caller, chromium, site):
    name, target = await caller.share(f"{site}/")
    other, _ = await caller.share(f"{site}/two")
    await caller("snapshot", target_id=name)
    await chromium.close(target)
    await caller.gone(name)
    assert repr(name) in str(await caller.fails("snapshot", target_id=name))
    assert "Two" in await caller("snapshot", target_id=other)


async def test_the_user_ends_the_sharing(caller, chromium, site):
    name, target = await caller.share(f"{site}/")
    await caller("snapshot", target_id=name)
    await chromium.click_toolbar(target)
    await caller.gone(name)
    await caller.fails("snapshot", target_id=name)
    assert await chromium.run(target, "document.title") == "Home"


async def test_the_user_goes_to_a_page_of_chrome_and_back(caller, chromium, site):
    name, target = await caller.share(f"{site}/")
    await caller("snapshot", target_id=name)
    await chromium.goto(target, "chrome://version/")
    await chromium.until(target, "location.protocol === 'chrome:'")
    error = await caller.fails("snapshot", target_id=name)
    assert "Protocol error" not in str(error)
    await chromium.goto(target, f"{site}/two")
    await chromium.until(target, "document.title === 'Two'")
    names = await eventually(lambda: pages_at(caller, "/two"), LIMIT)
    assert '"Two"' in await eventually(lambda: caller("snapshot", target_id=names[0]), LIMIT)


async def test_the_worker_sleeps_and_wakes(caller, chromium, site):
    name, _ = await caller.share(f"{site}/")
    await caller("snapshot", target_id=name)
    await chromium.put_to_sleep()
    await chromium.wake()
    (name,) = await eventually(lambda: pages_at(caller, "/"), LIMIT)
    assert "Home" in await eventually(lambda: caller("snapshot", target_id=name), LIMIT)
    await caller("click", selector="h1")


async def test_the_extension_is_reloaded(caller, chromium, site):
    await caller.share(f"{site}/")
    await chromium.reload_extension()
    assert await chromium.granted() == []
    await caller.connected()
    assert await caller.pages() == {}
    name, _ = await caller.share(f"{site}/two")
    assert '"Two"' in await caller("snapshot", target_id=name)


async def test_chrome_and_strap_in_either_order(tmp_path, site):
    home, port = tmp_path / "home", free_port()
    secret = Pairing(home).renew()
    settings = {"home": home, "network": "local", "plugins": tables(port)}
    async with running(tmp_path / "data") as chromium:
        await chromium.pair(secret, port)
        page = await chromium.options()
        await chromium.until(page, "state.textContent === 'Waiting for strap'")
        for _ in range(2):
            async with testing.router(**settings) as web:
                caller = ChromeCaller(web, chromium)
                await caller("launch")
                name, _ = await caller.share(f"{site}/two")
                assert '"Two"' in await caller("snapshot", target_id=name)
            await chromium.until(page, "state.textContent === 'Waiting for strap'")
            await chromium.close_tabs()
    async with testing.router(**settings) as web, running(tmp_path / "data") as chromium:
        caller = ChromeCaller(web, chromium)
        await caller.connected()
        name, _ = await caller.share(f"{site}/two")
        assert '"Two"' in await caller("snapshot", target_id=name)
