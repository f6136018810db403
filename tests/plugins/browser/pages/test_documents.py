"""Documents of other kinds, error pages, certificates, crashes, pages that never finish."""

import asyncio
import re

import pytest

from strap import ActionError
from tests.plugins.browser.lifecycle import pages as lifecycle_pages
from tests.site.certificates import Authority
from tests.site.server import Reply, drip, serve
from tests.support.caller import Caller

pytestmark = pytest.mark.anyio
PDF = b"""%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
"""
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360"
    "606060000000050001a5f645400000000049454e44ae426082"
)


@pytest.fixture
def kinds(serve_site):
    def typed(body, kind, status=200):
        return Reply(status=status, body=body, headers={"Content-Type": kind})

    return serve_site(
        {
            "/a.pdf": typed(PDF, "application/pdf"),
            "/a.png": typed(PNG, "image/png"),
            "/a.mp4": typed(b"\0\0\0\x18ftypmp42", "video/mp4"),
            "/a.txt": typed("Plain words", "text/plain"),
            "/a.json": typed('{"a": [1, 2]}', "application/json"),
            "/gone.json": typed('{"error": "gone"}', "application/json", 410),
            "/broken": typed("<h1>Broken</h1>", "text/html", 500),
            "/bare": Reply(status=404),
            "/forever": Reply(
                headers={"Content-Type": "text/html"},
                body=drip(b" ", every=0.1, first=b"<title>Forever</title><h1>Begun</h1>"),
            ),
        }
    )


@pytest.mark.whole_browser
async def test_pdf(page, kinds):
    said = "This is a PDF: `text` reads it, `http fetch` saves it, `screenshot` shows it."
    for answer in (
        await page("navigate", url=f"{kinds}/a.pdf", timeout=20),
        await page("snapshot"),
    ):
        lines = answer.splitlines()
        assert lines[0].endswith(f"{kinds}/a.pdf")
        assert lines[1:] == [said]
    error = await page.fails("extract")
    assert error.code == "no_records"
    assert str(error) == f"There is no page to take rows from. {said}"
    error = await page.fails("pdf", output="copy.pdf")
    assert error.code == "no_page"
    assert str(error) == f"The page is not a page to print. {said}"
    assert "h1" in await page.open("form.html")


@pytest.mark.whole_browser
async def test_what_the_viewer_of_a_pdf_asks_for_is_its_own(page, kinds):
    await page("navigate", url=f"{kinds}/a.pdf", timeout=20)
    assert "has no text" in str(await page.fails("text"))
    assert all(str(kinds) in line for line in (await page("network")).splitlines())


@pytest.mark.parametrize(("name", "what"), [("a.png", "an image"), ("a.mp4", "a video")])
async def test_pictures(page, kinds, name, what):
    said = f"This is {what}: `http fetch` saves it, `screenshot` shows it."
    for answer in (
        await page("navigate", url=f"{kinds}/{name}", timeout=20),
        await page("snapshot"),
        await page("text"),
    ):
        assert f"{kinds}/{name}" in answer
        assert answer.splitlines()[1:] == [said]
    assert "px" in (await page.result("screenshot")).text


@pytest.mark.parametrize(("name", "words"), [("a.txt", "Plain words"), ("a.json", '"a": [1, 2]')])
async def test_text(page, kinds, name, words):
    await page("navigate", url=f"{kinds}/{name}", timeout=20)
    assert words in await page("text")


@pytest.mark.parametrize(
    ("name", "said", "shown"),
    [
        ("gone.json", "HTTP status 410 Gone.", "gone"),
        ("broken", "HTTP status 500 Internal Server Error.", "Broken"),
    ],
)
async def test_errors_with_a_page(page, kinds, name, said, shown):
    answer = await page("navigate", url=f"{kinds}/{name}")
    assert said in answer
    assert "console error" not in answer  # which would say the same again
    assert shown in await page("text")


@pytest.mark.whole_browser
async def test_error_without_a_page(page, kinds):
    error = await page.fails("navigate", url=f"{kinds}/bare")
    assert "answered with HTTP status 404 and without a page" in str(error)
    answer = await page.open("form.html")
    assert "h1" in answer
    assert "console error" not in answer  # of the browser's own page about it


@pytest.mark.whole_browser
async def test_links_to_what_cannot_be_opened(page, serve_site, kinds, tmp_path, unused_port):
    with serve({"/": "x"}, tls=Authority(tmp_path).context("127.0.0.1")) as secure:
        said = {
            f"{secure}/": "ERR_CERT_AUTHORITY_INVALID",
            f"http://127.0.0.1:{unused_port}/": "'127.0.0.1' refused the connection. "
            "Is a server running there?",
            f"{kinds}/bare": "it answered without a page.\nHTTP status 404 Not Found.",
        }
        links = serve_site({"/": "<h1>Links</h1>" + "".join(f"<a href={to}>x</a>" for to in said)})
        await page.fails("navigate", url=f"{secure}/")  # no page may lead to it before
        await page("navigate", url=links)
        for number, (url, why) in enumerate(said.items()):
            link = f"a >> nth={number}"
            answer = await page("click", selector=link, timeout=20)
            assert answer.startswith(f"Clicked {link!r}.\nCould not open {url}: {why}\n`back` ")
            assert "'127.0.0.1'" in str(await page.fails("reload"))
            assert "Links" in await page("back")
        assert f"GET 404 document {kinds}/bare" in await page("network")


@pytest.mark.parametrize("kind", [{"expired": True}, {"self_signed": True}, {}], ids=str)
async def test_certificates(page, tmp_path, kind):
    authority = Authority(tmp_path)
    with serve({"/": "<h1>Secret</h1>"}, tls=authority.context("127.0.0.1", **kind)) as site:
        error = await page.fails("navigate", url=f"{site}/")
    assert error.code == "tls"
    assert "is not secure" in str(error)
    assert "h1" in await page.open("form.html")


async def test_tls_spoken_to_a_server_without(page, kinds):
    error = await page.fails("navigate", url=str(kinds).replace("http:", "https:"))
    assert error.code == "tls"
    assert "use http://" in str(error)


async def test_page_that_never_finishes(page, kinds, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.settle.NAVIGATION_LIMIT", 2.0)
    answer = await page("navigate", url=f"{kinds}/forever", timeout=25)
    assert "The page is still loading." in answer
    assert "Begun" in await page("snapshot")
    assert (await page.fails("wait", value="load", timeout=0.6)).code == "timeout"
    assert 'Now at "Sign up"' in await page.open("form.html")


async def test_crashed_page(open_web, kinds):
    async with open_web(lifecycle_pages) as web:
        call = Caller(web)
        await call("launch")
        await call("navigate", url=f"{kinds}/broken")
        await web.fails(resource="browser", action="visit", url="chrome://crash")
        error = await web.fails(resource="browser", action="snapshot")
        assert error.code == "page_lost"
        assert re.match(r"The page .*/broken crashed\. A blank page took its place", str(error))
        assert "Plain words" in await call("navigate", url=f"{kinds}/a.txt") + await call("text")


async def test_parallel_calls_on_two_pages(page):
    await page.open("form.html")
    first = (await page("list_pages")).split()[0]
    await page("new_page", url=f"{page.site}/rerender.html")
    waiting = asyncio.ensure_future(page.fails("wait", text="Zanzibar", timeout=6))
    await asyncio.sleep(0.1)
    assert "Sign up" in await page("snapshot", target_id=first)
    assert "Clicked 1" in await page("click", selector="#counter", target_id=first)
    assert not waiting.done()
    assert (await waiting).code == "timeout"


async def test_closed_shadow_root(page):
    await page.open("form-get")
    await page.open("shadow-closed")
    shown = await page("snapshot")
    assert 'button "Inside"' in shown
    ref = shown.split('button "Inside" ')[1].split()[0]
    assert "Pressed inside" in await page("click", ref=ref)
    assert "Pressed inside" in await page("text")


async def test_viewport(page):
    await page.open("form.html")
    assert await page("evaluate", text="[innerWidth, innerHeight]") == "[1280,720]"


async def test_page_that_renders_anew_all_the_time(page):
    await page.open("rerender.html")
    ref = (await page("snapshot")).split('button "Save" ')[1].split()[0]
    await page("evaluate", text="setInterval(render, 30); 0")
    assert "Saved 1" in await page("click", ref=ref)


UNDER_THE_MOUSE = "addEventListener('mousemove', () => { %s }, true); 0"


async def test_page_that_renders_anew_under_the_mouse(page):
    await page.open("rerender.html")
    ref = (await page("snapshot")).split('button "Save" ')[1].split()[0]
    await page("evaluate", text=UNDER_THE_MOUSE % "render()")
    assert "Saved 1" in await page("click", ref=ref)


@pytest.mark.parametrize(
    "script",
    ["render('Delete')", "render(); root.insertAdjacentHTML('beforeend', '<button>Save</button>')"],
)
async def test_page_that_puts_something_else_under_the_mouse(page, script):
    await page.open("rerender.html")
    ref = (await page("snapshot")).split('button "Save" ')[1].split()[0]
    await page("evaluate", text=UNDER_THE_MOUSE % script)
    with pytest.raises(ActionError, match="is from before the page changed"):
        await page("click", ref=ref)
    assert "Saved" not in await page("text")


async def test_text_editor_in_the_page(page):
    await page.open("form-get")
    editor = "<div contenteditable role=textbox aria-label=Note>Old <b>text</b></div>"
    await page("evaluate", text=f'document.body.innerHTML = "{editor}"; 0')
    ref = (await page("snapshot")).split('Note" ')[1].split()[0].rstrip(":")
    await page("fill", ref=ref, value="New note")
    await page("press", ref=ref, key="End")
    await page("type", ref=ref, text=" and more")
    assert "New note and more" in await page("text")


async def test_a_document_in_an_object(one_page, serve_site):
    inner = "<button onclick='textContent = `Pressed`'>Press</button><p>Words</p>"
    shown = "<object data=/inner type=text/html>Instead</object>"
    site = serve_site({"/": shown, "/inner": inner})
    lines = (await one_page("navigate", url=f"{site}/")).splitlines()
    assert [line.split(" ")[0] for line in lines[-3:]] == ["object", "", ""]
    assert "text: Words" in lines[-1]
    clicked = await one_page("click", ref=lines[-2].split()[-1])
    assert 'button "Pressed"' in clicked
    assert "text f" in await one_page("snapshot", text="Words")


async def test_what_an_object_shows_instead_is_told(outline, one_page):
    instead = "<object data=/none width=90 height=30>No plan <a href=/x>Get it</a></object>"
    [shown, *rest] = await outline(instead + "<object data=/none width=90>Plain</object>")
    told = "\n".join((shown, *rest))
    assert "No plan" in told
    assert 'link "Get it" #' in told
    assert "Plain" in told
    read = await one_page("text")
    assert "No plan [Get it](/x)" in read
    assert "Plain" in read


async def test_a_button_that_the_browser_draws_to_ask_for_a_permission(outline, one_page):
    asking = "<{0}>Your browser has no <b>{0}</b></{0}>"
    precise = "<geolocation accuracymode=precise></geolocation><geolocation aria-label=Here>"
    tags = ["geolocation", "usermedia", "unknown"]
    assert await outline("".join(map(asking.format, tags)) + precise) == [
        'button "Use location" #',
        'button "Use microphone and camera" #',
        "text: Your browser has no unknown",
        'button "Use precise location" #',
        'button "Here" #',
    ]
    assert (await one_page("text")).split("\n", 1)[1] == "Your browser has no unknown"
