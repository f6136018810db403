"""The further shapes of logins by runs of the agent: passkeys, remembered, elsewhere, captchas."""

import json

import pytest

from tests.plugins.browser.runs.lab import click, index_before, laboratory, shown
from tests.site.server import serve
from tests.support.grid import Hub
from tests.support.model_server import act, done
from tests.support.passkey_site import PasskeySite

from .conftest import LOOKALIKE, PASSWORD, everything_is_here, secrets_of
from .test_captchas import FORM as ENTRY
from .test_captchas import NONE, SHAPES, WIDGET

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("agent")]


@pytest.fixture
def passkeys():
    return PasskeySite()


@pytest.fixture
def passkey_shop(passkeys):
    with serve(passkeys.routes) as running:
        yield str(running).replace("127.0.0.1", "localhost")


def caller(lab):
    async def call(action, **fields):
        return await lab.web(resource="browser", action=action, **fields)

    return call


async def new_state(call, url):
    """Save a state whose pages have an authenticator, without passkeys."""
    await call("launch")
    await call("navigate", url=url)
    await call("emulate", value="passkey")
    await call("setup_state", state_id="shop")
    await call("close")


def pressed(button):
    return [click(button), act("wait", seconds=1), done("pressed")]


async def test_a_passkey_that_a_run_makes_is_saved_and_used_by_fresh_browsers(
    tmp_path, passkey_shop
):
    async with laboratory(tmp_path, passkey_shop) as lab:
        call = caller(lab)
        await new_state(call, passkey_shop)
        await lab.run(*pressed("Register"), state_id="shop")
        assert "Registered!" in json.dumps(lab.model.asked[-1])
        for number in (2, 3):
            await lab.run(*pressed("Sign in"), state_id="shop")
            assert f"Welcome Ada, time {number}!" in json.dumps(lab.model.asked[-1])
    async with laboratory(tmp_path, passkey_shop) as lab:
        call = caller(lab)
        await call("launch")
        restored = await call("setup_state", state_id="shop", url=passkey_shop)
        assert "1 passkey)" in restored.text
        await call("click", ref='button "Sign in"')
        await call("wait", text="Welcome Ada, time 4!")


async def test_a_lent_browser_says_that_it_uses_no_passkeys(tmp_path, passkey_shop):
    async with laboratory(tmp_path, passkey_shop) as lab:
        await new_state(caller(lab), passkey_shop)
        await lab.run(*pressed("Register"), state_id="shop")
    async with Hub(tmp_path / "grid").running() as hub:
        lent = {"nebo": {"driver": "cdp", "provider": "selenium", "cdp_url": hub.url}}
        async with laboratory(tmp_path, passkey_shop, profiles=lent) as lab:
            answer = await lab.run(done("looked"), state_id="shop")
    assert "The passkeys of the login are not used" in " ".join(answer["warnings"])


@pytest.fixture
async def lab(tmp_path, shop, provider):
    options = {"network": "all", "resolver": everything_is_here}
    async with laboratory(tmp_path, shop, secrets=secrets_of(shop, provider), **options) as opened:
        yield opened


def password(name):
    def choose(body):
        field = index_before(shown(body), "type=password")
        return act("input", index=field, text=f"{{{{{name}}}}}")

    return choose


def asked(lab):
    return json.dumps(lab.model.asked)


async def test_remember_me_is_saved_and_holds_for_a_run_elsewhere(lab, shop):
    call = caller(lab)
    await call("launch")
    await call("navigate", url=shop)
    [page] = (await call("list_pages")).data

    def stay(body):
        return act("click", index=index_before(shown(body), "type=checkbox"))

    steps = [stay, password("shop"), click("Log in"), done("logged in")]
    task = {"task": "Log in with {{shop}}", "target_id": page["id"]}
    answer = (await lab.raw(*steps, **task)).data
    assert answer["page"]["title"] == "Home", answer
    assert "Saved the state 'shop' (1 cookie" in (await call("setup_state", state_id="shop")).text
    await call("close")
    await lab.run(done("looked"), path="/home", state_id="shop")
    assert "Welcome Ada" in json.dumps(lab.model.asked[-1])
    assert PASSWORD not in asked(lab)


async def test_a_run_logs_in_at_another_origin_with_the_secret_of_that_origin(lab, provider):
    steps = [password("shop"), password("sso"), click("Log in"), done("logged in")]
    answer = await lab.run(*steps, task="Log in with {{shop}} or {{sso}}", path="/sso")
    assert (answer["status"], answer["page"]["title"]) == ("success", "Home")
    assert f"The secret 'shop' is not for '{provider.url}'" in asked(lab)
    assert PASSWORD not in asked(lab) + json.dumps(answer)


async def test_a_run_is_refused_at_a_host_that_looks_alike(lab, shop):
    port = shop.rpartition(":")[2]
    url = f"http://{LOOKALIKE}:{port}/"
    task = {"task": "Log in with {{shop}}", "url": url}
    answer = await lab.run(password("shop"), done("tried"), **task)
    alike = f"'http://{LOOKALIKE.encode('idna').decode()}:{port}'"
    assert f"The secret 'shop' is not for {alike}. It is for {shop}." in asked(lab)
    assert PASSWORD not in asked(lab) + json.dumps(answer)


@pytest.fixture
def captcha_site():
    pages = {f"/{name.replace(' ', '-')}": ENTRY.format(html) for name, html in SHAPES.items()}
    pages |= {f"/{name}": ENTRY.format(html) for name, html in NONE.items()}
    pages["/framed"] = "<iframe src=/hCaptcha width=600 height=400></iframe>"
    widgets = ("/recaptcha/api2/anchor", "/captcha/v1/static/hcaptcha.html", "/terms")
    widgets += ("/cdn-cgi/challenge-platform/h/b/turnstile/if/ov2/light",)
    with serve(pages | dict.fromkeys(widgets, WIDGET)) as running:
        yield running


async def test_a_run_tells_of_a_captcha_that_is_not_solved(tmp_path, captcha_site):
    names = {f"/{name.replace(' ', '-')}": name for name in SHAPES} | {"/framed": "hCaptcha"}
    async with laboratory(tmp_path, captcha_site) as lab:
        for path, name in names.items():
            answer = await lab.run(done("stopped", success=False), path=path)
            told = f"The page has a captcha ({name}), not solved: a person has to."
            assert told in answer["warnings"], path
        for path in NONE:
            answer = await lab.run(done("looked"), path=f"/{path}")
            assert "captcha (" not in " ".join(answer["warnings"]), path
