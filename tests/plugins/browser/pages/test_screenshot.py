"""Pictures: of the right thing, and never larger than a model takes."""

import struct

import pytest

from strap_browser.actions.pictures.shots import LONGEST, LONGEST_SAVED

from .conftest import colour, ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


def jpeg_size(data):
    assert data[:2] == b"\xff\xd8"
    at = 2
    while True:
        marker, length = struct.unpack(">HH", data[at : at + 4])
        if 0xFFC0 <= marker <= 0xFFCF and marker not in (0xFFC4, 0xFFC8, 0xFFCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length


def png_size(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


async def test_viewport(page):
    await page.open("form.html")
    result = await page.result("screenshot")
    assert result.text == "Viewport: 1280 x 720 px."
    assert [(image.mime, jpeg_size(image.data)) for image in result.images] == [
        ("image/jpeg", (1280, 720))
    ]


async def test_scrolled_viewport(page):
    await page.open("tall.html")
    await page("evaluate", text="scrollTo(0, 5100); 0")
    (image,) = (await page.result("screenshot")).images
    assert await colour(page, image.data, 600, 300) == (0, 0, 1)


WIDE = """<!doctype html><title>Wide</title><style>button { position: absolute; top: 400px }</style>
<body style='margin:0'><div style='width:2000px;height:300px;background:linear-gradient(to left,
#00f 600px,#0f0 600px)'></div><button style='right:40px'>Near</button>
<button style='right:1900px'>Far</button>"""


@pytest.mark.parametrize("attributes", ["dir=rtl", "style='writing-mode:vertical-rl'"])
async def test_a_page_that_begins_at_the_right_and_is_wider_than_the_viewport(
    page, serve_site, attributes
):
    html = WIDE.replace("<title>", f"<html {attributes}><title>")
    await page("navigate", url=serve_site({"/": html}))
    result = await page.result("screenshot", value="marks")
    blue = await page.run("document.querySelector('div').getBoundingClientRect().right")
    assert await colour(page, result.images[0].data, int(blue) - 9, 150) == (0, 0, 1)
    assert await colour(page, result.images[0].data, int(blue) - 700, 150) == (0, 1, 0)
    assert 'button "Near"' in result.text
    assert "Far" not in result.text
    [mark] = result.data["marks"]
    near = await page.run("document.querySelector('button').getBoundingClientRect().left")
    assert mark["x"] == pytest.approx(near)
    element = await page.result("screenshot", selector="div")
    assert await colour(page, element.images[0].data, 1_500, 150) == (0, 0, 1)
    await page.run("scrollBy(-1000, 0); 0")
    assert '"Far"' in await page("screenshot", value="marks")


async def test_element(page):
    opened = await page.open("form.html")
    ref = ref_in(opened, 'button "Count"')
    result = await page.result("screenshot", ref=ref)
    assert result.text.startswith(f'button "Count" {ref}: ')
    width, height = jpeg_size(result.images[0].data)
    assert 20 < width < 200
    assert 10 < height < 60


async def test_element_far_down(page):
    await page.open("tall.html")
    (image,) = (await page.result("screenshot", selector=".blue >> nth=0")).images[:1]
    assert max(jpeg_size(image.data)) <= LONGEST
    assert await colour(page, image.data, 10, 10) == (0, 0, 1)


async def test_hidden_element(page):
    await page.open("overlay.html")
    assert (await page.fails("screenshot", selector="#gone")).code == "hidden"


async def test_full_page_of_a_long_page_comes_in_parts(page):
    await page.open("tall.html")
    result = await page.result("screenshot", full_page=True)
    assert "Page: 1280 x 25000 px, shown at 25%" in result.text
    assert len(result.images) == 4
    assert all(max(jpeg_size(image.data)) <= LONGEST for image in result.images)
    heights = sum(jpeg_size(image.data)[1] for image in result.images)
    assert heights == pytest.approx(25_000 * 0.25, abs=30)
    assert await colour(page, result.images[0].data, 100, 100) == (1, 0, 0)
    last = result.images[3].data
    assert await colour(page, last, 100, jpeg_size(last)[1] - 700) == (1, 1, 0)
    assert await colour(page, last, 100, jpeg_size(last)[1] - 20) == (0, 0, 0)


async def test_element_and_whole_page(page):
    await page.open("form.html")
    error = await page.fails("screenshot", selector="h1", full_page=True)
    assert str(error) == "Give ref or selector for an element, or full_page, not both."


async def test_page_that_is_not_drawn(page, serve_site, monkeypatch):
    monkeypatch.setattr("strap_browser.actions.capture.DRAW_LIMIT", 1.0)
    style = f"<head><link rel=stylesheet href='{page.site}/silent'></head>"
    plain = serve_site({"/": f"{style}<body><h1>Plain</h1>"})
    assert "Plain" in await page("navigate", url=plain, timeout=20)
    error = await page.fails("screenshot")
    assert error.code == "not_drawn"
    assert str(error).startswith("The page was not drawn within 1 s. It may wait for a stylesheet,")
    assert "/silent" in await page("network")
    assert "Plain" in await page("snapshot")


async def test_saved_full_page(page, outputs):
    await page.open("tall.html")
    result = await page.result("screenshot", full_page=True, output="shots/tall.png")
    assert result.images == ()
    data = (outputs / "shots" / "tall.png").read_bytes()
    assert f"Saved to {outputs / 'shots' / 'tall.png'} ({len(data):,} bytes)." in result.text
    assert max(png_size(data)) <= LONGEST_SAVED


async def test_formats(page, outputs):
    await page.open("form.html")
    await page("screenshot", output="a.webp")
    assert (outputs / "a.webp").read_bytes()[8:12] == b"WEBP"
    assert ".jpg, .png or .webp" in str(await page.fails("screenshot", output="a.gif"))


@pytest.mark.parametrize("output", ["../a.png", "/tmp/a.png", "x/../../a.png", ".", "a/"])
async def test_only_inside_the_output_folder(page, output):
    error = await page.fails("screenshot", output=output)
    assert error.code == "invalid_arguments"


async def test_link_out_of_the_output_folder(page, outputs, tmp_path):
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "out").symlink_to(tmp_path)
    assert "is outside" in str(await page.fails("screenshot", output="out/a.png"))
