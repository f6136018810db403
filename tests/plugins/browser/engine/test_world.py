"""The world of strap's script: it is there with every document, and sent to a page once."""

import json

import pytest

from strap import Guard
from strap_browser.cdp.errors import CdpError
from strap_browser.chromium.launch import start
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.endpoint import Endpoint
from strap_browser.page_script.bundle import question
from strap_browser.settings.browser import BrowserSettings
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

INFO = question("info", {})
LONG = 10_000
"""Characters that no question has, unless it brings the script."""
FRAMES = """<title>Frames</title><iframe src="/2"></iframe><iframe src="FAR/3"></iframe>
<iframe sandbox srcdoc="<title>Still</title>"></iframe><iframe></iframe>"""


@pytest.fixture
def site(serve_site):
    def frames(request):
        return FRAMES.replace("FAR", str(served).replace("127.0.0.1", "localhost"))

    pages = {f"/{number}": f"<title>Page {number}</title>" for number in range(4)}
    served = serve_site({**pages, "/frames": frames})
    return served


@pytest.fixture
async def page(connection):
    made = await connection.new_page(connection.context)
    yield made
    await made.close()


@pytest.fixture
def asked(page, monkeypatch):
    """The lengths of what is evaluated in the page from now on."""
    lengths = []
    send = page.session.connection.send

    def noting(method, session="", /, **params):
        if method == "Runtime.evaluate":
            lengths.append(len(params["expression"]))
        return send(method, session, **params)

    monkeypatch.setattr(page.session.connection, "send", noting)
    return lengths


async def title(frame):
    return json.loads(await frame.ask(INFO))["title"]


async def test_each_document_has_it_without_being_sent_it(page, site, asked):
    for number in range(4):
        await page.goto(f"{site}/{number}")  # which ends before the document is read

        async def titled(wanted=f"Page {number}"):
            return await title(page.main_frame) == wanted

        await eventually(titled)
    assert len(asked) >= 4
    assert max(asked) < LONG


async def test_a_document_takes_it_once_however_often_its_page_is_set_up(page, connection, site):
    """As where a connection was lost, and is made again."""
    await page.goto(f"{site}/1")
    errors = []
    page.on("pageerror", errors.append)
    for method, params in connection._terms.own_script(is_new=False):
        await page.session.send(method, **params)
    await title(page.main_frame)
    assert errors == []


async def test_frames_have_it_in_whatever_process(page, site, asked):
    await page.goto(f"{site}/frames")

    async def all_there():
        return len([frame for frame in page.frames if frame.loader]) == 5

    await eventually(all_there)

    async def told():
        return sorted([await title(frame) for frame in page.frames])

    async def all_told():
        return await told() == ["", "Frames", "Page 2", "Page 3", "Still"]

    await eventually(all_told)
    del asked[:]
    await told()
    assert max(asked) < LONG


async def test_a_document_without_it_is_given_it(page, site):
    await page.session.send("Emulation.setScriptExecutionDisabled", value=True)
    await page.goto(f"{site}/1")
    assert await title(page.main_frame) == "Page 1"
    await page.session.send("Emulation.setScriptExecutionDisabled", value=False)
    await page.goto(f"{site}/2")
    popups = []
    page.on("popup", popups.append)
    await page.evaluate("open('').document.title = 'Empty'; 0")
    await eventually(lambda: popups)
    assert await title(popups[0].main_frame) == "Empty"
    await popups[0].close()


async def test_a_document_that_was_there_before_is_given_it(chromium, page, site):
    await page.goto(f"{site}/3")
    endpoint = Endpoint(address=chromium.address, own=True)
    later = await BrowserConnection.open(endpoint)
    try:
        same = later.find(page.target_id)
        await same.start()
        assert await title(same.main_frame) == "Page 3"
        assert await title(page.main_frame) == "Page 3"
    finally:
        await later.aclose()


async def test_what_fails_is_not_asked_twice(page, site, asked):
    await page.goto(f"{site}/1")
    await title(page.main_frame)
    del asked[:]
    with pytest.raises(CdpError):
        await page.main_frame.find(".nothing.like.it()")
    assert len(asked) == 1


@pytest.fixture
async def fresh(tmp_path):
    """A connection to a browser that has just been started, and what is sent to its pages."""
    started = await start(BrowserSettings(headless=True), tmp_path, 0, Guard("all"))
    cdp, sent = started.browser.cdp, []
    send = cdp.send

    def noting(method, session="", /, **params):
        answer = send(method, session, **params)
        sent.append((method, params, answer))
        return answer

    cdp.send = noting
    endpoint = Endpoint(address=started.browser.address, cdp=cdp, own=True, fresh=True)
    connection = await BrowserConnection.open(endpoint)
    yield connection, sent
    await connection.aclose()
    await started.stop()


async def test_what_looks_at_documents_is_compiled_in_a_page_that_is_blank(fresh, site):
    connection, sent = fresh
    page = connection.take_blank()

    def told(method):
        return [(params, answer) for name, params, answer in sent if name == method]

    await eventually(lambda: told("Page.removeScriptToEvaluateOnNewDocument"))
    look, added = told("Page.addScriptToEvaluateOnNewDocument")[-1]
    assert look["runImmediately"]
    assert '"outline"' in look["source"]
    ((removed, _),) = told("Page.removeScriptToEvaluateOnNewDocument")
    assert removed == {"identifier": (await added)["identifier"]}
    assert await title(page.main_frame) == ""
    assert await page.evaluate("Object.getOwnPropertySymbols(globalThis).length") == 0
    await page.goto(f"{site}/1")

    async def is_told():
        return await title(page.main_frame) == "Page 1"

    await eventually(is_told)
    assert max(len(params["expression"]) for params, _ in told("Runtime.evaluate")) < LONG
