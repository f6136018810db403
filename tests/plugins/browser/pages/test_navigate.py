"""Going somewhere: what is there, and why not."""

import re

import pytest

from strap import PolicyDenied
from strap_browser.interaction.navigation_errors import ERRORS, TRANSIENT
from tests.site.server import Raw, Reply

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def test_title_url_and_a_small_page(page):
    answer = await page.open("rerender.html")
    assert answer.startswith(f'Now at "Rerender" {page.site}/rerender.html\n')
    assert re.search(r'button "Save" e\d+', answer)


async def test_large_page_is_left_to_snapshot(page):
    answer = await page.open("article.html")
    assert answer == f'Now at "Article" {page.site}/article.html\n`snapshot` shows the page.'


async def test_where_a_page_leads_on_at_once(one_page, serve_site):
    refresh = "<title>Way</title><meta http-equiv=refresh content='0;url=/'><p>On its way"
    site = serve_site({"/": "<title>There</title>", "/way": refresh})
    for _ in range(5):
        answer = await one_page("navigate", url=f"{site}/way")
        assert answer == f'Now at "There" {site}/'


async def test_bare_address(page):
    answer = await page("navigate", url=f"127.0.0.1:{page.site.port}/form.html")
    assert 'Now at "Sign up"' in answer


async def test_not_found(page):
    answer = await page.open("missing")
    assert "HTTP status 404 Not Found." in answer
    assert "No such page" in answer


async def test_not_found_by_a_link(page):
    await page.open("form.html")
    await page("evaluate", text="document.querySelector('a').href = '/missing'; 0")
    assert "HTTP status 404 Not Found." in await page("click", selector="a >> nth=0")


async def test_redirect(page):
    assert f'Now at "Sign up" {page.site}/form.html' in await page.open("old")


async def test_fragment(page):
    await page.open("form.html")
    answer = await page.open("form.html#clicks")
    assert f"{page.site}/form.html#clicks" in answer


async def test_image_that_never_loads(page):
    answer = await page("navigate", url=f"{page.site}/stuck-image", timeout=10)
    assert 'h1 "Picture"' in answer


async def test_page_that_takes_longer_than_the_call_has_time(page, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.settle.NAVIGATION_LIMIT", 600.0)
    monkeypatch.setattr("strap_browser.interaction.use_page.PATIENT", 0.1)  # the rest is to answer
    answer = await page("navigate", url=f"{page.site}/stuck-script", timeout=30)
    assert f"The page is still loading.\nNow at {page.site}/stuck-script" in answer


async def test_alert_while_loading(page):
    await page.open("form.html")
    answer = await page("navigate", url=f"{page.site}/alert", timeout=10)
    assert "An alert said 'Loading'" in answer
    assert "After the alert" in answer


async def test_confirm_while_loading(page):
    answer = await page("navigate", url=f"{page.site}/confirm", timeout=10)
    assert "A confirm dialog is open: 'Go on?'." in answer
    assert 'Now at "Sign up"' in await page.open("form.html")


async def test_leaving_a_page_that_asks(page):
    await page.open("form.html")
    await page("evaluate", text="addEventListener('beforeunload', (e) => e.preventDefault()); 0")
    await page("fill", selector="[name=name]", value="Ada")
    answer = await page("navigate", url=f"{page.site}/rerender.html", timeout=10)
    assert "A beforeunload dialog is open" in answer
    assert 'Now at "Rerender"' in await page.open("rerender.html")


async def test_download(page):
    answer = await page.open("file.bin")
    assert "'file.bin'" in answer


async def test_nothing_there(page):
    error = await page.fails("navigate", url=f"{page.site}/empty")
    assert "answered without a page" in str(error)


async def test_refused(page, unused_port):
    error = await page.fails("navigate", url=f"http://127.0.0.1:{unused_port}/")
    assert str(error) == "'127.0.0.1' refused the connection. Is a server running there?"


async def test_every_failure_says_what_to_do_next(page, serve_site):
    site = serve_site(
        {
            "/round": Reply(status=302, headers={"Location": "/round"}),
            "/out": Reply(status=302, headers={"Location": "file:///etc/passwd"}),
            "/garbage": Raw(chunks=[b"\x15\x03"]),
        }
    )
    for path, said, next_step in (
        ("/round", "'127.0.0.1' redirects for ever.", "begin at its first page."),
        (
            "/out",
            "'127.0.0.1' redirects to an address that is neither http: nor https:.",
            "ask for the page by another one.",
        ),
        ("/garbage", "'127.0.0.1' did not answer with HTTP.", "Check scheme and port"),
    ):
        error = await page.fails("navigate", url=f"{site}{path}")
        assert error.message == said
        assert next_step in error.hint
        assert not error.retryable


def test_no_error_of_the_browser_is_without_a_next_step():
    assert [name for name, (_, hint) in ERRORS.items() if not hint] == []
    assert ERRORS.keys() >= TRANSIENT


async def test_unknown_host(page):
    error = await page.fails("navigate", url="https://nope.invalid/")
    assert error.code == "dns"
    assert "nope.invalid" in str(error)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "chrome://settings"]
)
async def test_other_schemes_are_refused(page, url):
    assert isinstance(await page.fails("navigate", url=url), PolicyDenied)


async def test_failure_leaves_the_page_usable(page, unused_port):
    await page.fails("navigate", url=f"http://127.0.0.1:{unused_port}/")
    assert "Sign up" in await page.open("form.html")
    assert "Clicked 1" in await page("click", selector="#counter")


@pytest.mark.parametrize(
    ("path", "shown"),
    [("data.json", '{"a": 1}'), ("drawing.svg", "This is an image"), ("feed.xml", "")],
)
async def test_what_is_no_html(page, path, shown):
    await page("navigate", url=f"{page.site}/{path}", timeout=10)
    snapshot = await page("snapshot", timeout=10)
    assert shown in snapshot
    assert "drawing" not in path or "text: Drawn" in snapshot
    assert await page("text", timeout=10)


async def test_navigation_that_is_given_up_is_stopped(page):
    await page.open("form.html")
    error = await page.fails("navigate", url=f"{page.site}/silent", timeout=0.5)
    assert error.code == "timeout"
    assert "Clicked 1" in await page("click", selector="#counter")


CHALLENGE = {"WWW-Authenticate": 'Basic realm="Staff"'}
LOCKED = Reply(status=401, headers=CHALLENGE, body="<title>Staff</title><h1>Staff only</h1>")


@pytest.fixture
def locked(serve_site):
    """A site with a page behind a password."""
    return serve_site(
        {
            "/": "<title>Open</title><a href=/locked>Go in</a>",
            "/locked": LOCKED,
            "/to-locked": Reply(status=302, headers={"Location": "/locked"}),
            "/framed": "<title>Framed</title><h1>Around</h1><iframe src=/locked></iframe>",
        }
    )


@pytest.mark.launched  # by its preferences, as the next two
@pytest.mark.parametrize("path", ["/locked", "/to-locked"])
async def test_a_page_behind_a_password_shows_what_it_says_without(page, locked, path):
    answer = await page("navigate", url=f"{locked}{path}")
    assert f'Now at "Staff" {locked}/locked\nHTTP status 401 Unauthorized.\n' in answer
    assert "asks for a user name and a password" in answer
    assert "Authorization" in answer
    assert 'h1 "Staff only"' in answer
    assert 'h1 "Staff only"' in await page("reload")
    assert 'link "Go in"' in await page("navigate", url=str(locked))
    assert 'h1 "Staff only"' in await page("back")


@pytest.mark.launched
async def test_a_link_to_a_page_behind_a_password(page, locked):
    await page("navigate", url=str(locked))
    answer = await page("click", selector="a")
    assert f'Now at "Staff" {locked}/locked\nHTTP status 401 Unauthorized.\n' in answer
    assert "asks for a user name and a password" in answer


@pytest.mark.launched
async def test_what_a_page_asks_for_behind_a_password_ends(page, locked):
    answer = await page("navigate", url=f"{locked}/framed")
    assert 'h1 "Around"' in answer
    assert 'h1 "Staff only"' in answer
    assert "asks for a user name" not in answer
    told = await page("evaluate", text="fetch('/locked').then((r) => r.status)", timeout=5)
    assert "401" in told
