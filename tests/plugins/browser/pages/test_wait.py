"""Waiting: as long as it takes, and never beyond the limit."""

import asyncio
import json
from time import monotonic

import pytest

from strap_browser.actions import sightings

from .conftest import a_page, ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


LATER = "setTimeout(() => { document.getElementById('status').textContent = '%s' }, 150); 0"


async def test_text(page):
    await page.open("form.html")
    await page("evaluate", text=LATER % "All  is done")
    answer = await page("wait", text="all is DONE")
    assert answer == "'all is DONE' is there.\nChanged:\n+ status: All is done"


async def test_text_gone(page):
    await page.open("form.html")
    await page(
        "evaluate", text="setTimeout(() => document.getElementById('clicks').remove(), 150); 0"
    )
    answer = await page("wait", text="Clicked 0", value="gone")
    assert answer.startswith("'Clicked 0' is gone.\nChanged:\n- text: Clicked 0")


@pytest.mark.parametrize("name", ["shadow.html", "frames.html"])
async def test_text_in_shadow_roots_and_frames(page, name):
    words = {"shadow.html": "Greet", "frames.html": "Words of the frame"}[name]
    await page.open(name)
    assert f"{words!r} is there." in await page("wait", text=words, timeout=10)


async def test_hidden_text_does_not_count(page):
    await page.open("hidden.html")
    assert (await page.fails("wait", text="Invisible", timeout=0.6)).code == "timeout"


SHUT = "<div style='height: 0; overflow: hidden'>"
HOLDS = "<div style='height: 0; overflow: hidden; position: relative'>"
ABSOLUTE, FIXED = (
    "<p style='position: absolute; top: 9px'>",
    "<p style='position: fixed; top: 9px'>",
)
SCROLLS = "<div style='height: 40px; overflow: auto'><p style='margin-top: 400px'>"
UNSEEN = {
    "through and through": "<p style='opacity: 0'>Saved</p>",
    "what it is in": "<div style='opacity: 0'><p>All <b>Saved</b></p></div>",
    "without a size": "<p style='font-size: 0'>Saved</p>",
    "shrunk": "<p style='transform: scale(0)'>Saved</p>",
    "in a drawer": "<p style='position: absolute; left: -300px; width: 200px'>Saved</p>",
    "shut": f"{SHUT}<p>Saved",
    "shut, and held": f"{HOLDS}{ABSOLUTE}Saved",
    "shut, and held though fixed": f"{SHUT[:-2]}; transform: rotate(0)'>{FIXED}Saved",
    "many times": "<p style='opacity: 0'>Saved</p>" * 150,
    "in part": "<p>Sav<b style='opacity: 0'>ed</b></p>",
}
SEEN = {
    "again": "<p style='opacity: 0'>Saved</p><p>Saved</p>",
    "from two blocks": "<p>It is</p><p>Saved</p>",
    "above all": "<div style='opacity: 0'><p popover id=top>Saved</p></div>",
    "cut off to the side alone": "<div style='overflow-x: clip; height: 0'>Saved</div>",
    "faint": "<p style='opacity: .01'>Saved</p>",
    "far below": "<p style='margin-top: 9000px'>Saved</p>",
    "to be scrolled to": f"{SCROLLS}Saved",
    "out of what is shut": f"{SHUT}{FIXED}Saved",
    "placed outside": f"{SHUT}{ABSOLUTE}Saved",
    "without a box": "<div style='display: contents'>Saved</div>",
    "in other letters": "<p style='text-transform: uppercase'>sa<i>ved</i></p>",
    "with a place to break": "<p>Sav<span>\u200b</span>ed</p>",
    "for readers": "<p style='position: absolute; width: 1px; height: 1px; overflow: hidden'>Saved",
    "for readers, off the page": "<p style='position: absolute; left: -9999px'>Saved</p>",
    "for eyes alone": "<p aria-hidden=true>Saved</p>",
    "in a drop-down": "<select><option>Saved</select>",
    "in a body without height": "<style>body {height: 0; overflow: hidden}</style><p>Saved</p>",
}


@pytest.mark.parametrize("body", UNSEEN.values(), ids=UNSEEN)
async def test_what_nobody_sees_is_not_there(page, body):
    await page.open("form.html")
    await page("evaluate", text=f"document.body.innerHTML = {json.dumps(body)}; 0")
    words = "It is Saved" if "It is" in body else "Saved"
    assert (await page.fails("wait", text=words, timeout=0.5)).code == "timeout"
    assert f"'{words}' is gone." in await page("wait", text=words, value="gone")


WITHIN = """let into = document.body; into.textContent = '';
for (let level = 0; level < 450; level++) {
  into.insertAdjacentHTML('beforeend', '<div style="opacity: 0">Sa<i>ved</i></div>');
  into = into.lastElementChild }
into.insertAdjacentHTML('beforeend', '<p>word</p>'.repeat(9000)); 0"""


LATE = """document.body.innerHTML = '<div style="height: 0; overflow: hidden">' +
  '<p>needle</p>'.repeat(%d) + '</div><p>The needle is here</p>'; 0"""


async def test_a_text_is_found_behind_more_of_it_than_one_look_takes_in(page, monkeypatch):
    monkeypatch.setattr(sightings, "FIRST_LOOK", 0.01)  # however fast the machine is
    monkeypatch.setattr(sightings, "ANSWER", 1000)  # and however busy
    await page.open("form.html")
    await page("evaluate", text=LATE % 3000)
    assert "'needle' is there." in await page("wait", text="needle", timeout=25)
    monkeypatch.setattr(sightings, "LONGEST_LOOK", 0.01)
    await page("evaluate", text=LATE % 30_000)
    error = await page.fails("wait", text="needle", timeout=5)
    assert error.code == "page_busy"
    assert "too large to be looked through for 'needle' in that time" in str(error)


async def test_a_page_that_is_long_to_look_at_goes_on_meanwhile(page):
    await page.open("form.html")
    await page("evaluate", text=WITHIN)
    assert (await page.fails("wait", text="Saved", timeout=2)).code == "page_busy"
    assert (await page("evaluate", text="document.querySelectorAll('p').length")) == "9000"


@pytest.mark.parametrize("body", SEEN.values(), ids=SEEN)
async def test_what_somebody_may_see_is_there(page, body):
    await page.open("form.html")
    await page("evaluate", text=f"document.body.innerHTML = {json.dumps(body)}; 0")
    await page("evaluate", text="document.querySelector('[popover]')?.showPopover(); 0")
    words = "Sav\u200bed" if "\u200b" in body else "It is Saved" if "It is" in body else "Saved"
    assert "is there." in await page("wait", text=words, timeout=5)


async def test_a_spinner_is_gone_when_its_words_for_readers_are(page):
    await page.open("form.html")
    words = "<p style='position: absolute; width: 1px; height: 1px; overflow: hidden'>Loading..."
    show = f"document.body.innerHTML = {words!r}; setTimeout(() => document.body.replaceChildren()"
    await page("evaluate", text=f"{show}, 700); performance.now()")
    assert "'Loading...' is gone." in await page("wait", text="Loading...", value="gone")
    assert await page("evaluate", text="document.body.childElementCount") == "0"


async def test_what_fields_hold(page):
    await page.open("form.html")
    assert "'Your name' is there." in await page("wait", text="Your name")
    await page("fill", selector="[name=password]", value="hunter2")
    assert (await page.fails("wait", text="hunter2", timeout=0.5)).code == "timeout"


async def test_element(page):
    await page.open("overlay.html")
    await page("evaluate", text="setTimeout(() => uncover(), 150); 0")
    assert "'#overlay' is gone." in await page("wait", selector="#overlay", value="gone")
    await page("evaluate", text="setTimeout(() => { gone.style.display = 'block' }, 150); 0")
    assert "'#gone' is there." in await page("wait", selector="#gone")


async def test_element_by_ref(page):
    ref = ref_in(await page.open("form.html"), 'button "Count"')
    assert f'button "Count" {ref} is there.' in await page("wait", ref=ref)
    await page("evaluate", text="setTimeout(() => counter.remove(), 150); 0")
    assert f'button "Count" {ref} is gone.' in await page("wait", ref=ref, value="gone")


async def test_ref_of_an_earlier_document_is_gone(page):
    ref = ref_in(await page.open("form.html"), 'button "Count"')
    await page.open("rerender.html")
    assert "is gone." in await page("wait", ref=ref, value="gone")


async def test_address(page):
    await page.open("slow.html")
    await page("evaluate", text="setTimeout(() => history.pushState(1, '', '/inner/9'), 150); 0")
    answer = await page("wait", text="inner/9", value="url")
    assert answer.startswith("The address contains 'inner/9'.")
    assert f"URL: {page.site}/inner/9" in answer


async def test_another_document(page):
    await page.open("form.html")
    await page("evaluate", text="setTimeout(() => { location.href = 'rerender.html' }, 150); 0")
    answer = await page("wait", text="Item")
    assert "'Item' is there." in answer
    assert 'Now at "Rerender"' in answer


async def test_page_at_rest(page):
    await page.open("slow.html")
    await page("evaluate", text="setTimeout(() => load.click(), 100); 0")
    answer = await page("wait")
    assert answer == "The page is idle.\nChanged:\n~ status: Loaded"


async def test_another_document_has_to_rest_as_well(page):
    await page.open("form.html")
    await page("evaluate", text="setTimeout(() => { location.href = '/late' }, 150); 0")
    assert "It came late" in await page("wait")


ALL_THE_TIME = {
    "nothing": "",
    "its text": "every(() => { said.textContent += '.' })",
    "its requests": "setInterval(() => fetch('/more'), 300)",
    "a later shadow root": "setTimeout(() => { const root = said.attachShadow({ mode: 'open' });"
    " every(() => { root.textContent += '.' }) }, 200)",
    "a frame": "const frame = document.createElement('iframe'); document.body.append(frame);"
    " every(() => { frame.contentDocument.body.append('.') })",
}


async def test_the_time_before_counts_only_if_nothing_went_on(shared, site, sessions, monkeypatch):
    # The limit is too short for a page that has to rest for so long from now on.
    monkeypatch.setattr("strap_browser.actions.rest.REST_MS", 1500)
    limit = 0.8

    async def rests(busy):
        async with a_page(shared, site, sessions) as page:
            await page.open("inner.html")
            doing = f"const every = (act) => setInterval(act, 40); {ALL_THE_TIME[busy]}"
            await page("evaluate", text=f"document.body.innerHTML = '<p id=said>'; {doing}; 0")
            await asyncio.sleep(1.6)
            if busy != "nothing":
                return (await page.fails("wait", timeout=limit)).code
            # A second time as well: that it was asked ends nothing.
            return [await page("wait", timeout=limit) for _ in range(2)]

    found = dict(zip(ALL_THE_TIME, await asyncio.gather(*map(rests, ALL_THE_TIME)), strict=True))
    assert found.pop("nothing") == ["The page is idle.\nNothing else has changed so far."] * 2
    assert set(found.values()) == {"timeout"}, found


async def test_restless_page(page):
    await page.open("slow.html")
    await page("evaluate", text="setInterval(() => { document.body.dataset.t = Math.random() }, 9)")
    assert "The page is idle." in await page("wait", value="idle", timeout=20)


async def test_everything_loaded(page):
    await page.open("form.html")
    assert "The page is loaded." in await page("wait", value="load")
    await page("navigate", url=f"{page.site}/stuck-image")
    error = await page.fails("wait", value="load", timeout=0.8)
    assert error.code == "timeout"
    assert str(error).startswith("The page was not loaded within 0.8 s.")


async def test_request_that_never_ends_is_named(page, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.settle.REQUESTS_LIMIT", 0.5)
    await page.open("slow.html")
    await page("evaluate", text="fetch('/endless').then((r) => r.text()); 0", timeout=20)
    error = await page.fails("wait", value="idle", timeout=1)
    assert "The page still waits for GET" in str(error)
    assert "/endless" in str(error)


async def test_seconds(page):
    await page.open("form.html")
    began = monotonic()
    assert "Waited for 0.3" in await page("wait", value="0.3")
    assert monotonic() - began >= 0.3


async def test_time_is_up(page):
    await page.open("form.html")
    error = await page.fails("wait", text="Zanzibar", timeout=2)
    assert str(error) == ("'Zanzibar' did not appear within 2 s. `snapshot` shows what is there.")
    assert error.retryable
    error = await page.fails("wait", selector="#counter", value="gone", timeout=2)
    assert str(error).startswith("'#counter' did not go away within 2 s.")
    assert "Clicked 1" in await page("click", selector="#counter")


async def test_of_a_frame_that_hangs_nobody_knows_that_a_text_is_gone(page):
    await page.open("form.html")
    other = str(page.site).replace("127.0.0.1", "localhost")
    frame = f"<iframe src={other}/loop></iframe>"
    await page("evaluate", text=f"document.body.insertAdjacentHTML('beforeend', '{frame}')")
    await page("wait", value="0.3")
    error = await page.fails("wait", text="Zanzibar", value="gone", timeout=2)
    assert (error.code, error.retryable) == ("page_busy", True)
    assert (await page.fails("wait", text="Zanzibar", timeout=2)).code == "timeout"


async def test_dialog_ends_it(page):
    await page.open("form.html")
    await page("evaluate", text="setTimeout(() => confirm('Still there?'), 150); 0")
    answer = await page("wait", text="Zanzibar", timeout=20)
    assert "Stopped waiting: a dialog opened." in answer
    assert "A confirm dialog is open: 'Still there?'." in answer


@pytest.mark.parametrize(
    "fields",
    [{"text": "Zanzibar"}, {"selector": "#no"}, {"value": "20"}, {"value": "load"}, {}],
    ids=str,
)
async def test_cancelled(page, fields, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.settle.REQUESTS_LIMIT", 0.5)
    await page("navigate", url=f"{page.site}/stuck-image")
    if not fields:
        await page("evaluate", text="fetch('/endless').then((r) => r.text()); 0", timeout=20)
    waiting = asyncio.ensure_future(page.result("wait", **fields))
    await asyncio.sleep(0.2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert "Picture" in await page("snapshot", timeout=5)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": "a", "selector": "b"}, "Give text or selector, not both."),
        ({"ref": "e1", "selector": "b"}, "Give ref or selector, not both."),
        ({"value": "gone"}, "value='gone' needs text, ref or selector."),
        ({"value": "url"}, "value='url' needs text"),
        ({"value": "load", "text": "a"}, "value='load' is about the page: leave text out."),
        ({"value": "3", "text": "a"}, "not both"),
        ({"value": "forever"}, "value='forever' is nothing to wait for. Valid: gone, load,"),
        ({"value": "-1"}, "nothing to wait for"),
        ({"ref": "e999"}, "There is no ref 'e999'"),
        ({"ref": "x y"}, "is not a ref"),
        ({"selector": "<p>"}, "is not a valid selector"),
    ],
    ids=str,
)
async def test_bad_input(page, fields, words):
    await page.open("form.html")
    assert words in str(await page.fails("wait", **fields))


@pytest.mark.parametrize("reading", ["snapshot", "text", "screenshot", "pdf"])
async def test_what_only_reads_goes_beside_it(page, reading):
    fields = {"output": "beside.pdf"} if reading == "pdf" else {}
    await page.open("form.html")
    waiting = asyncio.create_task(page("wait", text="All is done", timeout=20))
    await asyncio.sleep(0.1)
    assert await page(reading, **fields)
    assert not waiting.done()
    waiting.cancel()


async def test_what_changes_the_page_comes_after_it_and_so_does_what_follows(page):
    await page.open("form.html")
    await page("evaluate", text=LATER % "All is done")
    ended = []

    async def call(action, **fields):
        answer = await page(action, **fields)
        ended.append(action)
        return answer

    told, shown, _, text = await asyncio.gather(
        call("wait", text="All is done"),
        call("snapshot"),
        call("click", selector="#counter"),
        call("text"),
    )
    assert ended == ["snapshot", "wait", "click", "text"]
    assert "All is done" not in shown
    assert told.endswith("Changed:\n+ status: All is done")
    assert "Clicked 1" in text


async def test_what_waited_for_another_call_is_told_of_it(page):
    await page.open("form.html")
    waiting = asyncio.create_task(page("wait", text="All is done", timeout=20))
    await asyncio.sleep(0.1)
    error = await page.fails("click", selector="button", timeout=0.2)
    assert error.code == "timeout"
    assert error.hint == (
        "It waited for its turn on the page, which browser.wait has: make it again when that has "
        "ended, or give it more with timeout (seconds)."
    )
    waiting.cancel()
