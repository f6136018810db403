"""Pages and elements without a text: what they have instead, and what can be done with it."""

import pytest

from tests.plugins.http.documents import pdf
from tests.site.server import Reply

pytestmark = pytest.mark.anyio
SVG = """<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'>
<rect width='9' height='9'/></svg>"""
FILES = {
    "/a.svg": Reply(body=SVG, headers={"Content-Type": "image/svg+xml"}),
    "/a.pdf": Reply(body=pdf("Total 12 euros"), headers={"Content-Type": "application/pdf"}),
    "/canvas": "<!doctype html><canvas width=200 height=100></canvas>",
}
CANVAS = "<canvas width=800 height=600></canvas>"
SHOWN = "`screenshot` shows it."


@pytest.fixture
def page(one_page):
    return one_page


@pytest.fixture
def read(page, serve_site):
    """The text of a page with this, without its title."""

    async def text(html, **fields):
        page.address = serve_site({"/": f"<!doctype html><title>T</title>{html}", **FILES})
        await page("navigate", url=page.address)
        await page("wait", value="idle")
        return (await page("text", **fields)).split("\n", 0 if fields else 1)[-1]

    return text


PAGES = {
    CANVAS: f"a canvas of 800 \u00d7 600: {SHOWN}",
    "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = "
    f"'{CANVAS}'</script>": f"a canvas of 800 \u00d7 600: {SHOWN}",
    "<video muted width=640 height=360></video>": f"a video of 640 \u00d7 360: {SHOWN}",
    "<audio controls src=/a.wav></audio>": "a sound ({site}/a.wav).",
    "<img src=/a.svg>": f"a picture of 40 \u00d7 30: {SHOWN}",
    SVG: f"a picture of 40 \u00d7 30: {SHOWN}",
    "<p style='width: 50px; height: 20px; background: url(/a.svg)'></p>": (
        f"a picture of 50 \u00d7 20: {SHOWN}"
    ),
    "<img src=/gone width=50 height=20>": f"a picture that did not load of 50 \u00d7 20: {SHOWN}",
    f"{CANVAS * 2}<img src=/a.svg>": (
        "2 canvases and a picture of 40 \u00d7 30: `screenshot` shows them."
    ),
    "<iframe src=/canvas></iframe>": f"a canvas of 200 \u00d7 100: {SHOWN}",
    "<div class=xterm style='width:300px; height:90px'><textarea class=xterm-helper-textarea "
    "style='opacity:0'></textarea><canvas></canvas></div>": (
        f"a terminal of 300 \u00d7 90: {SHOWN}"
    ),
}


@pytest.mark.parametrize("html", PAGES)
async def test_a_page_without_a_text_says_what_is_there(page, read, html):
    told = (await read(html)).replace(page.address, "{site}")
    assert told == f"There is no text, but {PAGES[html]}"


@pytest.mark.parametrize(
    "html",
    [
        "<canvas width=1 height=1></canvas>",
        "<canvas hidden></canvas>",
        "<canvas style='opacity: 0'></canvas>",
        "<canvas style='position: absolute; left: -900px'></canvas>",
        "<p style='width: 50px; height: 50px; background: linear-gradient(red, blue)'></p>",
    ],
)
async def test_what_nobody_sees_is_not_told(read, html):
    assert await read(html) == "There is no text."


async def test_an_element_without_a_text_says_what_it_is(read):
    told = await read(f"<h1>Map</h1>{CANVAS}", selector="canvas")
    assert told == f"There is no text, but a canvas of 800 \u00d7 600: {SHOWN}"


@pytest.mark.whole_browser
@pytest.mark.parametrize("tag", ["iframe src", "object data", "embed src"])
async def test_a_pdf_in_a_page_is_read(page, read, tag):
    text = await read(f"<h1>Bill</h1><{tag}=/a.pdf width=600 height=400>")
    assert text == f"# Bill\n\n[frame {page.address}/a.pdf]\nTotal 12 euros"


@pytest.mark.whole_browser
@pytest.mark.parametrize("tag", ["iframe src", "object data"])
async def test_a_snapshot_names_the_file_in_a_frame(page, read, tag):
    await read(f"<{tag}=/a.pdf width=600 height=400>")
    assert "This is a PDF: `text` reads it" in await page("snapshot")
