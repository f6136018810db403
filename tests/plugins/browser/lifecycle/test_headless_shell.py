"""Chromium's headless shell as the browser: the setting `channel`, where one is installed."""

import pytest

from strap import ActionError
from strap_browser.chromium.executables import find_executable
from strap_browser.settings.managed import SHELL
from tests.plugins.browser.lifecycle.machine import browser_pid, gone, litter
from tests.plugins.http.documents import pdf
from tests.site.server import Reply
from tests.support.caller import Caller
from tests.support.processes import command_of

pytestmark = pytest.mark.anyio
SITE = {
    "/": "<title>Home</title><p></p><button onclick=\"document.querySelector('p').append('Hit')\">"
    "Go</button> <a href=/paper>Paper</a>",
    "/paper": Reply(
        headers={
            "Content-Type": "application/pdf",
            "Content-Disposition": "inline; filename=paper.pdf",
        },
        body=pdf("Of paper"),
    ),
}


@pytest.fixture(scope="module", autouse=True)
def shell():
    """The path of the shell."""
    try:
        return find_executable(channel=SHELL)
    except ActionError as error:
        pytest.skip(str(error))


@pytest.fixture
async def web(open_web):
    async with open_web(channel=SHELL, headless=None, auto_launch=True) as opened:
        yield opened


@pytest.fixture
def call(web):
    return Caller(web)


async def test_from_the_first_page_to_close(call, home, serve_site, shell, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":99")  # which no other browser would open a window on either
    site = serve_site(SITE)
    assert 'button "Go"' in await call("navigate", url=site)
    pid = browser_pid(home)
    assert command_of(pid).split(b"\0")[0].decode() == str(shell)
    assert "Hit" in await call("click", selector="button")
    assert (await call.result("screenshot")).images
    await call("close")
    await gone(home, pid)
    assert litter(home) == []


async def test_a_page_may_copy(call, serve_site):
    copy = "navigator.clipboard.writeText('x').then(() => out.append('Copied'), alert)"
    html = f'<button onclick="{copy}">Copy</button><output id=out></output>'
    await call("navigate", url=serve_site({"/": html}))
    assert "Copied" in await call("click", selector="button")
    assert await call.run("navigator.clipboard.readText().catch((error) => error.name)") == (
        "NotAllowedError"
    )


async def test_a_pdf_is_a_download_that_can_be_read(call, serve_site):
    site = serve_site(SITE)
    await call("navigate", url=site)
    assert "A download started: 'paper.pdf'" in await call("click", selector="a")
    assert "Of paper" in await call("downloads", ref="d1")
    assert "A download started: 'paper.pdf'" in await call("navigate", url=f"{site}/paper")
