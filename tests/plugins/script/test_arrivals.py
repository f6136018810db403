"""Waiting for what a call came to: an address, and the answer to a request."""

import pytest

from .conftest import LOGIN

pytestmark = pytest.mark.anyio


async def test_an_address_and_an_answer_are_waited_for(page, site):
    await page("navigate", url=f"{site}/home")
    assert "/home" in await page("wait", url="/home", text="Welcome")
    error = await page.fails("wait", request="POST /api/orders", timeout=1)
    assert error.code == "timeout"
    await page("click", ref='button "Order"')
    assert "is answered" in await page("wait", request="POST /api/*", url=f"{site}/h*e")
    await page("click", ref='button "Add" in row "Rake"')
    error = await page.fails("wait", request="POST /api/orders", timeout=1)
    assert error.code == "timeout"  # that was before the last action
    assert (await page.fails("wait", url="/elsewhere", timeout=1)).code == "timeout"
    assert "method and path" in str(await page.fails("wait", request="orders"))


async def test_an_element_that_changed_ends_the_script(page, site, play, tmp_path):
    path = tmp_path / "drift.strap"
    path.write_text(f"navigate url={site}/login\nclick ref='button \"Buy\"'\n", "utf-8")
    assert "Sign in" in LOGIN
    done = await play(path)
    assert done.returncode == 1
    assert 'line 2: click ref=\'button "Buy"\': No element is button "Buy".' in done.stderr
    assert "The page now:" in done.stderr
