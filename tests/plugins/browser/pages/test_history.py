"""Back, forward, reload."""

import asyncio
import time

import pytest

pytestmark = pytest.mark.anyio


async def test_back_and_forward(page):
    await page.open("form.html")
    await page.open("rerender.html")
    assert f'Now at "Sign up" {page.site}/form.html' in await page("back")
    assert f'Now at "Rerender" {page.site}/rerender.html' in await page("forward")


async def test_no_further(page):
    error = await page.fails("back")
    assert str(error) == "There is no earlier page. Go on with navigate."
    await page.open("form.html")
    assert (await page.fails("back")).code == "no_history"
    assert str(await page.fails("forward")).startswith("There is no later page.")


async def test_within_a_document(page):
    await page.open("slow.html")
    await page("click", selector="#push")
    answer = await page("back")
    assert f'Now at "Slow" {page.site}/slow.html' in answer
    assert f"{page.site}/pushed" in await page("forward")


async def test_reload(page):
    await page.open("form.html")
    await page("click", selector="#counter")
    answer = await page("reload")
    assert f'Now at "Sign up" {page.site}/form.html' in answer
    assert "Clicked 0" in answer


async def test_reload_of_what_is_not_there(page):
    assert "HTTP status 404 Not Found." in await page.open("missing")
    assert "HTTP status 404 Not Found." in await page("reload")


async def test_blank_page(page):
    assert str(await page.fails("reload")) == "The page is blank. Open one with navigate."


async def test_refs_survive_where_that_is_safe(page):
    await page.open("rerender.html")
    ref = await page.ref('button "Save"')
    await page.open("form.html")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    await page("back")
    assert "found it again" in await page("click", ref=ref)


async def test_page_that_asks_before_it_is_left(page):
    await page.open("rerender.html")
    await page.open("form.html")
    await page("evaluate", text="addEventListener('beforeunload', (e) => e.preventDefault()); 0")
    await page("fill", selector="[name=name]", value="Ada")
    assert "A beforeunload dialog is open" in await page("back", timeout=10)
    assert 'Now at "Rerender"' in await page("back", timeout=10)


async def test_open_dialog_is_closed(page):
    await page.open("dialogs.html")
    await page("click", selector="#confirm")
    answer = await page("reload")
    assert "The open confirm dialog was closed." in answer
    assert 'Now at "Dialogs"' in answer


async def test_cancelled(page):
    await page("navigate", url=f"{page.site}/form.html")
    await page("evaluate", text="history.pushState(1, '', '/silent'); 0")
    going = asyncio.ensure_future(page.result("reload"))
    await asyncio.sleep(0.3)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert "Sign up" in await page.open("form.html")


FRAMES = {
    "/s": "<title>S</title><a href=/t>To frames</a>",
    "/i": '<a href=/deep>Deeper</a> <a href=#x>Fragment</a><button onclick="'
    "history.pushState(0, '', '/p'); document.querySelector('p').textContent = 'Pushed'\">Push"
    "</button><p></p><script>onpopstate = () => { document.querySelector('p').textContent ="
    " location.hash || location.pathname }</script>",
    "/deep": "<p>Deep</p>",
}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize(
    ("what", "there", "back", "forward"),
    [
        ("Deeper", "Deep", "Deeper", "Deep"),
        ("Fragment", "text: #x", "/i", "#x"),
        ("Push", "Pushed", "/i", "/p"),
    ],
)
async def test_a_step_of_a_frame(page, serve_site, host, what, there, back, forward):
    site = str(serve_site(FRAMES))
    frame = site.replace("127.0.0.1", host)
    top = str(serve_site({"/t": f"<title>T</title><h1>Top</h1><iframe src={frame}/i></iframe>"}))
    await page("navigate", url=f"{top}/t")
    assert there in await page("click", ref=await page.ref(f'"{what}"'))
    began = time.monotonic()
    for way, text in (("back", back), ("forward", forward), ("back", back)):
        told = await page(way)
        assert text in told
        assert "Now at" not in told
        assert "Changed:" in told
    assert time.monotonic() - began < 15
