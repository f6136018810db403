"""Pages that go from one document to the next by themselves, without end."""

import anyio
import pytest

from tests.support.waiting import eventually

from .conftest import Page

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


HELD = "The page kept leaving by itself, without end: it is held here."
FRAME = """new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.src = "/home";
  frame.onload = () => done(frame.contentDocument.title);
  document.body.append(frame);
})"""
WAYS = {
    "at-once": "<script>location.href = `/at-once?${Math.random()}`</script>",
    "soon": "<script>setTimeout(() => location.reload(), 60)</script>",
    "again-and-again": "<script>setInterval(() => location.reload(), 60)</script>",
    "without-a-script": '<meta http-equiv=refresh content="0;url=/without-a-script">',
}


@pytest.fixture
def restless(page, serve_site):
    def hop(request):
        hops = int(request.query["left"][0])
        script = f"<script>location.href = '/hop?left={hops - 1}'</script>"
        return f"<title>Hop</title>{script if hops else '<h1>There</h1>'}"

    body = (
        "<title>Restless</title><h1>Here</h1><a href=/home>Leave</a>"
        "<button onclick='document.title += 1'>Count</button>"
    )
    routes = {f"/{way}": body + html for way, html in WAYS.items()}
    return Page(page.web, serve_site(routes | {"/home": "<title>Home</title>", "/hop": hop}))


async def held(restless, way):
    """Return the answers until the page is held; between two documents it may seem to rest."""
    shown = await restless("navigate", url=f"{restless.site}/{way}", timeout=20)
    for _ in range(20):
        if HELD in shown:
            break
        await anyio.sleep(0.5)
        shown += "\n" + await restless("snapshot", timeout=20)
    assert shown.count(HELD) == 1, shown
    return shown


@pytest.mark.parametrize("way", WAYS)
async def test_they_are_held(restless, way):
    assert 'Now at "Restless"' in await held(restless, way)
    assert 'button "Count"' in await restless("snapshot", timeout=20)
    assert (await restless("evaluate", text="1 + 1", timeout=20)).startswith("2")
    assert "Restless1" in await restless("click", selector="button", timeout=20)
    assert 'Now at "Home"' in await restless("navigate", url=f"{restless.site}/home", timeout=20)
    assert "about:blank" not in await restless("list_pages")
    assert "There is no text" in await restless("text")


async def test_their_frames_are_not(restless):
    await held(restless, "at-once")
    assert '"Home"' in await restless("evaluate", text=FRAME, timeout=20)


@pytest.mark.parametrize("way", ["at-once", "soon", "without-a-script"])
async def test_they_leave_for_what_the_caller_clicks(restless, way):
    await held(restless, way)
    await restless("click", selector="a", timeout=20)

    async def there():
        return '"Home"' in await restless("evaluate", text="document.title")

    await eventually(there)  # on a busy machine later than the click is waited for


async def test_scripts_run_again_on_the_next_page(restless):
    await restless("navigate", url=f"{restless.site}/soon", timeout=20)
    shown = await restless("navigate", url=f"{restless.site}/hop?left=5")
    assert 'h1 "There"' in shown
    assert HELD not in shown


async def test_what_ends_by_itself_is_not_without_end(restless):
    """As many documents as are held, and none after them that could be."""
    shown = await restless("navigate", url=f"{restless.site}/hop?left=9", timeout=20)
    assert 'h1 "There"' in shown
    assert HELD not in shown + await restless("snapshot")


async def test_what_the_caller_asks_for_is_no_loop(restless):
    for number in range(15):
        shown = await restless("navigate", url=f"{restless.site}/hop?left=1#{number}")
        assert 'h1 "There"' in shown
        assert HELD not in shown
