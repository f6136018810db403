"""Effects of an action in the caller's other pages."""

import re

import pytest

from tests.site.server import Reply

pytestmark = pytest.mark.anyio
NOTHING = "Nothing has changed so far."
FILE = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": 'attachment; filename="file.bin"',
}
FIRST = """<!doctype html><title>First</title>
<a id=one href=/one target=view>One</a> <a id=two href=/two target=view>Two</a>
<button id=three onclick="window.open('/three', 'view')">Three</button>
<form action=/posted method=post target=view><button id=post>Post</button></form>
<button id=data onclick="window.open('data:text/html,no')">Data</button>
<button id=file onclick="window.open('/to-file')">File</button>
<button id=pick onclick="window.open('/picker')">Pick</button><input aria-label=Date>
<button id=picture onclick="picture()">Picture</button><p id=state>Playing</p>
<script>async function picture() {
  const opened = await documentPictureInPicture.requestWindow();
  opened.document.body.innerHTML = '<button>Pause</button>';
  opened.document.querySelector('button').onclick = () => {
    document.getElementById('state').textContent = 'Paused';
  };
}</script>"""
FILL = "opener.document.querySelector('input').value = '2026-12-01'; window.close()"


@pytest.fixture
async def first(page, serve_site):
    """The page, at the first of them."""
    site = serve_site(
        {
            "/": FIRST,
            "/one": "<title>One</title>One",
            "/two": "<title>Two</title><button onclick=\"opener.location = '/led'\">Lead</button>",
            "/three": "<title>Three</title>Three",
            "/led": "<title>Led</title>Led",
            "/posted": "<title>Posted</title>Posted",
            "/picker": f'<title>Picker</title><button onclick="{FILL}">Choose</button>',
            "/file.bin": Reply(body=b"12345", headers=FILE),
            "/to-file": "<title>File</title><script>setTimeout(() => {"
            "location = '/file.bin'; setTimeout(() => window.close(), 500) }, 600)</script>",
        }
    )
    page.site = site
    await page("navigate", url=site)
    return page


async def opened(page, selector):
    """Return the name of the page that a click opens."""
    answer = await page("click", selector=selector)
    return re.search(r"A new page opened: (t\d+) ", answer)[1]


@pytest.mark.parametrize(
    ("selector", "where"), [("#two", '/two "Two"'), ("#three", '/three "Three"')]
)
async def test_a_named_window_goes_elsewhere(first, selector, where):
    other = await opened(first, "#one")
    answer = await first("click", selector=selector)
    told = f"\nPage {other} went to {first.site}{where}.\nNothing else has changed so far."
    assert answer.endswith(told)
    assert "went to" not in await first("snapshot")


async def test_a_form_posts_into_a_named_window_twice(first):
    other = await opened(first, "#post")
    answer = await first("click", selector="#post")
    assert re.search(rf"\nPage {other} sent POST /posted: 200 \(r\d+\)\.\n", answer)


async def test_what_the_caller_itself_opened_elsewhere_is_no_news(first):
    other = await opened(first, "#one")
    here = re.match(r"(t\d+)", await first("list_pages"))[1]
    await first("navigate", url=f"{first.site}/led", target_id=other)
    answer = await first("press", key="Home", target_id=here)
    assert "went to" not in answer


async def test_a_popup_leads_its_opener_elsewhere(first):
    here = re.match(r"(t\d+)", await first("list_pages"))[1]
    await opened(first, "#one")
    await first("click", selector="#two")
    other = re.findall(r"(t\d+)", await first("list_pages"))[1]
    answer = await first("click", selector="button", target_id=other)
    assert f'\nPage {here} went to {first.site}/led "Led".\n' in answer


async def test_a_popup_fills_a_field_of_its_opener_and_closes(first):
    here = re.match(r"(t\d+)", await first("list_pages"))[1]
    other = await opened(first, "#pick")
    answer = await first("click", selector="button", target_id=other)
    assert re.search(
        rf'\nPage {here} changed:\n~ textbox "Date" e\d+: 2026-12-01\n(.|\n)*'
        rf"Page {other} \({first.site}/picker\) closed itself\.",
        answer,
    )
    assert f"{here} (current)" in await first("list_pages")


async def test_a_window_with_a_picture_changes_its_page(first):
    here = re.match(r"(t\d+)", await first("list_pages"))[1]
    other = await opened(first, "#picture")
    answer = await first("click", selector="button", target_id=other)
    assert f"\nPage {here} changed:\n~ text: Paused\nNothing else has changed" in answer


async def test_what_a_popup_downloads_later_is_told(first):
    other = await opened(first, "#file")
    answer = await first("wait", value="1.5")
    assert f"\nPage {other}: A download started: 'file.bin'.\n" in answer
    assert f"\nPage {other}: Downloaded 'file.bin' (5 bytes) to " in answer
    assert f"Page {other} ({first.site}/to-file) closed itself." in answer


async def test_why_a_window_stays_blank(first):
    answer = await first("click", selector="#data")
    other = re.search(r"opened: (t\d+) about:blank ", answer)[1]
    assert f"\nPage {other}: 1 console error: Not allowed to navigate top frame to data" in answer


async def test_nothing_elsewhere(first):
    await opened(first, "#one")
    assert (await first("click", selector="#state")).endswith(NOTHING)
