"""The example plugin, tested with the public kit as its author would."""

import pytest

import strap_wayback.plugin
from strap import testing
from tests.site.archive import serve_archive

pytestmark = pytest.mark.anyio


@pytest.fixture
def archive():
    with serve_archive() as origin:
        yield origin


@pytest.fixture
async def web(tmp_path, archive):
    settings = {"wayback": {"endpoint": f"{archive}/available"}}
    plugin = strap_wayback.plugin
    async with testing.router(plugin, home=tmp_path, network="local", plugins=settings) as opened:
        yield opened


async def test_lookup(web, archive):
    result = await web(resource="wayback", action="lookup", url="https://example.com/", date="1999")
    assert result.text == f"1999 {archive}/web/1999/https://example.com/"


async def test_no_copy(web):
    error = await web.fails(resource="wayback", action="lookup", url="https://never.example/")
    assert str(error) == "There is no archived copy of 'https://never.example/'."


async def test_an_archive_that_talks_nonsense(web):
    error = await web.fails(resource="wayback", action="lookup", url="https://garbage.example/")
    assert (error.code, error.retryable) == ("upstream", True)


async def test_fetch_archived(web):
    result = await web(resource="http", action="fetch_archived", url="https://example.com/")
    assert "The page as it was." in result.text


async def test_the_hint_on_a_page_that_is_gone(web, archive):
    result = await web(resource="http", action="fetch", url=f"{archive}/missing")
    assert result.text.startswith("404 ")
    assert "web(resource: wayback, action: lookup" in result.text


async def test_no_hint_on_a_page_that_is_there(web, archive):
    result = await web(resource="http", action="fetch", url=f"{archive}/web/1/x")
    assert "wayback" not in result.text
