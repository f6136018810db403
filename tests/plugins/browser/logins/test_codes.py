"""Logins with one-time codes, at a server that checks them; no answer shows a code."""

import re
import time
from email.utils import formatdate

import pytest

from strap import PolicyDenied, testing
from tests.site.server import Reply, serve
from tests.support.browser import SETTINGS
from tests.support.login_site import CODE, KEY, LOGIN, PASSWORD, Shop, code_of

pytestmark = pytest.mark.anyio
CODES = ("[aria-label=Code]", "{{shop.code}}")


@pytest.fixture(scope="module")
def shop():
    return Shop()


@pytest.fixture(scope="module")
def other():
    with serve({"/": LOGIN + "<input aria-label=Code>"}) as running:
        yield running


@pytest.fixture(scope="module")
def site(shop, other):
    def clock(request):
        date = formatdate(time.time() + int(request.query["s"][0]), usegmt=True)
        return Reply(headers={"Date": date, "Content-Type": "text/html"}, body=LOGIN + CODE)

    routes = {
        **shop.routes,
        "/foreign": f"<title>Foreign</title><iframe src='{other}/' width=500></iframe>",
        "/led": f"<form action='{other}/' method=post><input aria-label=Code></form>",
        "/clock": clock,
    }
    with serve(routes) as running:
        yield running


@pytest.fixture(scope="module")
async def web(tmp_path_factory, anyio_backend, site):
    secrets = {"shop": {"value": PASSWORD, "totp": KEY, "origins": [str(site)]}}
    async with testing.router(
        home=tmp_path_factory.mktemp("home"),
        network="local",
        plugins={"browser": SETTINGS},
        secrets=secrets,
    ) as opened:
        await opened(resource="browser", action="launch")
        yield opened


def codes():
    """The codes that a test of a few seconds may have to do with."""
    return {code_of(time.time() + n) for n in (-30, 0, 30)}


@pytest.fixture
def page(web, shop, request):
    """Call the resource `browser`; nothing may show a code or the password."""
    shop.used.clear()
    shop.sent.clear()
    mine = web.as_caller(request.node.name)

    async def call(action, **fields):
        result = await mine(resource="browser", action=action, **fields)
        shown = re.sub(r"(?<=\d)[ .-](?=\d)", "", result.text + str(result.data))
        assert not any(code in shown for code in codes())
        assert PASSWORD not in shown
        return result.text

    yield call
    assert not any(code in web.transcript for code in codes())


async def enter(page, *fields):
    for selector, value in fields:
        assert (await page("fill", selector=selector, value=value)).startswith("Filled")


async def logged_in(page):
    assert "Welcome" in await page("text")
    return True


@pytest.mark.parametrize("shape", ["one", "next", "shadow"])
async def test_shapes_of_logins(page, site, shop, shape):
    await page("navigate", url=f"{site}/{shape}")
    if shape != "shadow":
        await enter(page, ("[name=user]", "ada"), ("[type=password]", "{{shop}}"))
    if shape == "next":
        await page("click", selector="button")
    await enter(page, CODES)
    await page("click", selector="button")
    assert await logged_in(page)
    assert shop.used <= codes()
    told = await page("text")
    assert "You sent {{shop.code}}, that is {{shop.code}}" in told
    assert "{{shop.code}}" in await page("console")
    assert "c={{shop.code}}" in await page("network")
    if shape == "one":
        assert "{{shop.code}}" in await page("network", ref=await ref_of(page, "/check"))


async def ref_of(page, path):
    return (await page("network", text=path)).split()[0]


@pytest.mark.parametrize("shape", ["boxes", "narrow"])
@pytest.mark.parametrize("action", ["fill", "type"])
async def test_a_box_for_each_digit(page, site, shop, shape, action):
    await page("navigate", url=f"{site}/{shape}")
    field = {"fill": "value", "type": "text"}[action]
    told = await page(action, selector="[aria-label='Digit 1']", **{field: "{{shop.code}}"})
    assert told.startswith(('Filled "[aria', "Typed it"))
    assert await logged_in(page)
    assert len(shop.sent) == 1


async def test_in_a_frame(page, site):
    await page("navigate", url=f"{site}/framed")
    refs = dict(re.findall(r'textbox "(\w+)".*? ((?:f\d+)?e\d+)', await page("snapshot")))
    for name, value in (("Password", "{{shop}}"), ("Code", "{{shop.code}}")):
        await page("fill", ref=refs[name], value=value)
    await page("press", key="Enter", ref=refs["Code"])
    assert await logged_in(page)


async def test_what_was_filled_shows_dots(page, site):
    await page("navigate", url=f"{site}/one")
    await enter(page, CODES)
    shown = await page(
        "evaluate",
        text="getComputedStyle(document.querySelector('[name=code]')).webkitTextSecurity",
    )
    assert "disc" in shown
    assert "Filled" in await page("fill", selector=CODES[0], value="000000")


async def test_a_code_is_refused_elsewhere(page, site, other, web):
    for url, why in (
        (str(other), f"The secret 'shop.code' is not for '{other}'. It is for {site}."),
        (f"{site}/foreign", f"The secret 'shop.code' is not for '{other}'."),
        (f"{site}/led", f"The form of this field sends the secret to '{other}'."),
    ):
        await page("navigate", url=url)
        ref = re.search(r'textbox "Code".*? ((?:f\d+)?e\d+)', await page("snapshot"))[1]
        for action, field in (("fill", "value"), ("type", "text")):
            with pytest.raises(PolicyDenied) as caught:
                await page(action, ref=ref, **{field: "{{shop.code}}"})
            assert str(caught.value).startswith(why)
            held = await page("snapshot")
            assert "{{shop.code}}" not in held


@pytest.mark.parametrize(
    ("seconds", "told"), [(-95, "behind"), (95, "ahead of"), (0, ""), (20, "")]
)
async def test_a_clock_that_is_off_is_told(page, site, seconds, told):
    await page("navigate", url=f"{site}/clock?s={seconds}")
    for action, field in (("fill", "value"), ("type", "text")):
        answer = await page(action, selector=CODES[0], **{field: "{{shop.code}}"})
        assert ("it may refuse the code" in answer) == bool(told)
        assert f"s {told} this machine's" in answer or not told
    await page("navigate", url=f"{site}/one")
    assert "clock" not in await page("fill", selector="[type=password]", value="{{shop}}")
