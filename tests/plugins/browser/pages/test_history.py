"""Back, forward, reload."""

import asyncio
import time
from contextlib import suppress

import pytest

from strap import StrapError
from tests.site.server import Reply
from tests.support.waiting import eventually

from .conftest import engine_of

pytestmark = pytest.mark.anyio


async def test_back_and_forward(page):
    await page.open("form.html")
    await page.open("rerender.html")
    assert f'Now at "Sign up" {page.site}/form.html' in await page("back")
    assert f'Now at "Rerender" {page.site}/rerender.html' in await page("forward")


async def test_no_further(page):
    error = await page.fails("back")
    assert str(error) == "There is no earlier page. Go on with navigate."
    await page.open("form.html")
    assert (await page.fails("back")).code == "no_history"
    assert str(await page.fails("forward")).startswith("There is no later page.")


async def test_within_a_document(page):
    await page.open("slow.html")
    await page("click", selector="#push")
    answer = await page("back")
    assert f'Now at "Slow" {page.site}/slow.html' in answer
    assert f"{page.site}/pushed" in await page("forward")


async def test_reload(page):
    await page.open("form.html")
    await page("click", selector="#counter")
    answer = await page("reload")
    assert f'Now at "Sign up" {page.site}/form.html' in answer
    assert "Clicked 0" in answer


async def test_reload_of_what_is_not_there(page):
    assert "HTTP status 404 Not Found." in await page.open("missing")
    assert "HTTP status 404 Not Found." in await page("reload")


async def test_blank_page(page):
    assert str(await page.fails("reload")) == "The page is blank. Open one with navigate."


async def test_refs_survive_where_that_is_safe(page):
    await page.open("rerender.html")
    ref = await page.ref('button "Save"')
    await page.open("form.html")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    await page("back")
    assert "found it again" in await page("click", ref=ref)


async def test_page_that_asks_before_it_is_left(page):
    await page.open("rerender.html")
    await page.open("form.html")
    await page("evaluate", text="addEventListener('beforeunload', (e) => e.preventDefault()); 0")
    await page("fill", selector="[name=name]", value="Ada")
    assert "A beforeunload dialog is open" in await page("back", timeout=10)
    assert 'Now at "Rerender"' in await page("back", timeout=10)


async def test_open_dialog_is_closed(page):
    await page.open("dialogs.html")
    await page("click", selector="#confirm")
    answer = await page("reload")
    assert "The open confirm dialog was closed." in answer
    assert 'Now at "Dialogs"' in answer


async def test_cancelled(page):
    await page("navigate", url=f"{page.site}/form.html")
    await page("evaluate", text="history.pushState(1, '', '/silent'); 0")
    going = asyncio.ensure_future(page.result("reload"))
    await asyncio.sleep(0.3)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert "Sign up" in await page.open("form.html")


FRAMES = {
    "/s": "<title>S</title><a href=/t>To frames</a>",
    "/i": '<a href=/deep>Deeper</a> <a href=#x>Fragment</a><button onclick="'
    "history.pushState(0, '', '/p'); document.querySelector('p').textContent = 'Pushed'\">Push"
    "</button><p></p><script>onpopstate = () => { document.querySelector('p').textContent ="
    " location.hash || location.pathname }</script>",
    "/deep": "<p>Deep</p>",
}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize(
    ("what", "there", "back", "forward"),
    [
        ("Deeper", "Deep", "Deeper", "Deep"),
        ("Fragment", "text: #x", "/i", "#x"),
        ("Push", "Pushed", "/i", "/p"),
    ],
)
async def test_a_step_of_a_frame(page, serve_site, host, what, there, back, forward):
    site = str(serve_site(FRAMES))
    frame = site.replace("127.0.0.1", host)
    top = str(serve_site({"/t": f"<title>T</title><h1>Top</h1><iframe src={frame}/i></iframe>"}))
    await page("navigate", url=f"{top}/t")
    assert there in await page("click", ref=await page.ref(f'"{what}"'))
    began = time.monotonic()
    for way, text in (("back", back), ("forward", forward), ("back", back)):
        told = await page(way)
        assert text in told
        assert "Now at" not in told
        assert "Changed:" in told
    assert time.monotonic() - began < 15


class Shop:
    """A shop that counts its orders."""

    def __init__(self, serve_site, headers):
        self.orders = []
        form = "<form action=/order method=post><input name=q value=1><button>Buy</button></form>"
        self.url = serve_site({"/shop": f"<title>Shop</title>{form}", "/order": self.order})
        self.headers = headers

    def order(self, request):
        self.orders.append(request.method)
        told = f"<title>Order</title><h1>Order {len(self.orders)}</h1><a href=/shop>Shop</a>"
        return Reply(body=told, headers=self.headers)


@pytest.fixture(params=[{}, {"Cache-Control": "no-store"}], ids=["cached", "no-store"])
def shop(serve_site, request):
    return Shop(serve_site, request.param)


async def test_the_answer_to_a_form_is_not_sent_again(page, shop):
    await page("navigate", url=f"{shop.url}/shop")
    assert "Order 1" in await page("click", selector="button")
    for _ in range(2):
        error = await page.fails("reload")
        assert error.code == "not_resent"
        assert str(error) == (
            f"'{shop.url}/order' was not loaded again. It is the answer to a POST, which is not "
            "sent again. `reload value=resend` sends it again."
        )
        assert "Order 1" in await page("snapshot")
    assert shop.orders == ["POST"]
    assert "Order 2" in await page("reload", value="resend")
    assert shop.orders == ["POST"] * 2
    assert (await page.fails("reload", value="again")).hint == "Valid: resend."


async def test_going_back_to_the_answer_to_a_form(page, shop):
    await page("navigate", url=f"{shop.url}/shop")
    await page("click", selector="button")
    await page("click", selector="a")
    if shop.headers:
        error = await page.fails("back")
        assert str(error) == (
            f"'{shop.url}/order' is the answer to a form, which is not sent again."
            " `reload value=resend` sends it."
        )
    else:
        assert "Order 1" in await page("back")
    assert (await page.fails("reload")).code == "not_resent"
    assert shop.orders == ["POST"]
    assert "Order 2" in await page("reload", value="resend")


async def test_a_window_that_a_form_opens_and_steps_of_a_batch(page, shop):
    await page("navigate", url=f"{shop.url}/shop")
    await page("evaluate", text="document.forms[0].target = '_blank'")
    await page("click", selector="button")
    window = (await page("list_pages")).splitlines()[-1].split()[0]
    assert (await page.fails("reload", target_id=window)).code == "not_resent"
    told = await page("batch", steps=["reload", "text"], target_id=window)
    assert "It is the answer to a POST, which is not sent again." in told
    assert shop.orders == ["POST"]
    told = await page("batch", steps=["reload value=resend"], target_id=window)
    assert "Order 2" in told


async def test_a_crashed_answer_to_a_form_is_not_sent_again(page, shop):
    await page("navigate", url=f"{shop.url}/shop")
    await page("click", selector="button")
    engine_of(page).session.send("Page.crash")
    await eventually(lambda: engine_of(page).main_frame.crashed)
    with suppress(StrapError):
        await page("reload")
    assert shop.orders == ["POST"]


async def test_what_a_form_redirects_to_is_loaded_again(page, serve_site):
    done = Reply(status=303, headers={"Location": "/done"})
    form = "<form action=/order method=post><button>Buy</button></form>"
    site = serve_site({"/": form, "/order": done, "/done": "<h1>Done</h1>"})
    await page("navigate", url=site)
    await page("click", selector="button")
    assert "Done" in await page("reload")
