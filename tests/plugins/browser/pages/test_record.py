"""Recordings of what pages do: whole, valid all the time, without secrets."""

import asyncio
import json
import re
from base64 import b64decode
from dataclasses import replace
from itertools import count

import pytest

from strap.evidence.har import entries_of
from tests.site.server import Reply

pytestmark = pytest.mark.anyio
SEND = """await fetch("/api", {method: "POST", body: new URLSearchParams({name: "Ada",
password: "hunter2"})}).then(r => r.json())"""
LINES = "\n".join(f"line {number}" for number in range(2_000))
PIXEL = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


@pytest.fixture
def site(serve_site):
    private = {"Set-Cookie": "sid=c00kie", "X-Api-Key": "k3y"}
    return serve_site(
        {
            "/": '<title>Shop</title><h1>Shop</h1><img src="/pixel.gif"><a href="/old">Next</a>',
            "/api": Reply(
                body='{"ok": 1, "token": "t0ken"}',
                headers={"Content-Type": "application/json", **private},
            ),
            "/pixel.gif": Reply(body=PIXEL, headers={"Content-Type": "image/gif"}),
            "/old": Reply(status=302, headers={"Location": "/next"}),
            "/next": "<h1>Next</h1>",
            "/lines": Reply(body=LINES, headers={"Content-Type": "text/plain"}),
            "/long": "x" * 2_000_001,
        }
    )


NUMBERS = count(1)


async def record(page, outputs, *steps, value="har"):
    """Record these calls, and return the file and what it has."""
    name = f"visit{next(NUMBERS)}.har"
    await page("record", value=value, output=name)
    for action, fields in steps:
        await page(action, **fields)
    answer = await page("record", value="stop")
    assert str(outputs / name) in answer
    return outputs / name, json.loads((outputs / name).read_text())["log"]


def by_path(log, site):
    return {each["request"]["url"].removeprefix(site): each for each in log["entries"]}


async def test_a_har_has_what_was_asked_and_answered(page, site, outputs):
    steps = [("navigate", {"url": f"{site}/"}), ("evaluate", {"text": SEND})]
    steps += [
        ("click", {"selector": "a"}),
        ("evaluate", {"text": "await fetch('/long').then(r => r.text()).then(t => t.length)"}),
    ]
    _, log = await record(page, outputs, *steps)
    found = by_path(log, site)
    assert log["version"] == "1.2"
    assert set(found) >= {"/", "/api", "/pixel.gif", "/old", "/next", "/long"}
    assert "<h1>Shop</h1>" in found["/"]["response"]["content"]["text"]
    assert b64decode(found["/pixel.gif"]["response"]["content"]["text"]) == PIXEL
    assert found["/old"]["response"]["redirectURL"] == "/next"
    sent = found["/api"]["request"]
    assert sent["method"] == "POST"
    assert {"name": "name", "value": "Ada"} in sent["postData"]["params"]
    assert (
        found["/long"]["response"]["content"]["size"] == 2_000_001
        or "left out" in found["/long"]["response"]["content"]["comment"]
    )
    assert "text" not in found["/long"]["response"]["content"]
    assert all(each["time"] >= 0 and each["timings"]["wait"] >= 0 for each in log["entries"])
    assert {each["pageref"] for each in log["entries"]} == {each["id"] for each in log["pages"]}


async def test_credentials_are_masked_by_name(page, site, outputs):
    steps = [("navigate", {"url": f"{site}/?access_token=t0ken"}), ("evaluate", {"text": SEND})]
    file, _ = await record(
        page, outputs, *steps, ("evaluate", {"text": "await fetch('/api').then(r => r.text())"})
    )
    text = file.read_text()
    for value in ("hunter2", "c00kie", "k3y", "t0ken"):
        assert value not in text, value


async def test_a_har_is_valid_while_it_grows(page, site, outputs):
    await page("record", value="har", output="grows.har")
    seen = set()
    for number in range(10):
        await page("navigate", url=f"{site}/?{number}")
        log = json.loads((outputs / "grows.har").read_text())["log"]
        seen.add(len(log["entries"]))
        await asyncio.sleep(0.05)
    await page("record", value="stop")
    assert len(seen) > 3
    assert len(list(entries_of(outputs / "grows.har"))) >= 20


async def test_websockets_are_recorded_with_their_messages(page, site, outputs, echo):
    text = f"""const socket = new WebSocket("ws://127.0.0.1:{echo}/");
    await new Promise(done => {{ socket.onopen = () => socket.send("over the wire");
      socket.onmessage = done; }}); socket.close(); 1"""
    _, log = await record(
        page, outputs, ("navigate", {"url": f"{site}/"}), ("evaluate", {"text": text})
    )
    [entry] = [each for each in log["entries"] if each["_resourceType"] == "websocket"]
    told = [(each["type"], each["data"]) for each in entry["_webSocketMessages"]]
    assert ("send", "over the wire") in told
    assert ("receive", "over the wire") in told


async def test_playwright_replays_it(page, site, outputs):
    from playwright.async_api import async_playwright

    from strap_browser.chromium.executables import find_executable

    file, _ = await record(
        page,
        outputs,
        ("navigate", {"url": f"{site}/"}),
        ("evaluate", {"text": SEND}),
        ("click", {"selector": "a"}),
    )
    asked = len(site.requests)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(find_executable()), args=["--no-sandbox"]
        )
        other = await browser.new_page()
        await other.route_from_har(file, not_found="abort")
        await other.goto(f"{site}/")
        assert await other.inner_text("h1") == "Shop"
        assert await other.evaluate("document.images[0].naturalWidth") == 1
        await other.click("a")
        await browser.close()
    assert len(site.requests) == asked


async def test_a_report_shows_each_call(page, site, outputs):
    await page("record", value="har,report", output="told")
    await page("navigate", url=f"{site}/?token=t0ken")
    await page(
        "evaluate", text="console.error('It broke'); await fetch('/none').then(r => r.status)"
    )
    await page.fails("click", selector="#none")
    before = (outputs / "told.html").read_text()
    assert before.endswith("</main></body></html>\n")
    answer = await page("record", value="stop")
    assert "told.har" in answer
    assert "3 calls" in answer
    text = (outputs / "told.html").read_text()
    assert text.count("<section") == 3
    assert text.count('src="data:image/jpeg;base64,') == 3
    assert text.count('class="step bad"') == 1
    for part in ("navigate", "It broke", "/none", "404", "#none"):
        assert part in text
    assert "t0ken" not in text


async def test_a_profile_is_a_trace_without_credentials(page, site, outputs):
    await page("navigate", url=f"{site}/?token=t0ken")
    await page("record", value="profile", output="slow")
    await page("evaluate", text="performance.mark('here'); await fetch('/api?password=hunter2'); 1")
    assert "slow.trace.json" in await page("record", value="stop")
    text = (outputs / "slow.trace.json").read_text()
    events = json.loads(text)["traceEvents"]
    assert {"here", "ResourceSendRequest"} <= {event["name"] for event in events}
    assert all({"ph", "pid", "tid"} <= set(event) for event in events)
    assert "t0ken" not in text
    assert "hunter2" not in text
    await page("record", value="har,profile", output="slower")
    assert "slower.trace.json" in await page("record", value="stop")


async def test_what_cannot_be_recorded(page, site, outputs):
    await page("navigate", url=f"{site}/")
    assert (await page.fails("record", value="film")).code == "invalid_arguments"
    assert (await page.fails("record", value="har+credentials")).code == "credentials"
    assert "Nothing" in str(await page.fails("record", value="stop"))
    assert "Nothing is recorded" in await page("record")
    await page("record", value="har", output="one.har")
    assert "A recording goes on" in str(await page.fails("record", value="har"))
    assert "one.har" in await page("record")
    assert "one.har" in await page("close")
    await page("launch")  # the browser is that of all tests here
    assert (await page.fails("record", value="har", output="one.har")).code == "output"


async def test_a_body_is_saved_as_it_came_and_read_on(page, site, outputs):
    await page("navigate", url=f"{site}/")
    await page("evaluate", text="await fetch('/lines').then(r => r.text()).then(t => t.length)")
    pixel, lines = [
        (await page("network", text=text)).splitlines()[-1].split()[0]
        for text in ("pixel.gif", "/lines")
    ]
    assert "(42 bytes)" in await page("network", ref=pixel, output="pixel.gif")
    assert (outputs / "pixel.gif").read_bytes() == PIXEL
    whole, start = "", 0
    while start is not None:
        answer = await page("network", ref=lines, start=start, max_tokens=1500)
        body = re.split(r"Response body(?: from [\d,]+)?:\n", answer)[1]
        body, _, note = body.partition("\n… ")
        whole += body + "\n" * bool(note)
        start = int(note.rpartition("=")[2]) if note else None
    assert whole.split() == LINES.split()
    assert (await page.fails("network", ref=lines, start=10**7)).code == "invalid_arguments"
    assert (await page.fails("network", output="x.bin")).code == "invalid_arguments"


async def test_what_cannot_begin_leaves_no_file(page, site, outputs):
    """Chromium takes one trace at a time."""
    await page("navigate", url=f"{site}/")
    await page("record", value="profile", output="mine")
    other = replace(page, web=page.web.as_caller("other"))
    await other("navigate", url=f"{site}/")
    error = await other.fails("record", value="har,profile", output="theirs")
    assert "Tracing has already been started" in str(error)
    assert not [*outputs.glob("theirs*")]
    await other("record", value="har", output="theirs")
    assert "theirs.har" in await other("record", value="stop")
    assert "mine.trace.json" in await page("record", value="stop")
    assert json.loads((outputs / "mine.trace.json").read_text())["traceEvents"]
    await other("close")
