"""Requests that are held while strap is killed: they are never sent."""

import asyncio
import signal

import pytest

from .test_processes import strap_process

pytestmark = pytest.mark.anyio
PAGE = """<title>Shop</title><form method=post action=/order><button id=form>Form</button></form>
<button id=fetch onclick="fetch('/order', {method: 'POST', body: 'a'})">Fetch</button>
<button id=alive onclick="fetch('/order', {method: 'POST', keepalive: true, body: 'a'})">A</button>
<button id=beacon onclick="navigator.sendBeacon('/order', 'a')">Beacon</button>"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("button", ["form", "fetch", "alive", "beacon"])
async def test_a_killed_process_sends_nothing(home, serve_site, button, how):
    site = serve_site({"/": PAGE, "/order": "ok"})
    async with strap_process(home) as other:
        await other("launch")
        await other("navigate", url=f"{site}/")
        await other("mock", value="hold")
        said = await other("click", selector=f"#{button}")
        assert "Held h1: POST" in said + await other("mock")
        await other.kill(how)
    await asyncio.sleep(1.5)
    assert not [each for each in site.requests if each.method == "POST"]
