"""Every action of the browser on a tab that the user shared from their own Chromium."""

import json

import pytest

from strap import PolicyDenied
from tests.plugins.browser.pages.conftest import ref_in
from tests.site.server import serve
from tests.support.caller import Caller

pytestmark = pytest.mark.anyio


@pytest.fixture
async def tab(caller, site):
    """Open a page of the site in a shared tab, which is the caller's current one then."""

    async def opened(path):
        name, _ = await caller.share(f"{site}/{path}")
        return await caller("snapshot", target_id=name)

    return opened


async def test_status_tells_the_truth(caller, tab):
    (before,) = json.loads(await caller("status"))["profiles"]
    await tab("form.html")
    (after,) = json.loads(await caller("status"))["profiles"]
    assert (before["running"], before["extension_connected"]) == (True, True)
    assert (before["page_count"], after["page_count"]) == (0, 1)
    assert after["cdp_url"].endswith("/relay/cdp")


async def test_a_form(caller, tab, site):
    opened = await tab("form.html")
    assert opened.startswith(f'"Sign up" {site}/form.html')
    assert "Filled" in await caller("fill", ref=ref_in(opened, 'textbox "Name"'), value="Ada")
    answer = await caller("type", ref=ref_in(opened, 'textbox "Comments"'), text="Hello\nyou")
    assert "Hello" in answer
    await caller("select", ref=ref_in(opened, 'combobox "Country"'), value="Japan")
    answer = await caller("click", ref=ref_in(opened, 'button "Submit"'))
    assert "+ status: Submitted Ada" in answer
    form = "[...new FormData(document.forms[0])].map(([, v]) => v).join()"
    assert "Japan" in await caller("evaluate", text=form)
    assert "Submitted Ada" in await caller("text")


async def test_a_ref_of_another_tab_or_profile_means_nothing_on_this_one(caller, tab, site):
    first = ref_in(await tab("form.html"), 'button "Submit"')
    (known,) = await caller.pages()
    second = ref_in(await tab("form.html"), 'button "Submit"')
    own = Caller(caller.web, profile="nebo")
    await own("launch")
    third = ref_in(await own("navigate", url=f"{site}/form.html"), 'button "Submit"')
    assert len({first, second, third}) == 3
    error = await caller.fails("click", ref=first)
    assert error.code == "stale_ref"
    assert f"on page {known} ({site}/form.html)" in str(error)
    assert "of profile 'nebo'" in str(await caller.fails("click", ref=third))
    assert f"give profile='chrome' target_id='{known}'" in str(await own.fails("click", ref=first))
    await caller("close_page", target_id=known)
    assert f"page {known}, which is closed" in str(await caller.fails("click", ref=first))
    assert "Submitted" not in await caller("text") + await own("text")
    await own("close")


async def test_what_a_tab_shows_does_not_go_elsewhere(caller, tab):
    await tab("article.html")
    words = (await caller("text")).split()
    with serve({"/": "Got"}) as other:
        url = f"{other.replace('127.0.0.1', 'localhost')}/?q={'+'.join(words[-12:])}"
        error = await caller.web.fails(resource="http", action="fetch", url=url)
        assert error.code == "flow_denied", error
        assert isinstance(await caller.fails("navigate", url=url), PolicyDenied)
        assert not other.requests


async def test_keys_and_pointer(caller, tab):
    opened = await tab("menu.html")
    answer = await caller("hover", ref=ref_in(opened, 'button "Products"'))
    assert 'link "Chairs"' in answer
    await tab("form.html")
    await caller("click", selector="[name=name]")
    await caller("press", key="X")
    assert await caller("evaluate", text="document.forms[0].name.value") == '"X"'


async def test_drag_and_scroll(caller, tab):
    await tab("drag.html")
    answer = await caller("drag", selector="#card", value="#slot")
    assert "Dropped the card on slot" in answer
    await tab("tall.html")
    await caller("scroll", text="down")
    assert int(float(await caller("evaluate", text="scrollY"))) > 0


async def test_wait_console_and_network(caller, tab, site):
    await tab("")
    await caller("navigate", url=f"{site}/busy")
    assert "Got 42" in await caller("wait", text="Got 42")
    assert "Something broke" in await caller("console")
    assert "/data.json" in await caller("network")


async def test_upload(caller, tab, strap):
    folder = strap.web.router.config.outputs
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text(f"text of {name}")
    await tab("upload.html")
    answer = await caller("upload", selector="#photo", paths=["a.txt"])
    assert "Got a.txt=text of a" in answer
    answer = await caller("upload", selector="#pick", paths=["b.txt"])
    assert "Got b.txt=text of b" in answer


async def test_dialogs(caller, tab):
    opened = await tab("")
    answer = await caller("click", ref=ref_in(opened, 'button "Ask"'))
    assert "Sure?" in answer
    await caller("dialog", value="accept")
    assert 'button "true"' in await caller("snapshot")


async def test_pictures(caller, tab, strap):
    await tab("article.html")
    result = await caller.web(
        resource="browser", action="screenshot", profile="chrome", full_page=True
    )
    assert result.images
    assert "pdf" in await caller("pdf", output="page.pdf")
    found = list(strap.web.router.config.outputs.rglob("page.pdf"))
    assert found[0].read_bytes().startswith(b"%PDF")


async def test_cookies_of_the_site(caller, tab):
    await tab("login")
    assert "member" in await caller("cookies")


async def test_history_and_tabs(caller, tab, site):
    await tab("form.html")
    await caller("navigate", url=f"{site}/two")
    assert "form.html" in await caller("back")
    assert "/two" in await caller("forward")
    assert "/two" in await caller("reload")
    known = set(await caller.pages())
    await caller("new_page")
    await caller("navigate", url=f"{site}/")
    (name,) = await caller.new_pages(known)
    assert "Home" in (await caller.pages())[name]
    await caller("close_page", target_id=name)
    assert set(await caller.pages()) == known


async def test_size(caller, tab):
    await tab("form.html")
    await caller("resize", width=500, height=400)
    assert await caller("evaluate", text="[innerWidth, innerHeight]") == "[500,400]"


async def test_batch(caller, tab):
    await tab("form.html")
    steps = [
        "fill selector='[name=name]' value='Ada'",
        "click selector='form button >> nth=0'",
        "evaluate text='document.forms[0].name.value'",
    ]
    assert (await caller("batch", steps=steps)).splitlines()[-1] == '3. "Ada"'


async def test_frames_of_other_sites(caller, tab):
    await tab("frames")
    await caller("wait", text="In the frame")
    opened = await caller("snapshot")
    await caller("click", ref=ref_in(opened, 'button "In the frame"'))
    assert "Pressed" in await caller("snapshot")


@pytest.mark.parametrize("which", [1, 2])
async def test_frames_of_a_tab_that_is_not_in_front(caller, site, which):
    await caller("new_page")
    await caller("navigate", url=f"{site}/frames.html")
    shown = (await caller("snapshot")).split("iframe")[which]
    answer = await caller("click", ref=ref_in(shown, 'button "Go"'))
    assert "true" in answer
    await caller("screenshot")


async def test_workers(caller, tab):
    await tab("")
    ask = (
        "new Promise((done) => { const worker = new Worker('/worker.js');"
        "worker.onmessage = ({ data }) => done(data); worker.postMessage(21); })"
    )
    # The worker's request may count as something that the script started: then more is told.
    assert (await caller("evaluate", text=ask)).splitlines()[0] == "42"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://version/", "javascript:1"])
async def test_other_schemes_are_refused(caller, tab, url):
    opened = await tab("form.html")
    assert "etc" not in str(await caller.fails("navigate", url=url)).partition(url)[2]
    assert (await caller("snapshot"))[:40] == opened[:40]


async def test_a_tab_that_is_not_shared_is_out_of_reach(caller, chromium, tab, site):
    await tab("form.html")
    await chromium.open(f"{site}/two")
    assert "/two" not in await caller("list_pages")
    assert "t99" in str(await caller.fails("snapshot", target_id="t99"))
