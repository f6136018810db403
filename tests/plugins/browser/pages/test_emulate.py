"""Emulation: each word as the page's own scripts read it, and words that are none."""

import json
import re

import pytest

from strap_browser.engine.emulation import DEVICES
from strap_browser.engine.emulation_words import WORDS

pytestmark = pytest.mark.anyio
READABLE = [
    ("dark", "matchMedia('(prefers-color-scheme: dark)').matches", True),
    ("light", "matchMedia('(prefers-color-scheme: light)').matches", True),
    ("print", "matchMedia('print').matches", True),
    ("reduced-motion", "matchMedia('(prefers-reduced-motion: reduce)').matches", True),
    ("forced-colors", "matchMedia('(forced-colors: active)').matches", True),
    ("touch", "navigator.maxTouchPoints", 5),
    ("390x844", "[innerWidth, innerHeight]", [390, 844]),
    ("timezone=Asia/Tokyo", "Intl.DateTimeFormat().resolvedOptions().timeZone", "Asia/Tokyo"),
    ("timezone=Asia/Tokyo", "new Date(0).getHours()", 9),
    ("locale=de-DE", "[navigator.language, (1.5).toLocaleString()]", ["de-DE", "1,5"]),
    ("clock=2031-12-24T10:00", "[new Date().getFullYear(), Date().slice(11, 15)]", [2031, "2031"]),
    ("clock=2031-12-24T10:00", "[new Date(0).getTime(), new Date() instanceof Date]", [0, True]),
    ("offline", "navigator.onLine", False),
    ("offline", "fetch('/').then(() => 1, () => 'failed')", "failed"),
    ("user-agent=Some, thing; (else)", "navigator.userAgent", "Some, thing; (else)"),
    (
        "geo=52.5,13.4",
        "new Promise(r => navigator.geolocation.getCurrentPosition(p => r(p.coords.latitude)))",
        52.5,
    ),
    (
        "permission=notifications",
        "navigator.permissions.query({name: 'notifications'}).then(s => s.state)",
        "granted",
    ),
]
SCRIPT = "<h1>Plain</h1><script>document.write('Scripted')</script>"
PHONE = "iPhone 15 Pro Max, dark; timezone=Europe/Berlin locale=de-DE"


async def value(page, expression):
    return json.loads((await page("evaluate", text=expression)).splitlines()[0])


@pytest.fixture
async def there(page, serve_site):
    view = "<meta name=viewport content='width=device-width'>"
    root = f"{view}<title>Root</title><h1>Root</h1><a href=/next target=_blank>Next</a>"
    served = serve_site({"/": root, "/next": f"{view}<h1>Next</h1>", "/script": SCRIPT})
    await page("navigate", url=f"{served}/".replace("127.0.0.1", "localhost"))
    yield served
    await page("emulate", value="off")


@pytest.mark.parametrize(("words", "expression", "expected"), READABLE)
async def test_each_word_is_what_the_page_reads(page, there, words, expression, expected):
    before = await value(page, expression) if "Promise" not in expression else None
    said = await page("emulate", value=words)
    assert said.startswith("The page reads: ")
    assert await value(page, expression) == expected
    assert await page("emulate", value="off") == "Nothing is emulated."
    if before is not None:
        assert await value(page, expression) == before


@pytest.mark.parametrize(
    ("words", "read", "least"),
    [
        ("slow-3g", r"online as 2g, (\d+) ms to an answer", 1_500),
        ("fast-3g", r"online as 3g, (\d+) ms to an answer", 400),
        ("cpu=20", r"scripts ([\d.]+) times slower", 0),  # a busy machine slows both
    ],
)
async def test_how_slow_it_is_is_what_the_page_reads(page, there, words, read, least):
    said = await page("emulate", value=words)
    assert float(re.search(read, said)[1]) > least
    assert await page("emulate", value="off") == "Nothing is emulated."


@pytest.mark.parametrize(
    ("words", "script", "read"),
    [
        ("cpu=2", "performance.now = () => 'x'", "unknown"),
        ("cpu=2", "performance.now = () => { throw 1 }", "unknown"),
        ("offline", "navigator.permissions.query = matchMedia = null", "unknown"),
        ("passkey", "window.PublicKeyCredential = null", "no passkeys"),
        ("javascript=off", "window.EventTarget = null", "unknown"),
        ("slow-3g", "Object.defineProperty(navigator, 'connection', {value: null})", "online"),
    ],
    ids=["text", "throws", "no function", "no passkeys", "no events", "no connection"],
)
async def test_what_a_page_breaks_is_unknown(page, there, words, script, read):
    await page("evaluate", text=f"{script}; 1")
    assert await page("emulate", value=words) == f"The page reads: {read}."
    assert await page("emulate", value="off") == "Nothing is emulated."


async def test_a_device_in_later_documents_and_windows(page, there):
    said = await page("emulate", value=PHONE)
    assert said.startswith(
        "The page reads: 430 x 739 px at 3; touch on; dark; Europe/Berlin; de-DE"
    )
    assert await page("emulate") == said
    width = "[innerWidth, navigator.userAgent.includes('iPhone'), new Date(0).getHours()]"
    assert await value(page, width) == [430, True, 1]
    opened = re.search(r"opened: (t\d+)", await page("click", selector="a"))[1]
    await page("snapshot", target_id=opened)
    assert await value(page, width) == [430, True, 1]
    assert "iPhone" in there.requests[-1].headers["user-agent"]
    await page("new_page", url=f"{there}/next")
    assert await value(page, width) == [430, True, 1]
    assert "dark" not in await page("emulate", value="light")
    assert await page("emulate", value="off") == "Nothing is emulated."
    assert (await value(page, width))[:2] != [430, True]


async def test_a_click_on_a_phone_lands(page, there):
    await page("emulate", value="Pixel 8")
    await page.show("<button onclick='this.textContent = 1'>Push</button><p style='width: 3000px'>")
    await page("click", selector="button")
    assert await value(page, "document.querySelector('button').textContent") == "1"


async def test_scripts_do_not_run_and_the_page_is_read(page, there):
    assert await page("emulate", value="javascript=off") == "The page reads: no scripts."
    await page("navigate", url=f"{there}/script")
    assert await page("emulate") == "The page reads: no scripts."
    shown = await page("snapshot")
    assert "Plain" in shown
    assert "Scripted" not in shown


@pytest.mark.parametrize(
    ("words", "code"),
    [
        *(("iPhone 99", "unknown_device"), ("drak", "unknown_device")),
        *(("geo=91,0", "invalid_arguments"), ("cpu=0", "invalid_arguments")),
        *(("cpu=nan", "invalid_arguments"), ("clock=noon", "invalid_arguments")),
        *(("timezone=Mars/Base", "bad_value"), ("permission=flying", "bad_value")),
        *(("geo=1", "invalid_arguments"), ("javascript=maybe", "invalid_arguments")),
        *(("user-agent=Bad\nHeader", "invalid_arguments"), ("10x10", "invalid_arguments")),
    ],
)
async def test_what_is_no_word(page, there, words, code):
    error = await page.fails("emulate", value=words)
    assert error.code == code
    if code == "unknown_device":
        assert str(error).count(",") >= 4
        assert WORDS in str(error)
    if words.startswith("cpu"):
        assert "cpu=4 (1 to 20)" in str(error)
    assert await page("emulate") == "Nothing is emulated."


def test_the_devices_are_some():
    assert len(DEVICES) > 50
    assert all(w > 0 and h > 0 and 1 <= scale <= 5 for w, h, scale in DEVICES.values())
