"""Waiting for what an action started, and for nothing else."""

import json

import pytest

from strap_browser.engine.frames.frame import Frame
from tests.support.waiting import eventually

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


@pytest.fixture
def asked(monkeypatch):
    """What pages are asked from now on, by the word of each question."""
    asked = []
    ask = Frame.ask

    async def noting(frame, question):
        asked.append(json.loads(question)["op"])
        return await ask(frame, question)

    monkeypatch.setattr(Frame, "ask", noting)
    return asked


async def test_request_that_a_click_starts(page):
    ref = ref_in(await page.open("slow.html"), 'button "Load"')
    assert "~ status: Loaded" in await page("click", ref=ref)


async def test_requests_one_after_the_other(page):
    ref = ref_in(await page.open("slow.html"), 'button "Load twice"')
    assert "~ status: Loaded and Loaded" in await page("click", ref=ref)


async def test_request_that_never_ends_is_named(page, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.settle.REQUESTS_LIMIT", 1.0)
    ref = ref_in(await page.open("slow.html"), 'button "Stream"')
    answer = await page("click", ref=ref)
    assert "Still waiting for GET /endless." in answer
    assert "~ status: Streaming" in answer


async def test_slow_navigation(page):
    ref = ref_in(await page.open("slow.html"), 'link "Slow page"')
    answer = await page("click", ref=ref)
    assert f'Now at "Late" {page.site}/slow-page' in answer
    assert 'h1 "Late page"' in answer


async def test_navigation_without_a_page(page):
    ref = ref_in(await page.open("slow.html"), 'link "Nothing"')
    assert "Nothing has changed so far." in await page("click", ref=ref)


async def test_address_changed_by_a_script(page):
    ref = ref_in(await page.open("slow.html"), 'button "Push"')
    answer = await page("click", ref=ref)
    assert f"URL: {page.site}/pushed" in answer
    assert "~ status: Pushed" in answer


async def test_page_that_never_rests(page):
    await page.open("slow.html")
    await page(
        "evaluate",
        text="setInterval(() => document.body.dataset.tick = Math.random(), 1); 0",
    )
    assert "Clicked 'h1, #push'" in await page("click", selector="h1, #push", timeout=10)


async def test_page_that_fetches_when_it_opens(page):
    assert "Fetched Loaded" in await page.open("fetching")


async def test_form_that_is_sent(page):
    await page.open("form-get")
    answer = await page("type", selector="input", text="x\n")
    assert 'h1 "Sent"' in answer


@pytest.mark.parametrize("delay", [0, 3, 6])
async def test_page_that_changes_and_then_leaves(page, delay):
    await page.open("form.html")
    await page(
        "evaluate",
        text="counter.onclick = () => { document.getElementById('status').textContent = 'Leaving';"
        f" setTimeout(() => {{ location.href = 'rerender.html' }}, {delay}); }}; 0",
    )
    answer = await page("click", selector="#counter")
    assert 'Now at "Rerender"' in answer or "Leaving" in answer

    async def there():
        return 'button "Save"' in await page("snapshot")

    await eventually(there)  # on a busy machine the page leaves later than anybody waits


TWICE = """<p id=o></p><button onclick="o.textContent = 'First';
  setTimeout(() => { o.textContent += ' and second' }, 5)">Go</button>"""


async def test_what_follows_a_change_at_once_is_told_with_it(page):
    await page.show(TWICE)
    assert "First and second" in await page("click", ref=await page.ref('button "Go"'))


async def test_a_small_page_is_asked_what_it_is_and_shows_at_once(page, asked):
    assert 'h1 "' in await page.open("form.html")
    assert asked == ["outline"]


async def test_a_change_of_a_small_page_comes_with_a_look_at_it(page, asked):
    await page.show("<p id=o></p><button onclick=\"o.textContent = 'Done'\">Go</button>")
    ref = await page.ref('button "Go"')
    asked.clear()
    assert "Done" in await page("click", ref=ref)
    assert "outline" not in asked


async def test_the_page_is_looked_at_after_the_pause(page, serve_site, monkeypatch):
    """What leaves no trace, as a value, is often set right after a change that does."""
    asked = []
    ask = Frame.ask

    async def noting(frame, question):
        asked.append(json.loads(question))
        return await ask(frame, question)

    monkeypatch.setattr(Frame, "ask", noting)
    html = "<button onclick='this.nextSibling.data += 1'>Go</button>Done "
    ref = ref_in(await page("navigate", url=serve_site({"/": html})), 'button "Go"')
    for number in range(1, 4):
        del asked[:]
        assert f"Done {'1' * number}" in await page("click", ref=ref)
        looks = [each["op"] == "outline" or "look" in each for each in asked]
        assert looks[-1]
        assert looks.count(True) == 1
