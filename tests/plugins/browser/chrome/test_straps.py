"""The real extension and several users of it: clients, processes of strap, the browser agent."""

import asyncio
import json
import socket
import sys
import threading
from asyncio.subprocess import PIPE

import pytest

from strap import ActionError
from strap_browser.relay.access.pairing import Pairing, bearer
from tests.plugins.browser.chrome.chromium import running
from tests.plugins.browser.live.watcher import Person, watching
from tests.plugins.browser.relay.club import ROUTES, visit
from tests.plugins.browser.runs.lab import laboratory
from tests.site.server import serve
from tests.support.model_server import act, done
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def site():
    routes = ROUTES | {"/a": "<title>a</title>", "/b": "<title>b</title>"}
    with serve(routes) as served:
        yield served


@pytest.fixture(scope="module")
async def chromium(tmp_path_factory, anyio_backend):
    async with running(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture(scope="module")
async def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
async def port(chromium, home):
    """The port of the relay that the extension is paired for."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        number = taken.getsockname()[1]
    await chromium.pair(Pairing(home).renew(), number)
    return number


@pytest.fixture(scope="module")
async def lab(home, site, port):
    """A strap with an agent; it hosts the relay."""
    async with laboratory(home, site, relay_port=port) as opened:
        await opened.web(resource="browser", action="launch", profile="chrome")
        yield opened


@pytest.fixture
async def tabs(lab, chromium, site):
    """Share tabs: their targets by the names of their pages; none is shared afterwards."""

    async def share(*names):
        targets = {}
        for name in names:
            targets[name] = target = await chromium.open(f"{site}/{name}")
            await chromium.until(target, "document.readyState === 'complete'")
            await chromium.click_toolbar(target)
        await becomes(lambda: count(lab), len(names))
        return targets

    yield share
    await chromium.close_tabs()
    await becomes(lambda: count(lab), 0)
    await lab.web(resource="browser", action="list_pages", profile="chrome")


async def count(lab):
    status = await lab.web(resource="browser", action="status", profile="chrome")
    return status.data["profiles"][0]["page_count"]


@pytest.fixture(scope="module")
async def playwright(anyio_backend):
    from playwright.async_api import async_playwright

    async with async_playwright() as made:
        yield made


@pytest.fixture
def connect(playwright, home, port):
    async def connected():
        return await playwright.chromium.connect_over_cdp(
            f"ws://127.0.0.1:{port}/relay/cdp",
            headers=bearer(Pairing(home).read()),
            no_defaults=True,
            timeout=20_000,
        )

    return connected


async def page_of(browser, name):
    """The page of a client that shows this page of the site."""
    for _ in range(200):
        for page in browser.contexts[0].pages:
            if page.url.endswith(f"/{name}"):
                return page
        await asyncio.sleep(0.05)
    raise AssertionError([page.url for page in browser.contexts[0].pages])


async def test_the_agent_works_with_the_users_logins_beside_a_shared_tab(lab, tabs, chromium, site):
    target = (await tabs("login"))["login"]
    await visit(lab, site)
    await becomes(lambda: count(lab), 1)
    assert await chromium.run(target, "document.title") == "In"


@pytest.mark.soak
async def test_fifty_clients_come_and_go(tabs, connect):
    await tabs("a")
    for number in range(50):
        browser = await connect()
        page = await page_of(browser, "a")
        assert await page.evaluate(f"document.title + {number}") == f"a{number}"
        await browser.close()


async def test_a_tab_behind_another_is_seen_and_clicked(lab, tabs):
    """Chrome draws no tab that is not in front, and nothing may bring one there unasked."""
    await tabs("", "b")

    async def doors():
        pages = await lab.web(resource="browser", action="list_pages", profile="chrome")
        return [line.split()[0] for line in pages.text.splitlines() if line.endswith("Door")]

    (behind,) = await eventually(doors)
    for _ in range(3):
        shot = await lab.web(
            resource="browser", action="screenshot", profile="chrome", target_id=behind, timeout=10
        )
        assert shot.images
    clicked = await lab.web(
        resource="browser", action="click", profile="chrome", target_id=behind, selector="a"
    )
    assert "/club" in clicked.text


async def test_two_clients_at_once(tabs, connect, site):
    await tabs("a", "b")
    browsers = await connect(), await connect()

    async def work(browser, name):
        page = await page_of(browser, name)
        for number in range(20):
            assert await page.evaluate(f"document.title + {number}") == f"{name}{number}"

    await asyncio.gather(work(browsers[0], "a"), work(browsers[1], "b"))
    await asyncio.gather(*(work(browser, "a") for browser in browsers))
    first, second = [await page_of(browser, "a") for browser in browsers]
    await first.goto(f"{site}/login")
    await second.wait_for_url(f"{site}/login")
    assert await second.title() == "In"
    await browsers[0].close()
    assert await second.evaluate("document.title") == "In"
    await browsers[1].close()


async def test_no_run_goes_on_or_begins_while_a_person_has_the_tabs_in_hand(lab, tabs):
    await tabs("a")
    look = {"resource": "browser", "action": "snapshot", "profile": "chrome"}
    await eventually(lambda: lab.web(**look))  # a tab of the test before may be told as gone
    go_on, before = threading.Event(), len(lab.model.asked)

    def late(body):
        go_on.wait(30)
        return act("wait", seconds=0)

    link = (await lab.web(resource="browser", action="live", profile="chrome")).data["url"]
    async with watching(link) as viewer:
        going = asyncio.create_task(lab.raw(late, done("ok"), profile="chrome"))
        await eventually(lambda: len(lab.model.asked) > before)
        listed = await viewer.next("places", lambda told: len(told["places"]) == 2)
        [tabs_place] = [each["id"] for each in listed["places"] if each["kind"] == "session"]
        await viewer.send(type="open", place=tabs_place)
        await viewer.next("place")
        person = Person(viewer, tabs_place)
        await person.order("take", "held")
        go_on.set()
        another = asyncio.create_task(lab.raw(done("ok"), profile="chrome"))
        await asyncio.sleep(1)
        assert len(lab.model.asked) == before + 1
        await person.order("give", "agent")
        for each in (going, another):
            assert json.loads((await each).text)["status"] == "success"


async def test_paired_anew_the_shared_tabs_are_there_again(lab, tabs, chromium, home, port):
    await tabs("a")
    await chromium.pair(Pairing(home).renew(), port)
    page = await chromium.options()
    await chromium.until(page, "state.textContent.startsWith('Connected')")
    await becomes(lambda: count(lab), 1)
    newcomer = lab.web.as_caller("newcomer")  # who had no tab that could have been closed

    async def title():
        asked = {"resource": "browser", "action": "evaluate", "text": "document.title"}
        try:
            return (await newcomer(profile="chrome", **asked)).text
        except ActionError as error:
            if not error.retryable:  # the connection of the old pairing may end meanwhile
                raise
            return None

    await becomes(title, '"a"')


async def test_strap_ends_and_another_process_goes_on(tmp_path_factory, chromium, site):
    """The tab stays shared, and whoever comes next goes on in it."""
    home = tmp_path_factory.mktemp("two")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    secret = Pairing(home).renew()
    host = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.relay_host", str(home), str(port),
        stdout=PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(60):
            assert await host.stdout.readline() == b"listening\n"
        await chromium.pair(secret, port)
        async with laboratory(home, site, relay_port=port) as lab:
            target = await chromium.open(f"{site}/a")
            await chromium.until(target, "document.readyState === 'complete'")
            await chromium.click_toolbar(target)
            await becomes(lambda: count(lab), 1)
            title = {"resource": "browser", "action": "evaluate", "text": "document.title"}
            assert (await lab.web(profile="chrome", **title)).text == '"a"'
            host.kill()
            await host.wait()
            await becomes(lambda: count(lab), 1)
            assert (await lab.web(profile="chrome", **title)).text == '"a"'
            pages = await lab.web(resource="browser", action="list_pages", profile="chrome")
            assert pages.text.startswith("t1 (current) ")
        async with laboratory(home, site, relay_port=port) as lab:  # strap was started again
            await lab.web(resource="browser", action="launch", profile="chrome")
            await becomes(lambda: count(lab), 1)
            assert (await lab.web(profile="chrome", **title)).text == '"a"'
    finally:
        if host.returncode is None:
            host.kill()
        await host.wait()
