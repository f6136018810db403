"""Pages that go from one document to the next by themselves, without end."""

import pytest

from .conftest import Page

pytestmark = pytest.mark.anyio
STOPPED = "The page kept leaving by itself, without end: its scripts were stopped."
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

    body = "<title>Restless</title><h1>Here</h1><button onclick='title.append(1)'>Count</button>"
    routes = {f"/{way}": body + html for way, html in WAYS.items()}
    return Page(page.web, serve_site(routes | {"/home": "<title>Home</title>", "/hop": hop}))


@pytest.mark.parametrize("way", WAYS)
async def test_they_are_stopped(restless, way):
    shown = await restless("navigate", url=f"{restless.site}/{way}", timeout=20)
    assert STOPPED in shown
    assert 'Now at "Restless"' in shown
    assert 'button "Count"' in await restless("snapshot", timeout=20)
    assert (await restless("evaluate", text="1 + 1", timeout=20)).startswith("2")
    assert 'Now at "Home"' in await restless("navigate", url=f"{restless.site}/home", timeout=20)
    assert "about:blank" not in await restless("list_pages")
    assert "There is no text" in await restless("text")


async def test_scripts_run_again_on_the_next_page(restless):
    await restless("navigate", url=f"{restless.site}/soon", timeout=20)
    shown = await restless("navigate", url=f"{restless.site}/hop?left=5")
    assert 'h1 "There"' in shown
    assert STOPPED not in shown


async def test_what_the_caller_asks_for_is_no_loop(restless):
    for number in range(15):
        shown = await restless("navigate", url=f"{restless.site}/hop?left=1#{number}")
        assert 'h1 "There"' in shown
        assert STOPPED not in shown
