"""Login states: saved for nobody else's eyes, put back for another caller, saved on close."""

import json
import threading

import pytest

from strap_browser.api import read_login
from tests.heartbeat import beating
from tests.site.server import Reply
from tests.support.waiting import becomes

pytestmark = pytest.mark.anyio


@pytest.fixture
def shop(serve_site):
    def who(request):
        cookie = request.headers.get("cookie", "")
        return f"<h1>{'Hello Ada' if 'sid=ada' in cookie else 'Log in'}</h1><p id=p></p>"

    login = Reply(
        headers={"Set-Cookie": "sid=ada; Max-Age=3600; HttpOnly"},
        body="<h1>In</h1><script>localStorage.setItem('cart', 'tea')</script>",
    )
    return serve_site({"/": who, "/login": login})


@pytest.fixture
def states(shared):
    return shared.router.config.home / "states"


async def test_saved_and_put_back(page, shop, shared, states):
    await page("navigate", url=f"{shop}/login")
    answer = await page("setup_state", state_id="shop-1")
    assert answer == "Saved the state 'shop-1' (1 cookie, storage of 1 site)."
    file = states / "shop-1.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert b"ada" not in file.read_bytes()
    other = shared.as_caller("returning")
    answer = await other(
        resource="browser", action="setup_state", state_id="shop-1", url=f"{shop}/"
    )
    assert "Restored the state 'shop-1' (1 cookie, storage of 1 site)." in answer.text
    assert "Hello Ada" in answer.text
    cart = await other(resource="browser", action="evaluate", text="localStorage.getItem('cart')")
    assert cart.text == '"tea"'
    listed = await other(resource="browser", action="list_pages")
    assert listed.text.count("\n") == 0
    await shared.router.end_session("local/returning")


async def test_a_plain_file_is_put_back_and_encrypted(page, shop, states):
    states.mkdir(exist_ok=True)
    cookie = {"name": "sid", "value": "ada", "url": f"{shop}/"}
    (states / "imported.json").write_text(json.dumps({"cookies": [cookie]}))
    for _ in range(2):
        assert "Hello Ada" in await page("setup_state", state_id="imported", url=f"{shop}/")
        assert b"ada" not in (states / "imported.json").read_bytes()


async def test_a_damaged_file_is_an_error_and_nothing_is_opened(page, shop, states):
    await page("navigate", url=f"{shop}/login")
    await page("setup_state", state_id="damaged")
    (states / "damaged.json").write_bytes((states / "damaged.json").read_bytes()[:-1])
    error = await page.fails("setup_state", state_id="damaged", url=f"{shop}/")
    assert (error.code, error.hint) == ("state", "Remove it and log in anew.")


async def test_half_a_character_is_kept(page, shop, states):
    await page("navigate", url=f"{shop}/login")
    await page("evaluate", text=r"localStorage.setItem('half', 'a\ud800b'); 0")
    assert "Saved" in await page("setup_state", state_id="half")
    [site] = read_login(states / "half.json")["origins"]
    assert {"name": "half", "value": "a\ud800b"} in site["localStorage"]
    await page("evaluate", text="localStorage.clear(); 0")
    assert "Restored" in await page("setup_state", state_id="half", url=f"{shop}/")
    assert await page("evaluate", text="localStorage.half.charCodeAt(1)") == str(0xD800)


MANY = 60_000


@pytest.mark.soak
async def test_storage_of_many_entries_is_read_and_written_in_pieces(
    page, shop, states, monkeypatch
):
    await page("navigate", url=f"{shop}/")
    fill = f"for (let i = 0; i < {MANY}; i++) localStorage.setItem('k' + i, String(i)); 0"
    await page("evaluate", text=fill, timeout=60)
    lengths = []
    loads, dumps = json.loads, json.dumps
    here = threading.get_ident()

    def read(text, *rest, **more):
        lengths.append(len(text) if threading.get_ident() == here else 0)
        return loads(text, *rest, **more)

    def write(value, *rest, **more):
        text = dumps(value, *rest, **more)
        lengths.append(len(text) if threading.get_ident() == here else 0)
        return text

    with monkeypatch.context() as patched:
        patched.setattr(json, "loads", read)
        patched.setattr(json, "dumps", write)
        saved = await page("setup_state", state_id="many", timeout=60)
        await page("evaluate", text="localStorage.clear(); 0")
        restored = await page("setup_state", state_id="many", url=f"{shop}/", timeout=60)
    assert "storage of 1 site" in saved
    assert "storage of 1 site" in restored
    assert max(lengths) < 1_500_000
    # Other processes of the browser hear of it a little later.
    await becomes(lambda: page("evaluate", text="localStorage.length"), str(MANY))
    assert await page("evaluate", text="localStorage.k55555") == '"55555"'


async def test_what_is_too_large_is_not_kept(page, shop, states):
    await page("navigate", url=f"{shop}/login")
    script = "for (let i = 0; i < 5000; i++) localStorage.setItem(i, '\"'.repeat(1010)); 0"
    await page("evaluate", text=script)
    async with beating():
        error = await page.fails("setup_state", state_id="large")
    assert error.code == "too_large"
    assert not (states / "large.json").exists()


async def test_saved_on_close(page, shop, shared, states):
    answer = await page("setup_state", state_id="later", url=f"{shop}/login")
    assert "There is no state 'later' yet." in answer
    assert "What is there when you `close` is saved under that name." in answer
    assert "import a storage state as " in answer
    keeper = shared.as_caller("keeper")  # so that the browser stays
    await keeper(resource="browser", action="new_page")
    closed = await page("close")
    assert closed.startswith(
        "Saved the state 'later' (1 cookie, storage of 1 site).\nClosed 1 page"
    )
    assert read_login(states / "later.json")["cookies"][0]["value"] == "ada"
    assert not list(states.glob(".*"))


@pytest.mark.parametrize(
    "content",
    [
        "no json",
        "[]",
        '{"cookies": 1}',
        '{"cookies": [{"name": 1}]}',
        '{"cookies": [], "origins": [{}]}',
        '{"cookies": [], "origins": [{"origin": "http://a.test", "localStorage": [1]}]}',
        "[" * 100_000,
    ],
)
async def test_file_that_is_no_state(page, shop, states, content):
    states.mkdir(exist_ok=True)
    (states / "broken.json").write_text(content)
    error = await page.fails("setup_state", state_id="broken", url=f"{shop}/")
    assert error.code == "state"
    assert "is not a usable state" in str(error)
    assert "Log in" in await page("navigate", url=f"{shop}/")


@pytest.mark.parametrize("name", ["../x", "", "a/b", ".hidden", "x" * 65])
async def test_names(page, name):
    assert "'state_id'" in str(await page.fails("setup_state", state_id=name))


async def test_bad_input(page, shop):
    assert "'state_id' is missing" in str(await page.fails("setup_state"))
    assert (await page.fails("setup_state", state_id="x")).code == "no_page"
    error = await page.fails("setup_state", state_id="x", url="file:///etc/passwd")
    assert error.code
    assert "Unknown profile" in str(await page.fails("setup_state", state_id="x", profile="nope"))
