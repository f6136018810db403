"""Scrolling: as far as it went, and what that loaded."""

import re

import pytest

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def test_infinite_scroll(page):
    opened = await page.open("feed.html")
    assert "Post 10" in opened
    assert "Post 11" not in opened
    answer = await page("scroll", text="bottom")
    assert re.match(r"Scrolled to [\d,]+ of [\d,]+ px down of the page\.\nChanged:\n", answer)
    assert "Post 11" in answer
    for _ in range(5):
        await page("scroll", text="bottom")
    assert "Post 50" in await page("snapshot", text="Post 50")


async def test_directions(page):
    await page.open("tall.html")
    assert "Scrolled to 612 of" in await page("scroll", text="down")
    assert "Scrolled to 0 of" in await page("scroll", text="up")
    assert "Scrolled to 100 of" in await page("scroll", y=100)
    assert "Scrolled to 150 of" in await page("scroll", text="down", y=50)


async def test_no_further(page):
    await page.open("tall.html")
    answer = await page("scroll", text="top")
    assert answer.startswith("It does not scroll further: 0 of ")
    assert "Nothing else has changed so far." in answer


async def test_part_of_the_page(page):
    await page.open("feed.html")
    answer = await page("scroll", selector="#pane", text="bottom")
    assert "px down of <div#pane>" in answer
    assert await page("evaluate", text="pane.scrollTop > 500 && scrollY === 0") == "true"


async def test_what_the_element_stands_in(page):
    await page.open("feed.html")
    assert "of <div#pane>" in await page("scroll", selector="#deep", text="down", y=40)
    assert "40 of" in await page("scroll", selector="#deep", text="down", y=0.1)


async def test_sideways(page):
    await page.open("feed.html")
    answer = await page("scroll", selector="#wide", text="right")
    assert re.search(r"[1-9]\d* of 1,700 px right of <div#wide>", answer)


async def test_element_into_view(page):
    await page.open("feed.html")
    answer = await page("scroll", selector="li >> nth=9")
    assert answer.startswith("'li >> nth=9' is in view: the page is ")
    assert await page("evaluate", text="scrollY > 100") == "true"


async def test_frame(page):
    await page.open("frames.html")
    frame = "[title=near] >> internal:control=enter-frame"
    await page("evaluate", text="document.querySelector('[title=near]').style.height = '60px'; 0")
    answer = await page("scroll", selector=f"{frame} >> body", text="bottom")
    assert re.match(r"Scrolled to (\d+) of \1 px down of the page.", answer)


async def test_wheel_where_nothing_scrolls(page):
    await page.open("form-get")
    await page(
        "evaluate", text="addEventListener('wheel', (e) => { document.title = e.deltaY }); 0"
    )
    answer = await page("scroll", y=120)
    assert "Nothing scrolls in the page; turned the mouse wheel there." in answer
    assert await page("evaluate", text="document.title") == '"120"'


async def test_bad_input(page):
    await page.open("feed.html")
    assert "scroll needs text" in str(await page.fails("scroll"))
    assert "'text' must be 'up'" in str(await page.fails("scroll", text="sideways"))
    assert (await page.fails("scroll", selector="#nothing", text="down")).code == "not_found"
    assert (await page.fails("scroll", ref="e999")).code == "unknown_ref"
    assert "not both" in str(await page.fails("scroll", ref="e1", selector="#pane"))


@pytest.mark.parametrize("gone", ["document.documentElement", "document.body"])
async def test_a_document_without_its_elements_scrolls_no_further(page, gone):
    await page.open("form.html")
    await page("evaluate", text=f"{gone}.remove(); 0")
    for fields in ({"text": "down"}, {"text": "bottom"}, {"y": 300}, {"x": 10}):
        assert "Nothing scrolls in the page" in await page("scroll", **fields)
    assert "The page shows nothing." in await page("snapshot")
