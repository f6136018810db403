"""Acts of a person in a page are written as a script, without secrets."""

import asyncio
import os
import signal
import socket
import sys
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import async_playwright

from strap import testing
from tests.plugins.browser.profiles.test_remote import chromium
from tests.site.server import serve
from tests.support.browser import SETTINGS
from tests.support.caller import Caller

from .conftest import shop

pytestmark = pytest.mark.anyio
WRITTEN = """\
#param e_mail="ada@example.org"
#param password
#param note="ring twice"
navigate url={base_url}/login
fill ref='textbox "E-mail"' value={e_mail}
fill ref='textbox "Password"' value={password}
press ref='textbox "Password"' key=Enter
wait url=/home text=Welcome request='POST /login'
click ref='button "Add" in row "Rake"'
wait text='In the basket: Rake'
fill ref='textbox "Note"' value={note}
select ref='combobox "Size"' value=Large
click ref='button "Order"'
wait text='Thank you, it is on its way.' request='POST /api/orders'
"""


async def buys(page):
    """Buy as a person does, with mouse and keyboard."""
    await page.get_by_label("E-mail").click()
    await page.keyboard.type("ada@example.org")
    await page.keyboard.press("Tab")
    await page.keyboard.type("correct horse")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/home")
    await asyncio.sleep(2)
    await page.get_by_role("button", name="Add").first.click()
    await asyncio.sleep(2)
    await page.get_by_label("Note").click()
    await page.keyboard.type("ring twice")
    await page.get_by_label("Size").select_option("Large")
    await page.get_by_role("button", name="Order").click()
    await page.get_by_text("Thank you").wait_for()
    await asyncio.sleep(2)


async def test_a_person_writes_a_script_with_mouse_and_keyboard(tmp_path, play):
    async with chromium(tmp_path / "chromium") as port, async_playwright() as playwright:
        address = f"http://127.0.0.1:{port}"
        fleet = {"fleet": {"driver": "cdp", "cdp_url": address}}
        made = testing.router(
            home=tmp_path / "home",
            outputs=tmp_path / "files",
            network="local",
            plugins={"browser": {**SETTINGS, "profiles": fleet}},
        )
        async with made as web:
            page = Caller(web, profile="fleet")
            with serve(shop()) as site:
                await page("navigate", url=f"{site}/login")
                recording = asyncio.ensure_future(page("record_person"))
                await asyncio.sleep(2)
                peer = await playwright.chromium.connect_over_cdp(address)
                pages = [each for context in peer.contexts for each in context.pages]
                [there] = [each for each in pages if each.url.endswith("/login")]
                await buys(there)
                await page("record_person", value="stop")
                assert "Noted 9 calls." in await recording
                text = await page("script")
                assert text.partition("#param base_url=")[2].partition("\n")[2] + "\n" == WRITTEN
                await page("script", output="bought.strap")
                await peer.close()
                files = [*(tmp_path / "files").rglob("*"), *(tmp_path / "home").rglob("*")]
                told = b"".join(each.read_bytes() for each in files if each.is_file())
                assert b"correct horse" not in told
                del site.requests[:]
                done = await play(tmp_path / "files" / "bought.strap", password="correct horse")
                assert done.returncode == 0, done.stderr
                posted = [r.body.decode() for r in site.requests if r.method == "POST"]
                assert posted[1:] == ['{"note":"ring twice"}']


@asynccontextmanager
async def recording(tmp_path, site):
    """Run `strap record`, headless; yields the process and the page that a person uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {**os.environ, "STRAP_HOME": str(tmp_path / "home")}
    environ |= {"STRAP_BROWSER__PORT": str(port)}
    words = ("record", f"{site}/login", "--headless", "-o", "mine.strap", "--network", "local")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "strap", *words),
        cwd=tmp_path,
        env=environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert b"Recording " in await process.stderr.readline()
    await asyncio.sleep(1)
    async with async_playwright() as playwright:
        peer = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        pages = [each for context in peer.contexts for each in context.pages]
        [page] = [each for each in pages if each.url.endswith("/login")]
        await page.get_by_label("E-mail").click()
        await page.keyboard.type("ada@example.org")
        await page.get_by_label("Password").click()
        await page.keyboard.type("correct horse")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/home")
        await asyncio.sleep(2)
        yield process, page


@pytest.mark.parametrize("end", ["Ctrl-C", "closed"])
async def test_the_command_writes_what_was_done_until(tmp_path, play, end):
    with serve(shop()) as site:
        async with recording(tmp_path, site) as (process, page):
            if end == "Ctrl-C":
                process.send_signal(signal.SIGINT)
            else:
                await page.close()
            told, errors = await process.communicate()
        assert process.returncode == 0, errors
        assert b"(5 calls; evidence in mine.strap.json)" in told
        done = await play(tmp_path / "mine.strap", password="correct horse")
        assert done.returncode == 0, done.stderr


async def test_a_recording_that_is_killed_leaves_no_half_of_a_file(tmp_path):
    with serve(shop()) as site:
        async with recording(tmp_path, site) as (process, _):
            process.kill()
            await process.communicate()
        assert {each.name for each in tmp_path.iterdir()} <= {"home", "client.log"}
        async with recording(tmp_path, site) as (process, page):
            await page.close()
            await process.communicate()
        assert "correct horse" not in (tmp_path / "mine.strap").read_text("utf-8")
