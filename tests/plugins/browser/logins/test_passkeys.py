"""Passkeys: made, used, saved with the login, and used by another browser."""

import json
import sys
from contextlib import asynccontextmanager

import pytest

from strap import ActionError, testing
from strap_browser.api import read_login
from tests.plugins.browser.profiles.test_remote import chromium
from tests.site.server import serve
from tests.support.browser import SETTINGS
from tests.support.passkey_site import PasskeySite

pytestmark = pytest.mark.anyio
EMPTY = {"cookies": [], "passkeys": []}
LIST = {"resource": "browser", "action": "list_pages"}
STATE = {"resource": "browser", "action": "setup_state", "state_id": "shop"}


@pytest.fixture(scope="module")
def passkeys():
    return PasskeySite()


@pytest.fixture(scope="module")
def shop(passkeys):
    with serve(passkeys.routes) as site:
        yield str(site).replace("127.0.0.1", "localhost")


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "home" / "states" / "shop.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(EMPTY))
    return file


@pytest.fixture
def browser(tmp_path):
    """Open a strap of its own, with a browser of its own, on the same data directory."""

    @asynccontextmanager
    async def opened(**settings):
        table = {**SETTINGS, "profiles": {"nebo": {"ephemeral": True}}, **settings}
        plugins = {"browser": table}
        async with testing.router(home=tmp_path / "home", network="local", plugins=plugins) as web:
            await web(resource="browser", action="launch", profile=next(iter(table["profiles"])))
            yield web

    return opened


async def act(web, button, **fields):
    target = {"resource": "browser", "action": "click", "ref": f'button "{button}"', **fields}
    await web(**target)
    await web(resource="browser", action="wait", text="!", **fields)
    return (await web(resource="browser", action="text", **fields)).text


async def test_registered_used_saved_and_used_by_another_browser(browser, shop, file):
    async with browser() as web:
        await web(**STATE, url=shop)
        assert "Registered" in await act(web, "Register")
        assert "Welcome Ada, time 2" in await act(web, "Sign in")
        closed = await web(resource="browser", action="close")
        assert "Saved the state 'shop' (0 cookies, storage of 0 sites, 1 passkey)." in closed.text
    assert b"privateKey" not in file.read_bytes()
    [passkey] = read_login(file)["passkeys"]
    assert passkey["rpId"] == "localhost"
    for time in (3, 4):
        async with browser() as web:
            restored = await web(**STATE, url=shop)
            assert "storage of 0 sites, 1 passkey)" in restored.text
            assert passkey["privateKey"] not in restored.text
            assert f"Welcome Ada, time {time}" in await act(web, "Sign in")
            await web(resource="browser", action="close")


async def test_emulate_gives_pages_an_authenticator_and_takes_it_away(browser, shop):
    emulate = {"resource": "browser", "action": "emulate"}
    async with browser() as web:
        await web(resource="browser", action="navigate", url=shop)
        answer = await web(**emulate, value="dark passkey")
        assert "an authenticator that says yes" in answer.text
        assert "Registered" in await act(web, "Register")
        await web(**emulate, value="light")
        assert "Welcome Ada, time 2" in await act(web, "Sign in")
        assert "1 passkey)" in (await web(**STATE)).text
        await web(**emulate, value="off")
        saved = await web(**STATE | {"state_id": "after"})
        assert "passkey" not in saved.text
    async with browser() as web:
        await web(**STATE, url=shop)
        assert "Welcome Ada, time 3" in await act(web, "Sign in")


async def test_windows_and_pages_of_a_caller_have_the_same_passkeys(browser, shop, file):
    async with browser() as web:
        await web(**STATE, url=shop)
        [first] = [each["id"] for each in (await web(**LIST)).data]
        await web(resource="browser", action="click", ref='link "Window"', target_id=first)
        [window] = [each["id"] for each in (await web(**LIST)).data if each["id"] != first]
        assert "Registered" in await act(web, "Register", target_id=window)
        await web(resource="browser", action="new_page", url=shop)
        third = (await web(**LIST)).data[-1]["id"]
        for time, page in enumerate((first, third, window, first), 2):
            assert f"Welcome Ada, time {time}!" in await act(web, "Sign in", target_id=page)
        saved = await web(**STATE)
        assert "1 passkey)" in saved.text


async def test_another_caller_has_none_of_it(browser, shop, file):
    async with browser() as web:
        await web(**STATE, url=shop)
        assert "Registered" in await act(web, "Register")
        other = web.as_caller("other")
        await other(**STATE | {"state_id": "none"}, url=shop)
        click = {"resource": "browser", "action": "click", "ref": 'button "Sign in"'}
        await other(**click)
        page = await other(resource="browser", action="text")
        assert "Welcome" not in page.text


async def test_a_browser_that_is_not_straps_gets_no_passkey(browser, shop, file, tmp_path):
    passkeys = [{"credentialId": "YWRh", "privateKey": "a2V5", "rpId": "localhost"}]
    file.write_text(json.dumps(EMPTY | {"passkeys": passkeys}))
    async with chromium(tmp_path / "foreign") as port:
        profiles = {"fleet": {"driver": "cdp", "cdp_url": f"http://127.0.0.1:{port}"}}
        async with browser(profiles=profiles) as web:
            restored = await web(**STATE, url=shop, profile="fleet")
            assert "Its passkeys are not used: that needs a Chromium that strap launched." in (
                restored.text
            )


async def test_what_is_no_passkey_is_no_usable_state(browser, shop, file):
    for broken in ([1], [{}], {"a": 1}, [{"credentialId": "YWRh", "rpId": 1}], 3):
        file.write_text(json.dumps(EMPTY | {"passkeys": broken}))
        async with browser() as web:
            with pytest.raises(ActionError, match="is not a usable state"):
                await web(**STATE, url=shop)


async def test_no_passkey_is_saved_in_a_plain_file(browser, shop, file, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    async with browser() as web:
        await web(**STATE, url=shop)
        assert "Registered" in await act(web, "Register")
        saved = await web(**STATE)
        assert saved.text == (
            "Saved the state 'shop' (0 cookies, storage of 0 sites). Its passkeys were not saved:"
            " that needs the library 'cryptography', which encrypts the file."
        )
    assert json.loads(file.read_text()) == {"cookies": [], "origins": []}
