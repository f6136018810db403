"""Cookies: told without secrets, set for the page's host alone, deleted."""

from email.utils import formatdate
from time import time

import pytest

from tests.site.server import Reply

pytestmark = pytest.mark.anyio


@pytest.fixture
def cookies(serve_site):
    headers = [
        ("Set-Cookie", "lang=en; Max-Age=864000"),
        ("Set-Cookie", "sid=0123456789abcdef0123; HttpOnly"),
    ]
    return serve_site(
        {"/": Reply(headers=headers, body="<h1>Set</h1>"), "/plain": "<h1>Plain</h1>"}
    )


async def test_listed_without_secrets(page, cookies):
    await page("navigate", url=f"{cookies}/")
    listed = await page("cookies")
    assert "lang=en 127.0.0.1/ 10 days" in listed
    assert "sid=•••• (20 characters) 127.0.0.1/ session httpOnly" in listed
    assert "0123456789abcdef" not in listed
    assert await page("cookies", text="LANG") == next(
        line for line in listed.splitlines() if line.startswith("lang")
    )


async def test_set_and_deleted(page, cookies):
    await page("navigate", url=f"{cookies}/plain")
    assert await page("cookies") == "No cookies for 127.0.0.1."
    answer = await page("cookies", value="theme=dark; Path=/; Max-Age=3600")
    assert answer == "Set the cookie 'theme' for 127.0.0.1."
    assert await page("evaluate", text="document.cookie") == '"theme=dark"'
    await page("cookies", value="other=1")
    assert await page("cookies", value="clear", text="theme") == "Deleted 1 cookie."
    assert await page("cookies", value="clear") == "Deleted 1 cookie."
    assert await page("evaluate", text="document.cookie") == '""'


@pytest.mark.parametrize(
    ("end", "lasts"),
    [
        ("Max-Age=864000", "10 days"),
        ("Expires={soon}", "10 days"),
        ("Max-Age=864000; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "10 days"),
        ("Expires=never", "session"),
    ],
)
async def test_how_long_it_lasts(page, cookies, end, lasts):
    await page("navigate", url=f"{cookies}/plain")
    end = end.format(soon=formatdate(time() + 864_000, usegmt=True))
    assert await page("cookies", value=f"a=1; {end}") == "Set the cookie 'a' for 127.0.0.1."
    assert await page("cookies") == f"a=1 127.0.0.1/ {lasts}"


@pytest.mark.parametrize(
    "end", ["Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"]
)
async def test_one_that_has_ended_is_deleted(page, cookies, end):
    await page("navigate", url=f"{cookies}/plain")
    await page("cookies", value="a=1")
    assert await page("cookies", value=f"a=; {end}") == "Deleted the cookie 'a' for 127.0.0.1."
    assert await page("cookies") == "No cookies for 127.0.0.1."


async def test_callers_do_not_share_them(page, cookies, shared):
    await page("navigate", url=f"{cookies}/")
    other = shared.as_caller("stranger")
    await other(resource="browser", action="navigate", url=f"{cookies}/plain")
    answer = await other(resource="browser", action="cookies")
    assert answer.text == "No cookies for 127.0.0.1."


async def test_bad_input(page, cookies):
    assert (await page.fails("cookies")).code == "no_page"
    await page("navigate", url=f"{cookies}/")
    for value in ("", "no cookie", "a=1; b=2; c=3", "=x"):
        assert "is not one cookie" in str(await page.fails("cookies", value=value))
    for value in ("a=1; Path=relative", "__Host-a=1", f"a={'b' * 4_500}"):
        assert "The browser does not take the cookie" in str(
            await page.fails("cookies", value=value)
        )
    assert "text is for" in str(await page.fails("cookies", value="a=1", text="b"))
    await page("new_page")
    assert (await page.fails("cookies", value="a=1")).code == "no_page"
