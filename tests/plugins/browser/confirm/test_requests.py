"""Requests to hosts of `confirm_requests`: a person sees them before they are sent."""

import asyncio

import pytest

from strap import StartupError, testing
from tests.support.browser import ANY_BROWSER
from tests.support.person import Person
from tests.support.waiting import eventually

from .conftest import caller_of, far

pytestmark = pytest.mark.anyio
ORDER = """<title>Shop</title><h1>Shop</h1><form method=post action=/order>
<input name=item value=spade><input name=pin type=password value=4711><button id=go>Buy</button>
</form><button id=fetch onclick="fetch('/order', {method: 'POST', body: 'a'})
  .then(r => { document.title = r.status }, e => { document.title = e })">Fetch</button>
<button id=retry onclick="(go = () => fetch('/order',
  {method: 'POST', keepalive: true, body: n++}).catch(go))(n = 0)">Retry</button>
<button id=late onclick="setTimeout(() => fetch('/order', {method: 'POST', body: 'late'}), 600)">
Late</button>"""


@pytest.fixture(scope="module")
def shop():
    from tests.site.server import serve

    with serve({"/": ORDER, "/order": "<title>Ordered</title><h1>Ordered</h1>"}) as served:
        yield served


@pytest.fixture(scope="module")
async def asking(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    async with testing.router(
        home=home, network="local", plugins={"browser": ANY_BROWSER}, confirm_requests=["localhost"]
    ) as web:
        yield web


@pytest.fixture
async def page(asking, shop, person, request):
    caller = caller_of(asking, person, request.node.name, shop)
    shop.requests.clear()
    await caller("launch")
    await caller("navigate", url=f"{far(shop)}/")
    yield caller
    await asking.router.end_session(f"local/{request.node.name}")


def sent(shop):
    return [each for each in shop.requests if each.method == "POST"]


async def test_a_form_is_sent_after_a_yes(page, shop, person):
    async def meanwhile():
        await asyncio.sleep(0.5)
        assert not sent(shop)

    person.meanwhile = meanwhile
    said = await page("click", selector="#go")
    [asked] = person.asked
    assert dict(asked.fields) == {"Method": "POST", "Sends": '"item": "spade"\n"pin": "••••"'}
    assert asked.url == f"{far(shop)}/order"
    assert "4711" not in asked.text
    assert "Sent after a person's yes: POST" in said
    assert "Ordered" in said
    assert [each.body for each in sent(shop)] == [b"item=spade&pin=4711"]


async def test_a_no_drops_it(page, shop, person):
    person.answer = False
    said = await page("click", selector="#fetch")
    assert "Not sent, as a person said no: POST" in said
    assert not sent(shop)
    assert "TypeError" in await page.run("document.title")


async def test_other_hosts_need_none(page, shop, person):
    await page("navigate", url=f"{shop}/")
    await page("click", selector="#go")
    assert not person.asked
    assert len(sent(shop)) == 1


async def test_nobody_is_there(asking, shop):
    caller = caller_of(asking, None, "nobody", shop)
    await caller("navigate", url=f"{far(shop)}/")
    said = await caller("click", selector="#fetch")
    assert "Not sent, as nobody can be asked here: POST" in said


async def test_what_a_script_sends_later_is_told_by_the_call_that_sees_it(page, shop, person):
    said = await page("click", selector="#late")
    assert await eventually(lambda: asyncio.sleep(0, person.asked))
    assert await eventually(lambda: asyncio.sleep(0, sent(shop)))
    assert "Sent after a person's yes" in said + await page("snapshot")


async def test_time_stands_still(page, shop, person):
    async def meanwhile():
        await asyncio.sleep(2)

    person.meanwhile = meanwhile
    said = await page(
        "evaluate",
        text="fetch('/order', {method: 'PUT', body: 'x'}).then(r => r.status)",
        timeout=1,
    )
    assert "200" in said


async def test_a_page_that_tries_again_without_end(page, shop, person):
    person.answer = False
    await page("click", selector="#retry")
    assert len(person.asked) <= 6
    await page("close_page")
    await asyncio.sleep(0.5)
    assert not sent(shop)


async def test_no_answer_in_time(tmp_path, shop):
    person = Person(silent=True)
    tables = {"browser": {**ANY_BROWSER, "hold_seconds": 0.5}}
    async with testing.router(
        home=tmp_path, network="local", plugins=tables, confirm_requests=["*"]
    ) as web:
        caller = caller_of(web, person, "silent", shop)
        await caller("launch")
        await caller("navigate", url=f"{far(shop)}/")
        shop.requests.clear()
        said = await caller("click", selector="#fetch")
    assert "Not sent, as nobody answered within 0.5 s: POST" in said
    assert not sent(shop)


@pytest.mark.parametrize("pattern", ["https://bank.example", "a b", "bank.example/pay", "", "a:0"])
async def test_a_pattern_that_no_host_fits(tmp_path, pattern):
    with pytest.raises(StartupError, match="confirm_requests"):
        async with testing.router(home=tmp_path, confirm_requests=[pattern]):
            pass
