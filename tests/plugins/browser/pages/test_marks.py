"""Pictures with numbers on what can be acted on, parts of the page, and what differs."""

import os
import re
import struct
import sys
import zlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from strap import count_tokens

pytestmark = pytest.mark.anyio

BUTTONS = "".join(
    f"<button style='position:absolute;left:{x * 90 + 20}px;top:{y * 60 + 40}px' "
    f"onclick='hit({x + 10 * y})'>B{x + 10 * y}</button>"
    for x in range(10)
    for y in range(9)
)
HIT = "<script>let seen = []; const hit = (n) => seen.push(n)</script>"
FRAME = "<title>F</title><button onclick=\"parent.postMessage('in', '*')\">Inside</button>"


@pytest.fixture
async def saved(one_page, serve_site):
    """The file of a picture of the page, and a picture that is another."""
    await one_page("navigate", url=serve_site({"/": "<!doctype html><title>A</title><h1>One</h1>"}))
    answer = await one_page("screenshot", output="saved.png")
    path = Path(re.search(r"Saved to (\S+) ", answer)[1])
    return path, Image.effect_noise((1280, 720), 90).convert("RGB")


def image_of(result, number=0):
    return Image.open(BytesIO(result.images[number].data)).convert("RGB")


async def test_each_mark_is_at_its_element_and_the_page_sees_nothing(page, serve_site):
    html = f"<!doctype html><title>A</title>{HIT}<body>{BUTTONS}"
    await page("navigate", url=serve_site({"/": html}))
    await page.run(
        "window.changes = 0; new MutationObserver((all) => { changes += all.length })"
        ".observe(document, {subtree: true, childList: true, attributes: true,"
        " characterData: true}); addEventListener('scroll', () => changes++, true); 0"
    )
    plain = image_of(await page.result("screenshot"))
    result = await page.result("screenshot", value="marks")
    assert await page.run("changes") == 0
    marks = result.data["marks"]
    assert len(marks) == 90
    lines = dict(re.findall(r"^(\d+) = button \"B(\d+)\" e\d+$", result.text, re.MULTILINE))
    picture = image_of(result)
    assert picture.size == plain.size
    for mark in marks:
        await page.run(f"document.elementFromPoint({mark['at'][0]}, {mark['at'][1]}).click(); 0")
        left, top = round(mark["x"]) - 1, round(mark["y"]) + round(mark["height"]) // 2
        assert picture.getpixel((left, top)) != plain.getpixel((left, top))
    assert await page.run("seen") == [int(lines[str(mark["number"])]) for mark in marks]


async def test_marks_are_few_on_a_page_of_many_and_the_smallest(page, serve_site):
    cells = "".join(
        f"<a href=#{n} style='display:inline-block;width:8px'>.</a>" for n in range(9_990)
    )
    html = f"<!doctype html><title>A</title><body onclick=''>{cells}<button style='width:90%'>Wide"
    await page("navigate", url=serve_site({"/": html}))
    result = await page.result("screenshot", value="marks")
    assert 100 <= len(result.data["marks"]) <= 150
    assert re.search(
        r"The \d+ smallest of [\d,]+ are marked: value=region shows a part\.", result.text
    )
    assert count_tokens(result.text) <= 2_500
    assert "Wide" not in result.text


async def test_marks_in_frames_below_covers_and_right_to_left(page, serve_site):
    inner = serve_site({"/": FRAME})
    html = (
        "<!doctype html><html dir=rtl style='zoom:1.25'><title>A</title><body>"
        "<button id=c style='position:absolute;inset-inline-start:0;top:300px'>Covered</button>"
        "<div style='position:absolute;inset:250px 0 auto 0;height:200px;background:#eee'></div>"
        "<button style='opacity:0'>Clear</button><button>Right</button>"
        f"<iframe src={inner} style='position:fixed;left:40px;top:120px'></iframe>"
        "<div style='height:3000px'></div><button>Below</button>"
    )
    await page("navigate", url=serve_site({"/": html}))
    result = await page.result("screenshot", value="marks")
    assert re.findall(r'"(\w+)" (?:f\d+)?e\d+', result.text) == ["Right", "Inside"]
    inside = result.data["marks"][1]
    at = {"x": inside["at"][0], "y": inside["at"][1]}
    await page.run("window.got = ''; addEventListener('message', (e) => { got = e.data }); 0")
    await page("click", **at)
    assert await page.run("got") == "in"
    result = await page.result("screenshot", value="marks", full_page=True)
    assert "Below" in result.text


async def test_what_moves_meanwhile_gets_no_mark(page, serve_site):
    html = (
        "<!doctype html><title>A</title><button>Still</button><style>@keyframes m{to{left:900px}}"
        "#m{position:absolute;left:0;animation:m 3s linear infinite}</style><button id=m>Moves"
    )
    await page("navigate", url=serve_site({"/": html}))
    result = await page.result("screenshot", value="marks")
    assert '1 = button "Still"' in result.text
    assert "Moves" not in result.text
    assert result.text.endswith("1 element moved meanwhile and got no mark.")


async def test_numbers_cover_no_words_at_the_edge_and_in_lists(page, serve_site):
    rows = "".join(f"<li><a href=#{n}>Chapter {n}</a>" for n in range(9))
    words = "<p style='margin:0'>Words over a button</p><button>Go</button>"
    html = f"<!doctype html><title>A</title><body style='margin:0'><button>Home</button><ul>{rows}"
    await page("navigate", url=serve_site({"/": f"{html}</ul>{words}"}))
    await page("screenshot", output="plain.png")
    result = await page.result("screenshot", value="marks", output="marked.png")
    path = Path(re.search(r"Saved to (\S+) ", result.text)[1])
    marked, plain = (Image.open(path.with_name(f"{name}.png")) for name in ("marked", "plain"))
    assert '1 = button "Home" e1\n2 = link "Chapter 0" e2\n' in result.text
    beside = await page.run("document.querySelector('p').getBoundingClientRect().toJSON()")
    for mark in [*result.data["marks"], beside | {"width": 130}]:
        left, top, right, bottom = (round(mark[side]) for side in ("x", "y", "width", "height"))
        box = left + 3, top + 4, left + right - 3, top + bottom - 4
        apart = ImageChops.difference(marked.crop(box), plain.convert("RGB").crop(box))
        assert apart.getbbox() is None, mark


async def test_marks_without_pillow_name_the_extra(page, monkeypatch):
    await page.open("form.html")
    monkeypatch.setitem(sys.modules, "PIL", None)
    for value in ("marks", "changed"):
        error = await page.fails("screenshot", value=value)
        assert error.code == "missing_extra"
        assert "strap-web[agent]" in error.hint


async def test_a_region(page):
    await page.open("tall.html")
    where = {"x": 600, "y": 300, "width": 40, "height": 20}
    result = await page.result("screenshot", value="region", **where)
    assert result.text == "Region: 40 x 20 px."
    whole = image_of(await page.result("screenshot"))
    part = image_of(result)
    assert part.size == (40, 20)
    assert part.getpixel((20, 10)) == whole.getpixel((620, 310))
    assert "needs x, y, width and height" in str(
        await page.fails("screenshot", value="region", x=1)
    )
    assert "not a valid way to take" in str(await page.fails("screenshot", value="zoomed"))


async def test_what_differs_is_told_by_the_nearest_element(page, serve_site):
    html = (
        "<!doctype html><title>A</title><body style='background:#0000'><button>Save</button>"
        "<div id=d style='position:absolute;left:400px;top:500px;width:100px;height:50px'></div>"
        "<button style='position:absolute;left:400px;top:560px'>Other</button>"
    )
    await page("navigate", url=serve_site({"/": html}))
    assert "There is no earlier picture" in await page("screenshot", value="changed")
    same = await page("screenshot", value="changed")
    assert same == "Same picture."
    assert count_tokens(same) <= 6
    await page.run("d.style.background = 'rgba(200, 0, 0, .5)'; 0")
    result = await page.result("screenshot", value="changed")
    assert not result.images
    first, place = result.text.splitlines()
    assert first == "0.5% of the picture differs, in 1 place:"
    found = re.fullmatch(r'(\d+) x (\d+) px at (\d+), (\d+) near button "Other" e\d+', place)
    assert [abs(int(a) - b) <= 16 for a, b in zip(found.groups(), (100, 50, 400, 500), strict=True)]
    assert await page("screenshot", value="changed") == "Same picture."


async def test_a_file_is_compared_and_the_difference_saved(page, serve_site):
    await page("navigate", url=serve_site({"/": "<!doctype html><title>A</title><h1>One</h1>"}))
    await page("screenshot", output="before.png")
    assert await page("screenshot", value="before.png") == "Same picture."
    await page.run("document.querySelector('h1').textContent = 'Two'; 0")
    answer = await page("screenshot", value="before.png", output="difference.png")
    assert "of the picture differs, in 1 place:" in answer
    saved = re.search(r"Saved to (\S+) ", answer)[1]
    with Image.open(saved) as picture:
        assert picture.size == (1280, 720)
    await page("resize", width=600, height=500)
    assert (await page.fails("screenshot", value="before.png")).code == "other_size"
    await page("resize", width=1280, height=720)
    assert (await page.fails("screenshot", value="none.png")).code == "no_picture"


async def test_faint_differences_are_told_as_such(page, serve_site):
    html = "<!doctype html><title>A</title><body style='margin:0'><h1>One</h1><p id=p>Text</p>"
    await page("navigate", url=serve_site({"/": html}))
    await page("screenshot", output="before.png")
    await page("screenshot")
    await page.run("document.body.style.background = '#fcfcfc'; 0")
    answer = await page("screenshot", value="changed")
    assert re.match(r"\d+\.\d% of the picture differs by at most \d+ of 255, in \d", answer)
    assert "of the picture differs by at most 3 of 255" in await page(
        "screenshot", value="before.png"
    )
    assert await page("screenshot", value="changed") == "Same picture."
    # A faint difference is told beside a strong one, and is no noise where it is alone.
    await page.run(
        "document.body.style.background = ''; p.style = 'position:absolute;left:600px;top:600px;"
        "margin:0;width:50px;height:50px;background:#fafafa'; p.textContent = ''; 0"
    )
    await page("screenshot")
    await page.run("document.querySelector('h1').textContent = 'Two'; p.style.background = ''; 0")
    answer = await page("screenshot", value="changed")
    assert ", in 2 places:" in answer
    assert re.search(r"^(5\d|6\d) x (5\d|6\d) px at (59|60)\d, (59|60)\d", answer, re.MULTILINE)


CLEAR = """<!doctype html><title>A</title><body style='background:transparent'>
<button style='mix-blend-mode:difference;background:#fff;color:#000;width:200px;height:80px'>Blended
</button><button style='opacity:.4;width:200px;height:80px'>Pale</button>"""


async def test_transparent_and_blended_pictures(page, serve_site, tmp_path):
    await page("navigate", url=serve_site({"/": CLEAR}))
    plain = image_of(await page.result("screenshot"))
    result = await page.result("screenshot", value="marks")
    picture = image_of(result)
    assert re.findall(r'button "(\w+)"', result.text) == ["Blended", "Pale"]
    for mark in result.data["marks"]:
        middle = [round(mark[a] + mark[b] / 2) for a, b in (("x", "width"), ("y", "height"))]
        middle[0] += 60  # beside the words
        pairs = zip(picture.getpixel(tuple(middle)), plain.getpixel(tuple(middle)), strict=True)
        assert all(abs(one - other) < 8 for one, other in pairs)
    saved = re.search(r"Saved to (\S+) ", await page("screenshot", output="clear.png"))[1]
    with Image.open(saved) as opened:
        whole = opened.convert("RGBA")
    # What is clear counts as white: there it was white before, and on the button it was not.
    pale = middle[0] - 5, middle[1] - 5, middle[0] + 5, middle[1] + 5
    for box, same in (((600, 600, 700, 700), True), (pale, False)):
        whole.paste((0, 0, 0, 0), box)
        whole.save(saved)
        answer = await page("screenshot", value="clear.png")
        assert (answer == "Same picture.") is same, answer


def file_of(image, kind="PNG", **options):
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def claiming(width, height):
    """The file of a picture without a pixel, that says it has many."""
    chunks = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), b"IDAT", b"IEND"
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in chunks
    )


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1280 720\n%%EndComments\n"
PICTURES = {
    **{
        mode: lambda image, mode=mode: file_of(image.convert(mode))
        for mode in ("P", "L", "1", "LA")
    },
    "CMYK": lambda image: file_of(image.convert("CMYK"), "JPEG"),
    "animated": lambda image: file_of(image, save_all=True, append_images=[image.rotate(180)]),
    "webp": lambda image: file_of(image, "WEBP"),
}
NO_PICTURES = {
    "empty": lambda _: b"",
    "text": lambda _: b"no picture",
    "cut off": lambda image: file_of(image)[:2_000],
    "of another kind": lambda image: file_of(image, "GIF"),
    "drawn by another program": lambda _: EPS,
    "far too large": lambda _: claiming(2**31 - 1, 2**31 - 1),
}


@pytest.mark.parametrize("name", PICTURES)
async def test_a_picture_of_any_mode_is_compared(one_page, saved, name):
    path, image = saved
    path.write_bytes(PICTURES[name](image))
    assert "of the picture differs" in await one_page("screenshot", value=path.name)


@pytest.mark.parametrize("name", NO_PICTURES)
async def test_a_file_that_is_no_picture(one_page, saved, name):
    path, image = saved
    path.write_bytes(NO_PICTURES[name](image))
    assert (await one_page.fails("screenshot", value=path.name)).code == "no_picture"


async def test_files_that_are_not_read(one_page, saved):
    path, _ = saved
    path.write_bytes(claiming(100_000, 640))
    error = await one_page.fails("screenshot", value=path.name)
    assert "have 100000 x 640 and 1280 x 720 pixels" in str(error)
    os.truncate(path, 200_000_000)
    assert (await one_page.fails("screenshot", value=path.name)).code == "too_large"
    path.unlink()
    os.mkfifo(path)
    assert (await one_page.fails("screenshot", value=path.name)).code == "no_picture"
    path.unlink()


async def test_marks_on_a_page_that_never_stands_still(page, serve_site):
    html = (
        "<!doctype html><title>A</title><body>" + "<p><button>B</button></p>" * 40 + "<script>"
        "const all = [...document.querySelectorAll('p')]; const turn = () => {"
        " document.body.append(document.body.querySelector('p'));"
        " all[9].innerHTML = '<button>New</button>'; setTimeout(turn) }; turn()</script>"
    )
    await page("navigate", url=serve_site({"/": html}))
    result = await page.result("screenshot", value="marks")
    told = result.text.splitlines()[-1]
    assert re.match(r"\d+ elements? moved meanwhile and got no mark\.|\d+ = button", told), told
    assert len(result.images) == 1


async def test_a_page_that_scrolls_all_the_time_has_no_mark_and_says_so(page, serve_site):
    rows = "".join(f"<p><button>B{n}</button>" for n in range(300))
    script = "<script>setInterval(() => scrollBy(0, 3), 5)</script>"
    await page("navigate", url=serve_site({"/": f"<!doctype html><title>A</title>{rows}{script}"}))
    result = await page.result("screenshot", value="marks")
    assert not result.data["marks"]
    assert len(result.images) == 1
    first, told = result.text.splitlines()
    assert first == "Viewport: 1280 x 720 px."
    assert re.fullmatch(r"\d+ elements moved meanwhile and got no mark\.", told)


async def test_ten_thousand_elements_are_marked_on_a_machine_with_much_to_do(
    page, serve_site, monkeypatch
):
    cells = "".join(f"<button>{n}</button>" for n in range(10_000))
    await page("navigate", url=serve_site({"/": f"<!doctype html><title>A</title>{cells}"}))
    # Only documents of frames are left out where they take long.
    monkeypatch.setattr("strap_browser.actions.pictures.places.LIMIT", 0.01)
    result = await page.result("screenshot", value="marks", full_page=True)
    assert len(result.data["marks"]) == 150
    assert len(result.images) == 4
    assert "The 150 smallest of 10,000 are marked" in result.text
