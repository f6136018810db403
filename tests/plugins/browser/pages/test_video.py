"""Videos of a session: pictures, captions, frames around elements, and nothing of secrets."""

from pathlib import Path

import av
import pytest

from strap_browser.recorders.video_file import COLOUR, HEIGHT, STRIP, WIDTH
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
RED = tuple(bytes.fromhex(COLOUR[1:]))
PAGE = """<title>Shop</title><body style="background: #0000ff">
<button onclick="document.body.style.background = '#00ff00'">Add</button>"""


def pictures(path):
    """The pictures of a video, each with its time in seconds."""
    with av.open(str(path)) as file:
        return [(float(each.time), each.to_image()) for each in file.decode(video=0)]


def near(colour, pixel):
    return all(abs(one - other) < 60 for one, other in zip(colour, pixel, strict=True))


def has_frame(image):
    strip = image.crop((0, 0, 200, 60))
    return any(near(RED, strip.getpixel((x, y))) for x in range(200) for y in range(60))


@pytest.fixture
async def there(page, serve_site):
    await page("navigate", url=f"{serve_site({'/': PAGE, '/next': '<h1>Next</h1>'})}/")
    return page


async def test_a_video_has_what_was_done(there, outputs):
    await there("record", value="har,video", output="shop")
    await there("click", selector="button")
    await there("wait", value="0.4")
    said = await there("record", value="stop")
    assert str(outputs / "shop.webm") in said
    shown = pictures(outputs / "shop.webm")
    times, images = zip(*shown, strict=True)
    assert list(times) == sorted(times)
    assert {each.size for each in images} == {(WIDTH, HEIGHT + STRIP)}
    assert near((0, 0, 255), images[0].getpixel((900, 500)))
    assert near((0, 255, 0), images[-1].getpixel((900, 500)))
    assert any(map(has_frame, images)), "the button is framed"
    caption = images[-1].crop((0, HEIGHT, WIDTH, HEIGHT + STRIP)).convert("L").getextrema()
    assert caption[1] > 200, "there is a caption"
    assert (outputs / "shop.har").exists()


async def test_a_video_can_be_seen_while_it_grows(there, outputs, tmp_path):
    await there("record", value="video", output="growing")
    for colour in ("red", "green", "black", "white"):
        await there("evaluate", text=f"document.body.style.background = '{colour}'; 0")
        await there("wait", value="0.4")

    async def seen():
        copy = tmp_path / "copy.webm"
        copy.write_bytes((outputs / "growing.webm").read_bytes())
        try:
            return pictures(copy)
        except (av.FFmpegError, IndexError):
            return None

    assert await eventually(seen)
    await there("record", value="stop")


async def test_the_page_of_the_last_call_is_shown(there, outputs):
    await there("record", value="video", output="pages")
    await there("new_page")
    await there("evaluate", text="document.body.style.background = '#ff0000'; 0")
    await there("wait", value="0.4")
    await there("record", value="stop")
    assert near((255, 0, 0), pictures(outputs / "pages.webm")[-1][1].getpixel((900, 500)))


@pytest.mark.parametrize("size", [(8_000, 600), (390, 8_000)])
async def test_a_huge_page_is_scaled(there, outputs, size):
    width, height = size
    await there("resize", width=width, height=height)
    await there("record", value="video", output=f"huge{width}")
    await there("click", selector="button")
    await there("wait", value="0.5")
    await there("record", value="stop")
    last = pictures(outputs / f"huge{width}.webm")[-1][1]
    assert near((0, 255, 0), last.getpixel((WIDTH // 2, 20)))


async def test_captions_hide_what_answers_hide(tmp_path):
    from strap import Secrets
    from strap.config.secrets import Secret
    from strap.evidence.har import Masking
    from strap_browser.recorders.recording import RecordedCall
    from strap_browser.recorders.video import VideoRecorder

    secrets = Secrets({"key": Secret(value="correct-horse", origins=("https://a.example",))})
    recorder = VideoRecorder(tmp_path / "x.webm", Masking(secrets=secrets), print, lambda: False)
    what = "navigate https://a.example/?token=abc&q=correct-horse"
    call = RecordedCall(what=what, answer="", failed=False, at=0, page=None)
    recorder.take("call", call, "t1")
    await recorder.stop()
    assert "correct-horse" not in recorder.caption
    assert "abc" not in recorder.caption
    assert "navigate" in recorder.caption


async def test_a_page_that_shows_a_secret_is_not_shown(tmp_path, serve_site):
    from strap import testing
    from tests.support.browser import ANY_BROWSER
    from tests.support.caller import Caller

    site = serve_site({"/": PAGE, "/key": f"{PAGE}<p>correct-horse</p>"})
    secrets = {"key": {"value": "correct-horse", "origins": [str(site)]}}
    async with testing.router(
        home=tmp_path, network="local", plugins={"browser": ANY_BROWSER}, secrets=secrets
    ) as web:
        caller = Caller(web)
        await caller("launch")
        await caller("navigate", url=f"{site}/")
        said = await caller("record", value="video", output="key")
        await caller("wait", value="0.3")
        await caller("navigate", url=f"{site}/key")
        await caller("wait", value="0.5")
        await caller("record", value="stop")
    first, *_, last = pictures(Path(said.split(" to ")[1].rstrip(".")))
    assert near((0, 0, 255), first[1].getpixel((900, 500)))
    assert not near((0, 0, 255), last[1].getpixel((900, 500)))
