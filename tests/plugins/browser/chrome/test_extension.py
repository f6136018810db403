"""The real extension in a real Chromium, at the end of a relay that does what the test says."""

import asyncio

import pytest

from tests.plugins.browser.chrome.chromium import running
from tests.plugins.browser.chrome.listening import listening

pytestmark = pytest.mark.anyio
NOT_GRANTED, NOT_ATTACHED, CANNOT_ATTACH, SCHEME = -32001, -32002, -32003, -32004


def about(number):
    """Whether a frame is about this tab."""
    return lambda frame: number == frame.get("tabId", frame.get("tab", {}).get("tabId"))


@pytest.fixture(scope="module")
async def relay(chromium):
    async with listening() as started:
        await chromium.pair(started.secret, started.port)
        await started.told("tabs")
        yield started


@pytest.fixture
async def tab(chromium, relay, site):
    """A tab that the user shared: its number and its target."""
    target = await chromium.open(f"{site}/")
    number = await chromium.click_toolbar(target)
    assert (await relay.told("granted", about(number)))["tab"]["targetId"] == target
    await chromium.until(target, "document.title === 'Home'")
    yield number, target
    await chromium.close_tabs()
    relay.frames.clear()


async def test_it_shows_itself_before_it_is_paired(tmp_path):
    async with running(tmp_path / "data") as fresh:
        await fresh.target(lambda info: info["url"].endswith("/options.html"))
        page = await fresh.options()
        await fresh.until(page, "state.textContent === 'Not paired'")
        assert await fresh.in_worker("chrome.action.getBadgeText({})") == ""
        target = await fresh.open("about:blank")
        number = await fresh.click_toolbar(target)
        assert await fresh.granted() == []
        assert await fresh.in_worker(f"chrome.action.getBadgeText({{tabId: {number}}})") == ""


async def test_it_says_who_it_is(chromium, relay):
    assert relay.origin == chromium.origin
    assert relay.hello["protocol"] == 1
    assert "/" in relay.hello["browser"]


async def test_a_shared_tab_is_seen(chromium, relay, tab, site):
    number, _ = tab
    badge = f"chrome.action.getBadgeText({{tabId: {number}}})"
    await chromium.until(await chromium.worker(), f"{badge}.then((text) => text === 'on')")
    group = await chromium.in_worker(
        f"chrome.tabs.get({number}).then((tab) => chrome.tabGroups.get(tab.groupId))"
    )
    assert (group["title"], group["color"]) == ("strap", "blue")
    page = await chromium.options()
    await chromium.until(page, "tabs.textContent.includes('Home')")
    assert "Connected" in await chromium.run(page, "state.textContent")


async def test_a_pinned_tab_stays_pinned(chromium, relay, site):
    target = await chromium.open(f"{site}/")
    tab = "(await chrome.tabs.query({ active: true, lastFocusedWindow: true }))[0].id"
    await chromium.in_worker(f"(async () => chrome.tabs.update({tab}, {{ pinned: true }}))()")
    number = await chromium.click_toolbar(target)
    await relay.told("granted", about(number))
    badge = f"chrome.action.getBadgeText({{tabId: {number}}})"
    await chromium.until(await chromium.worker(), f"{badge}.then((text) => text === 'on')")
    shown = await chromium.in_worker(f"chrome.tabs.get({number})")
    assert (shown["pinned"], shown["groupId"]) == (True, -1)
    await chromium.close_tabs()


async def test_the_badge_stays_on_another_page(chromium, relay, tab, site):
    number, target = tab
    await chromium.goto(target, f"{site}/two")
    await relay.told("changed", lambda frame: frame["tab"]["title"] == "Two")
    badge = f"chrome.action.getBadgeText({{tabId: {number}}})"
    await chromium.until(await chromium.worker(), f"{badge}.then((text) => text === 'on')")


async def test_sharing_ends_with_another_click(chromium, relay, tab):
    number, target = tab
    await relay.ask("attach", tabId=number)
    await chromium.click_toolbar(target)
    assert (await relay.told("revoked", about(number)))["reason"] == "user"
    for kind in ("attach", "detach", "command", "close", "activate"):
        error = await relay.refusal(kind, tabId=number, method="Page.enable")
        assert error["code"] == NOT_GRANTED
    group = f"chrome.tabs.get({number}).then((tab) => tab.groupId === -1)"
    await chromium.until(await chromium.worker(), group)


async def test_sharing_ends_on_the_options_page(chromium, relay, tab):
    number, _ = tab
    page = await chromium.options()
    await chromium.until(page, "tabs.querySelector('button') !== null")
    await chromium.run(page, "tabs.querySelector('button').click()")
    assert (await relay.told("revoked", about(number)))["reason"] == "user"
    await chromium.until(page, "!none.hidden && tabs.children.length === 0")


async def test_sharing_ends_with_chromes_own_cancel_button(chromium, relay, tab):
    number, _ = tab
    await relay.ask("attach", tabId=number)
    told = f"chrome.debugger.onDetach.dispatch({{ tabId: {number} }}, 'canceled_by_user')"
    await chromium.in_worker(told)
    assert (await relay.told("revoked", about(number)))["reason"] == "debugger"
    assert await chromium.granted() == []


async def test_sharing_ends_with_the_tab(chromium, relay, tab):
    number, target = tab
    await relay.ask("attach", tabId=number)
    await chromium.close(target)
    assert (await relay.told("revoked", about(number)))["reason"] == "closed"
    assert await chromium.granted() == []


async def test_a_tab_is_driven(relay, tab):
    number, target = tab
    assert (await relay.refusal("command", tabId=number, method="Page.enable"))["code"] == (
        NOT_ATTACHED
    )
    assert await relay.ask("attach", tabId=number) == {"targetId": target}
    assert await relay.ask("attach", tabId=number) == {"targetId": target}
    assert await relay.value(number, "document.title") == "Home"
    error = await relay.refusal("command", tabId=number, method="Nope.nothing", params={})
    assert error == {"code": -32601, "message": "'Nope.nothing' wasn't found"}
    assert await relay.ask("detach", tabId=number) == {}
    assert await relay.ask("detach", tabId=number) == {}


async def test_a_tab_stays_in_the_web(relay, tab, site):
    number, _ = tab
    await relay.ask("attach", tabId=number)
    for url in ("file:///etc/passwd", "chrome://settings/", "javascript:1", " FILE:///etc"):
        params = {"url": url}
        error = await relay.refusal("command", tabId=number, method="Page.navigate", params=params)
        assert error["code"] == SCHEME
        assert (await relay.refusal("create", url=url))["code"] == SCHEME
    assert await relay.value(number, "location.href") == f"{site}/"


async def test_a_tab_is_created_and_closed(chromium, relay, tab, site):
    created = (await relay.ask("create", url=f"{site}/two"))["tab"]
    assert created["active"] is False
    await relay.ask("attach", tabId=created["tabId"])
    assert await relay.value(created["tabId"], "1 + 1") == 2
    await relay.ask("activate", tabId=created["tabId"])
    await relay.told("changed", lambda frame: frame["tab"] == created | {
        "active": True, "url": f"{site}/two", "title": "Two"})  # fmt: skip
    await relay.ask("close", tabId=created["tabId"])
    assert (await relay.told("revoked", about(created["tabId"])))["reason"] == "closed"


@pytest.mark.parametrize("act", [
    "popup.click()",
    "apart.click()",
    "window.open('/two')",
    "window.open('/two', '', 'noopener')",
    "window.open('/two', '', 'popup,width=300,height=300')",
    "window.open().document.title = 'Written'",
])  # fmt: skip
async def test_what_a_shared_tab_opens_is_shared(chromium, relay, tab, act):
    number, target = tab
    await chromium.run(target, f"{act};0")
    opened = (await relay.told("granted"))["tab"]
    assert opened["openerTabId"] == number
    await relay.ask("attach", tabId=opened["tabId"])
    assert await relay.value(opened["tabId"], "typeof document") == "object"


async def test_what_the_user_opens_beside_it_is_not(chromium, relay, tab, site):
    other = await chromium.open(f"{site}/two")
    await chromium.run(other, "window.open('/two');0")
    # Chrome calls the tab in front its opener, as it does with a tab from Ctrl+T.
    fields = f"{{ url: 'about:blank', openerTabId: {tab[0]} }}"
    await chromium.in_worker(f"chrome.tabs.create({fields})")
    assert await chromium.granted() == [tab[0]]


async def test_answers_and_events_keep_their_order(relay, tab):
    number, _ = tab
    await relay.ask("attach", tabId=number)
    await relay.cdp(number, "Runtime.enable")
    relay.frames.clear()
    for count in range(100):
        await relay.post(
            "command",
            tabId=number,
            method="Runtime.evaluate",
            params={"expression": f"console.log({count}); {count}"},
        )
    await relay.value(number, "'end'")
    said: list[tuple[str, int]] = []
    for frame in relay.frames:
        if frame.get("method") == "Runtime.consoleAPICalled":
            said.append(("event", frame["params"]["args"][0]["value"]))
        elif "result" in frame:
            said.append(("answer", frame["result"]["result"]["value"]))
    assert said == [(kind, n) for n in range(100) for kind in ("event", "answer")]


async def test_a_dialog_holds_up_one_command_only(relay, tab):
    number, _ = tab
    await relay.ask("attach", tabId=number)
    await relay.cdp(number, "Page.enable")
    asking = relay.post(
        "command", tabId=number, method="Runtime.evaluate", params={"expression": "confirm('Yes?')"}
    )
    await relay.told("event", lambda f: f["method"] == "Page.javascriptDialogOpening")
    await relay.cdp(number, "Page.handleJavaScriptDialog", accept=True)
    answer = await relay.answer(asking)
    assert answer["result"]["result"]["value"] is True


async def test_frames_and_workers_have_sessions(chromium, relay, tab, site):
    number, target = tab
    await relay.ask("attach", tabId=number)
    flags = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
    await relay.cdp(number, "Target.setAutoAttach", **flags)
    await chromium.goto(target, f"{site}/frames")
    frame = await relay.told("event", lambda f: f["method"] == "Target.attachedToTarget")
    assert frame["params"]["targetInfo"]["type"] == "iframe"
    session = frame["params"]["sessionId"]
    expression = "new Promise((done) => setInterval(() => document.title && done(document.title)))"
    title = {"expression": expression, "awaitPromise": True}
    answer = await relay.cdp(number, "Runtime.evaluate", session, **title)
    assert answer["result"]["value"] == "Frame"
    await relay.cdp(number, "Runtime.enable", session)
    told = await relay.told("event", lambda f: f.get("sessionId") == session)
    assert told["tabId"] == number
    await relay.value(number, "new Worker('/worker.js'); 0")
    worker = await relay.told("event", lambda f: f["method"] == "Target.attachedToTarget")
    assert worker["params"]["targetInfo"]["type"] == "worker"
    error = await relay.refusal(
        "command", tabId=number, sessionId="unknown", method="Runtime.enable", params={}
    )
    assert error["code"] != 0


async def test_pages_of_chrome_and_back(chromium, relay, tab, site):
    number, target = tab
    await relay.ask("attach", tabId=number)
    await chromium.goto(target, "chrome://version/")
    assert (await relay.told("detached", about(number)))["reason"] == "target_closed"
    assert (await relay.refusal("attach", tabId=number))["code"] == CANNOT_ATTACH
    await chromium.goto(target, f"{site}/two")
    await relay.told("attached", about(number))
    assert await relay.value(number, "location.pathname") == "/two"


async def test_a_page_of_chrome_is_attached_when_it_is_left(chromium, relay, tab, site):
    await chromium.close_tabs()
    target = await chromium.open("chrome://version/")
    number = await chromium.click_toolbar(target)
    assert (await relay.refusal("attach", tabId=number))["code"] == CANNOT_ATTACH
    await chromium.goto(target, f"{site}/")
    await relay.told("attached", about(number))


async def test_grants_outlive_the_worker(chromium, relay, tab):
    number, target = tab
    await relay.ask("attach", tabId=number)
    await chromium.put_to_sleep()
    await asyncio.wait_for(relay.lost.wait(), 20)
    await chromium.wake()
    (found,) = (await relay.told("tabs"))["tabs"]
    assert (found["tabId"], found["targetId"]) == (number, target)
    await relay.ask("attach", tabId=number)
    assert await relay.value(number, "document.title") == "Home"


async def test_it_comes_back_when_the_relay_does(relay, tab):
    number, _ = tab
    await relay.ask("attach", tabId=number)
    await relay.close(1001)
    assert (await relay.told("tabs"))["tabs"][0]["tabId"] == number
    error = await relay.refusal("command", tabId=number, method="Page.enable")
    assert error["code"] == NOT_ATTACHED


async def test_a_relay_with_another_secret_learns_nothing(chromium, relay, tab):
    secret, relay.secret = relay.secret, "x" * 43
    await relay.close(1001)
    await asyncio.wait_for(relay.refused.wait(), 20)
    page = await chromium.options()
    await chromium.until(page, "state.textContent === 'The secret does not fit'")
    relay.secret = secret
    await chromium.pair(secret, relay.port)
    assert (await relay.told("tabs"))["tabs"][0]["tabId"] == tab[0]


async def test_another_chrome_takes_the_place(chromium, relay, tab):
    page = await chromium.options()
    await relay.close(4409)
    await chromium.until(page, "state.textContent === 'Another Chrome is connected'")
    await chromium.put_to_sleep()
    await chromium.wake()
    await chromium.until(page, "state.textContent === 'Another Chrome is connected'")
    await chromium.run(page, "connect.click()")
    assert (await relay.told("tabs"))["tabs"][0]["tabId"] == tab[0]


@pytest.mark.parametrize(("field", "text"), [("secret", "no secret"), ("port", "70000")])
async def test_wrong_entries_are_named(chromium, relay, field, text):
    page = await chromium.options()
    kept = await chromium.in_worker("chrome.storage.local.get()")
    await chromium.run(page, f"{field}.value = '{text}'; save.click()")
    await chromium.until(page, f"problem.textContent !== '' && document.activeElement === {field}")
    assert await chromium.run(page, f"{field}.getAttribute('aria-invalid')") == "true"
    assert await chromium.in_worker("chrome.storage.local.get()") == kept
    await chromium.run(page, f"secret.value = ''; port.value = {relay.port}; save.click()")
    await chromium.until(page, "problem.textContent === ''")


async def test_forgetting_the_secret_ends_it(chromium, relay):
    page = await chromium.options()
    await chromium.run(page, "forget.click()")
    await chromium.until(page, "state.textContent === 'Not paired'")
    await asyncio.wait_for(relay.lost.wait(), 20)
    await chromium.pair(relay.secret, relay.port)
    await relay.told("tabs")
