"""A person follows a run in a browser of their own: from `strap live` to looking back."""

import asyncio
import json
import re
import threading

import pytest
from click.testing import CliRunner
from playwright.async_api import async_playwright

from strap_live.commands import live
from strap_live.local_socket import sockets
from tests.support.chromium import LEAN
from tests.support.model_server import act, done
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio
PASSWORD = "canary-0815"


@pytest.fixture
async def page(anyio_backend):
    async with async_playwright() as made:
        browser = await made.chromium.launch(executable_path="/usr/bin/chromium", args=[LEAN])
        yield await browser.new_page(viewport={"width": 1360, "height": 820})
        await browser.close()


async def at(page, x, y):
    """Return the point on the screen for a point of the watched page, whose size is told below."""
    width, height, *_ = map(int, re.findall(r"\d+", await page.locator("#stats").inner_text()))
    box = await page.locator("#canvas").bounding_box()
    return box["x"] + box["width"] * x / width, box["y"] + box["height"] * y / height


async def test_a_person_watches_helps_hands_back_and_looks_back(lab, page):
    watched = threading.Event()

    def when_watched(_):
        watched.wait(30)
        return act("wait", seconds=0)

    script = when_watched, act("ask_person", reason="Please log in"), done("42")
    call = asyncio.create_task(lab.raw(*script, path="/login", task="Book a table", budget_s=120))
    await eventually(lambda: list(sockets(lab.home)))
    asked = ["--print", "--home", str(lab.home)]
    printed = await asyncio.to_thread(CliRunner().invoke, live, asked)
    await page.goto(printed.output.strip())

    await page.locator("#screen:not([data-empty])").wait_for()
    watched.set()
    await page.locator("#ask-text", has_text="Please log in").wait_for()
    await page.locator("#ask-take").click()
    await page.locator("body[data-held]").wait_for()
    assert "nobody else sees" in await page.locator("#private").inner_text()
    await page.mouse.click(*await at(page, 60, 20))
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Enter")
    await becomes(page.locator("#url").input_value, f"{lab.site}/second")
    await page.locator("#give").click()

    result = await call
    answer = await lab.checked(result)
    assert (answer["status"], answer["result"]) == ("success", "42")
    assert answer["page"]["title"] == "Second"
    assert answer["timeouts"]["paused_s"] > 0
    prompt = json.dumps(lab.model.asked[-1]["messages"])
    assert f"now at {lab.site}/second" in prompt
    [sent] = [each.body for each in lab.site.requests if each.method == "POST"]
    assert PASSWORD in str(sent)
    everything = [prompt, result.text, await page.content(), await lab.events(answer)]
    assert PASSWORD not in json.dumps(everything)

    await page.locator("#home").click()
    await page.locator(".run", has_text="Book a table").first.click()
    await page.locator("#outcome", has_text="42").wait_for()
    await page.locator("#time").focus()
    await page.keyboard.press("ArrowLeft")
    assert "step" in await page.locator("#when").inner_text()
