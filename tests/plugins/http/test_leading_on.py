"""XHTML read as XML reads it, feeds under another name, pages that only lead on."""

import pytest

from tests.plugins.http.test_documents import ATOM, RSS, content, fetched

pytestmark = pytest.mark.anyio


@pytest.fixture
def web(shared_web):
    return shared_web


@pytest.mark.parametrize(
    "element",
    ['<script src="a.js"/>', "<title/>", '<iframe src="x"/>', "<style />", "<textarea/>"],
)
async def test_what_ends_itself_in_xhtml_swallows_nothing(web, element):
    page = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title>'
        f"{element}</head><body><h1>Head</h1>{element}<p>All the text.</p></body></html>"
    )
    text = content(await fetched(web, page, "application/xhtml+xml"))
    assert "Head" in text
    assert "All the text." in text


@pytest.mark.parametrize("media_type", ["text/html", "application/octet-stream"])
@pytest.mark.parametrize(("feed", "title"), [(RSS, "One & only"), (ATOM, "Eins")])
async def test_a_feed_is_one_whatever_its_server_calls_it(web, media_type, feed, title):
    text = await fetched(web, feed, media_type)
    assert f"## {title}" in text or f"[{title}]" in text
    assert "<entry" not in text
    assert "<item" not in text


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ('<meta http-equiv=refresh content="0; url=/new-place">', "The page leads on to"),
        ("<meta content='5;URL=/new-place' http-equiv='Refresh'>", "The page leads on to"),
        ("<script>window.location.replace('/new-place')</script>", "A script leads on to"),
        ('<script>location.href = "/new-place";</script>', "A script leads on to"),
    ],
)
async def test_where_a_page_leads_is_said(web, page, told):
    text = await fetched(web, f"<title>Moved</title>{page}<body></body>", "text/html")
    head = text.partition("\n\n")[0]
    assert f"{told} http://" in head
    assert "/new-place" in head


@pytest.mark.parametrize(
    "page",
    [
        '<meta http-equiv="refresh" content="30">',
        '<noscript><meta http-equiv="refresh" content="0; url=/x"></noscript>',
        '<meta http-equiv="refresh" content="9; url=/f">',
        '<meta name="refresh" content="0; url=/x">',
    ],
)
async def test_a_page_that_only_loads_itself_anew_leads_nowhere(web, page):
    text = await fetched(web, f"<title>T</title>{page}<body>Words</body>", "text/html")
    assert "leads on" not in text
