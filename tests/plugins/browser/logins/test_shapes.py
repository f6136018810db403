"""Further shapes of logins: remembered, at another origin, at a host that looks alike."""

import pytest

from strap import PolicyDenied, testing
from tests.support.browser import SETTINGS

from .conftest import LOOKALIKE, PASSWORD, everything_is_here, secrets_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def web(tmp_path, shop, provider):
    async with testing.router(
        home=tmp_path,
        network="all",
        plugins={"browser": SETTINGS},
        secrets=secrets_of(shop, provider),
        resolver=everything_is_here,
    ) as opened:
        await opened(resource="browser", action="launch")
        yield opened


async def log_in(web, url, name):
    await web(resource="browser", action="navigate", url=url)
    await web(resource="browser", action="fill", ref='textbox "Password"', value=f"{{{{{name}}}}}")
    return await web(resource="browser", action="click", ref='button "Log in"')


async def test_remember_me_is_saved_and_holds_for_another_caller(web, shop):
    await web(resource="browser", action="navigate", url=shop)
    await web(resource="browser", action="click", ref='checkbox "Remember me"')
    await web(resource="browser", action="fill", ref='textbox "Password"', value="{{shop}}")
    answer = await web(resource="browser", action="click", ref='button "Log in"')
    assert "Welcome Ada" in answer.text
    state = {"resource": "browser", "action": "setup_state", "state_id": "shop"}
    assert "Saved the state 'shop' (1 cookie" in (await web(**state)).text
    restored = await web.as_caller("other")(**state, url=f"{shop}/home")
    assert "Welcome Ada" in restored.text


async def test_a_login_at_another_origin_takes_the_secret_of_that_origin(web, shop, provider):
    await web(resource="browser", action="navigate", url=f"{shop}/sso")
    fill = {"resource": "browser", "action": "fill", "ref": 'textbox "Password"'}
    with pytest.raises(PolicyDenied, match=f"The secret 'shop' is not for '{provider.url}'"):
        await web(**fill, value="{{shop}}")
    await web(**fill, value="{{sso}}")
    answer = await web(resource="browser", action="click", ref='button "Log in"')
    assert "Welcome Ada" in answer.text
    assert PASSWORD not in answer.text


async def test_a_host_that_looks_alike_is_refused_in_punycode(web, shop):
    port = shop.rpartition(":")[2]
    with pytest.raises(PolicyDenied) as denied:
        await log_in(web, f"http://{LOOKALIKE}:{port}/", "shop")
    said = str(denied.value)
    assert f"is not for 'http://{LOOKALIKE.encode('idna').decode()}:{port}'" in said
    assert f"It is for {shop}." in said
    assert LOOKALIKE not in said
    assert PASSWORD not in said
