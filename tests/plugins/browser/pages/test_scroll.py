"""Scrolling: as far as it went, and what that loaded."""

import asyncio
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


async def test_what_scrolls_sideways_alone_is_nowhere_down(page):
    """A row of cards was "0 of 0 px down"."""
    await page.open("tall.html")
    wide = "<div id=row style='width:200px;overflow:auto'><div style='width:1000px'>Cards</div>"
    await page("evaluate", text=f"void (document.body.innerHTML = `{wide}`)")
    answer = await page("scroll", selector="#row", x=300)
    assert answer.startswith("Scrolled to 300 of 800 px right of <div#row>")


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
    assert re.match(r"Scrolled to (\d+) of \1 px down of the frame\.", answer)
    answer = await page("scroll", selector=f"{frame} >> body")
    assert re.search(r"is in view: the frame is [\d,]+ of [\d,]+ px down\.", answer)


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


CAROUSEL = """<div id=box style="display: flex; width: 200px; overflow: auto">
<p style="flex: 0 0 200px">One</p><p style="flex: 0 0 200px">Two</p></div><button>Next</button>"""
NEXT = "q('button').onclick = () => q('#box').scrollBy({ left: 200, behavior: 'smooth' })"
TALL = "<button>Up</button><p style='height: 4000px'>Tall</p><button id=low>Top</button>"
TOP = "for (const b of document.querySelectorAll('button')) b.onclick = () => scrollTo(0, 0); 0"
SCROLLED = re.compile(r"Scrolled to ([\d,]+) of ([\d,]+) px down of the page\.")


async def test_what_the_page_scrolls_is_told(page):
    await page.show(TALL)
    await page("evaluate", text=TOP)
    answer = await page("click", selector="#low")
    assert SCROLLED.search(answer)[1] == "0", answer
    assert answer.endswith("Nothing else has changed so far.")


async def test_what_is_scrolled_to_reach_an_element_is_none_of_it(page):
    await page.show(TALL)
    assert "Scrolled" not in await page("click", selector="#low")
    assert "Scrolled" not in await page("click", selector="button >> nth=0")


async def test_what_a_frame_scrolls_is_told_of_the_frame(page):
    inner = "<button onclick='window.scrollTo(0, 200)'>In</button><p style='height: 4000px'>"
    await page.show(f'<iframe srcdoc="{inner}"></iframe>')
    answer = await page("click", ref=await page.ref('button "In"'))
    assert re.search(r"Scrolled to 200 of [\d,]+ px down of the frame\.", answer), answer


async def test_what_stays_in_place_on_the_screen_is_not_told_as_scrolled(page):
    await page.show("<div id=above></div>" + TALL + "<p style='height: 2000px'>")
    await page("evaluate", text="low.onclick = () => { above.style.height = '500px' }; 0")
    await page("scroll", selector="#low")
    before = await page("evaluate", text="scrollY")
    assert "Scrolled" not in await page("click", selector="#low")
    assert await page("evaluate", text="scrollY") != before


@pytest.mark.parametrize("root", ["document", "host.shadowRoot"])
async def test_what_the_page_scrolls_in_a_part_of_it(page, root):
    await page.show("<div id=host></div>" if root != "document" else CAROUSEL)
    if root != "document":
        text = f"host.attachShadow({{ mode: 'open' }}).innerHTML = {CAROUSEL!r}; 0"
        await page("evaluate", text=text)
    await page("evaluate", text=f"const q = (css) => {root}.querySelector(css); {NEXT}; 0")
    answer = await page("click", ref=await page.ref('button "Next"'))
    assert "200 of 200 px right of <div#box>" in answer
    assert "Nothing else has changed" in answer


@pytest.mark.parametrize("pause", [15, 200])
async def test_what_moves_all_the_time_is_no_answer(page, pause):
    await page.show("<div id=box style='height: 50px; overflow: hidden'><p style='height: 5000px'>")
    tick = "if ((box.scrollTop += 1) === 4) setTimeout(done, 120);"
    await page("evaluate", text="document.body.append(document.createElement('button')); 0")
    await page("evaluate", text=f"new Promise((done) => setInterval(() => {{ {tick} }}, {pause}))")
    assert "Scrolled" not in await page("click", selector="button")


@pytest.mark.parametrize(
    ("key", "place"), [("End", r"([1-9][\d,]+) of \1"), ("PageDown", r"\d+ of")]
)
async def test_what_keys_scroll_is_told(page, key, place):
    await page.show(TALL)
    answer = await page("press", key=key)
    assert re.search(f"Scrolled to {place}", answer), answer


RESTS_MS = 100  # `APART_MS` of dom/smooth_scrolling.js
SLIDES = """<style>#box { display: flex; width: 200px; overflow: auto; STYLE }
#box p { flex: 0 0 200px; scroll-snap-align: start }</style>
<div id=box><p>One</p><p>Two</p><p>Three</p><p>Four</p></div><b id=at>Slide 1</b><i id=n>Not yet</i>
<button id=go>Go</button>"""
SLIDING = """
let clicks = 0, last = 0;
box.onscroll = () => {
  window.pause = Math.max(window.pause, performance.now() - last);
  last = performance.now();
};
go.onclick = () => {
  window.pause = 0;
  last = performance.now();
  n.textContent = `Clicked ${++clicks}`;
  box.scrollTo({ left: 200 * (clicks % 4), behavior: 'smooth' });
};
box.onscrollend = () => { at.textContent = `Slide ${box.scrollLeft / 200 + 1}` };
0"""


@pytest.mark.parametrize("style", ["scroll-snap-type: x mandatory", "scroll-behavior: smooth"])
async def test_what_is_scrolled_smoothly_after_a_change_is_waited_for(page, style):
    await page.show(SLIDES.replace("STYLE", style))
    await page("evaluate", text=SLIDING)
    await page("snapshot")
    for number in (2, 3, 4, 1):  # all the way back takes longest
        await slides(page, number)


async def slides(page, number):
    """Tell that a slide has come, unless the browser drew so rarely that it seemed to rest."""
    answer = await page("click", selector="#go")
    if f"Slide {number}" not in answer:
        await page("wait", text=f"Slide {number}")
        pause = await page("evaluate", text="Math.round(window.pause)")
        assert int(pause.split()[0]) >= RESTS_MS, answer


async def test_what_was_scrolled_smoothly_before_is_waited_for(page):
    await page.show(SLIDES.replace("STYLE", ""))
    await page("evaluate", text=SLIDING)
    await page("click", selector="#go")
    await page("wait", text="Slide 2")
    for number in (3, 4):
        await slides(page, number)


async def test_what_a_script_scrolls_frame_by_frame_is_waited_for(page):
    script = """
    let clicks = 0;
    go.onclick = () => {
      n.textContent = `Clicked ${++clicks}`;
      const began = performance.now();
      const from = box.scrollLeft;
      const move = () => {
        const done = Math.min(1, (performance.now() - began) / 300);
        box.scrollLeft = from + 200 * done;
        if (done < 1) requestAnimationFrame(move);
        else at.textContent = `Slide ${clicks + 1}`;
      };
      requestAnimationFrame(move);
    };
    0"""
    await page.show(SLIDES.replace("STYLE", ""))
    await page("evaluate", text=script)
    await page("click", selector="#go")
    await page("wait", text="Slide 2")
    for number in (3, 4):
        await asyncio.sleep(0.2)  # what moves as it is clicked moves by itself
        assert f"Slide {number}" in await page("click", selector="#go")


async def test_changes_are_not_laid_out_one_by_one_for_what_may_glide(page):
    """It took the page more than a second in place of a few milliseconds."""
    style = "overflow:auto;width:300px;scroll-snap-type:x mandatory"
    wide = f"<div style='{style}'><hr style='width:900px'></div>"
    await page.show(f"<button>Go</button>{wide}<div id=rows>{'<p>row</p>' * 3000}</div>")
    await page("snapshot")
    await page(
        "evaluate",
        text="document.querySelector('button').onclick = async () => { const t = performance.now();"
        " for (let n = 0; n < 400; n++) { await null; rows.prepend(document.createElement('hr')); }"
        " took = performance.now() - t; }; 0",
    )
    await page("click", selector="button")
    assert float(await page("evaluate", text="took")) < 300


MAP = """<div id=map style="width:300px;height:200px;margin-top:{0}px"><div id=view
style="width:300px;height:200px"><canvas id=c width=300 height=200></canvas></div></div>
<p id=o>Zoom 5</p><div style="height:4000px"></div><script>let zoom = 5;
{1}.addEventListener("wheel", (event) => {{ {2}
  o.textContent = `Zoom ${{zoom -= Math.sign(event.deltaY)}}`; }}, {{ passive: {3} }})</script>"""
PREVENT = "event.preventDefault();"
ZOOMED = {
    "itself": MAP.format(0, "map", PREVENT, "false"),
    "within": MAP.format(0, "view", PREVENT, "false"),
    "around no box": MAP.format(0, "map", PREVENT, "false").replace(
        'id=view\nstyle="width:300px;height:200px"', "id=view style=height:0"
    ),
    "out of view": MAP.format(2500, "map", PREVENT, "false"),
}


@pytest.mark.parametrize("name", ZOOMED)
@pytest.mark.parametrize("selector", ["#map", "#c"])
async def test_the_wheel_over_a_map_is_for_the_map(one_page, serve_site, name, selector):
    page = one_page
    await page("navigate", url=serve_site({"/": f"<!doctype html>{ZOOMED[name]}"}))
    answer = await page("scroll", selector=selector, y=-200)
    assert answer.splitlines()[0] == f"Turned the mouse wheel over '{selector}'."
    assert await page.run("o.textContent") == "Zoom 6"
    before = await page.run("scrollY")
    await page("scroll", selector=selector, text="down")
    assert await page.run("o.textContent") == "Zoom 5"
    assert await page.run("scrollY") == before


PASSED_ON = {
    "passive": MAP.format(0, "map", "", "true"),
    "of the page": MAP.format(0, "document", "", "false"),
    "beside": MAP.format(0, "o", PREVENT, "false"),
}


@pytest.mark.parametrize("name", PASSED_ON)
async def test_what_only_hears_the_wheel_scrolls_with_the_page(one_page, serve_site, name):
    page = one_page
    await page("navigate", url=serve_site({"/": f"<!doctype html>{PASSED_ON[name]}"}))
    assert "Scrolled to 200 of" in await page("scroll", selector="#map", y=200)
    assert await page.run("scrollY") == 200


async def test_a_list_that_hears_the_wheel_is_scrolled(one_page, serve_site):
    page = one_page
    html = """<!doctype html><div id=l style="height:100px;overflow:auto"><div style="height:900px">
    </div></div><script>l.addEventListener("wheel", () => {}, { passive: false })</script>"""
    await page("navigate", url=serve_site({"/": html}))
    assert "Scrolled to 50 of" in await page("scroll", selector="#l", y=50)
