"""Runs of the agent that log in with codes and vaults; no model and no file gets to know them."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from strap import testing
from tests.plugins.browser.runs.lab import click, enter, index_before, laboratory, shown
from tests.site.server import serve
from tests.support.login_site import KEY, LOGIN, PASSWORD, Shop, code_of
from tests.support.model_server import act, done
from tests.support.passkey_site import PasskeySite
from tests.support.vaults import Vaults

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("agent")]
TASK = "Log in as ada with {{shop}} and {{shop.code}}"


def password(body):
    """The secret for the field that shows dots."""
    return act("input", index=index_before(shown(body), "type=password"), text="{{shop}}")


@pytest.fixture(scope="module")
def shop():
    return Shop()


@pytest.fixture(scope="module")
def other():
    with serve({"/": LOGIN + "<input name=code aria-label=Code>"}) as running:
        yield running


@pytest.fixture(scope="module")
def site(shop, other):
    frame = f"<title>Frame</title><iframe src={other}/ width=600></iframe>"
    with serve({**shop.routes, "/frame": frame}) as running:
        yield running


@pytest.fixture(scope="module")
async def keeper(tmp_path_factory, anyio_backend, site):
    vaults = Vaults(tmp_path_factory.mktemp("vaults"))
    vaults.put("shop", PASSWORD)
    command = [str(vaults.folder / "bin" / "pass"), "show", "shop"]
    secrets = {"shop": {"command": command, "totp": KEY, "origins": [str(site)]}}
    home = tmp_path_factory.mktemp("home")
    async with laboratory(home, site, secrets=secrets) as lab:
        lab.home = home
        yield lab


def seen(lab):
    """Return the questions to the model and the files on disk."""
    files = (Path(folder) / name for folder, _, names in os.walk(lab.home) for name in names)
    texts = [path.read_bytes() for path in files if path.suffix in (".json", ".jsonl", ".html")]
    return json.dumps(lab.model.asked) + "".join(text.decode(errors="replace") for text in texts)


def codes():
    return {code_of(time.time() + n) for n in (-60, -30, 0, 30)}


CODE, PRESSED = enter("code", "{{shop.code}}"), click("Log in")
STEPS = {
    "one": [enter("user", "ada"), password, CODE, PRESSED],
    "next": [enter("user", "ada"), password, PRESSED, CODE, PRESSED],
    "boxes": [enter("d1", "{{shop.code}}")],
    "framed": [password, CODE, PRESSED],
    "shadow": [CODE, PRESSED],
}


@pytest.mark.parametrize("shape", STEPS)
async def test_a_run_logs_in(keeper, shop, shape):
    shop.used.clear()
    steps = STEPS[shape]
    answer = await keeper.run(
        *steps,
        done("the code was {{shop.code}}"),
        task=TASK,
        path=f"/{shape}",
        budget_s=150,
    )
    assert answer["status"] == "success", answer
    assert answer["page"]["title"] == ("Framed" if shape == "framed" else "Welcome")
    assert len(shop.used) == 1
    told = seen(keeper) + json.dumps(answer)
    assert "You sent {{shop.code}}" in told
    assert not any(code in told for code in codes())
    assert PASSWORD not in told


async def test_a_run_gets_no_code_for_another_host(keeper, other):
    task = {"task": TASK, "path": "/frame"}
    await keeper.run(enter("code", "{{shop.code}}"), done("ok"), **task)
    assert f"'shop.code' is not for '{other}'" in json.dumps(keeper.model.asked[-2:])
    assert not any(code in seen(keeper) for code in codes())


async def test_a_run_gets_only_what_its_task_names(keeper):
    await keeper.run(enter("code", "{{shop.code}}"), done("ok"), task="Log in", path="/one")
    assert not any(code in seen(keeper) for code in codes())


async def test_a_run_signs_in_with_saved_passkeys_and_their_counters_are_kept(
    tmp_path_factory,
):
    async def call(action, **fields):
        return await lab.web(resource="browser", action=action, **fields)

    home = tmp_path_factory.mktemp("home")
    with serve(PasskeySite().routes) as running:
        site = str(running).replace("127.0.0.1", "localhost")
        async with laboratory(home, site) as lab:
            await call("launch")
            await call("navigate", url=site)
            await call("emulate", value="passkey")
            await call("click", ref='button "Register"')
            await call("wait", text="Registered!")
            assert "1 passkey" in (await call("setup_state", state_id="shop")).text
            await call("close")
            for time_of in (2, 3):
                steps = [click("Sign in"), act("wait", seconds=1), done("signed in")]
                await lab.run(*steps, state_id="shop")
                assert f"Welcome Ada, time {time_of}!" in json.dumps(lab.model.asked[-1])
            assert "privateKey" not in json.dumps(lab.model.asked)


@pytest.mark.parametrize("words", ["471 193", "a long answer by mail"])
async def test_a_run_fills_in_what_a_person_answers(keeper, words):
    async def invite(text, url):
        return words

    def answered(body):
        asked = json.dumps(body["messages"])
        name = asked.rpartition("{{answer_")[2].partition("}}")[0]
        return act(
            "input", index=index_before(shown(body), "name=code"), text=f"{{{{answer_{name}}}}}"
        )

    asking = replace(keeper.web.caller, invite=invite)
    lab = replace(keeper, web=testing.Web(keeper.web.router, asking, keeper.web.calls))
    before = len(keeper.model.asked)
    answer = await lab.run(
        act("ask_person", reason="Which code is in your mail?"),
        answered,
        done("ok"),
        task="Log in with the code that a person has",
        path="/one",
    )
    assert answer["status"] == "success"
    prompts = json.dumps(keeper.model.asked[before:])
    assert "The person answered: {{answer_" in prompts
    assert "Filled in {{answer_" in prompts
    assert words not in prompts
    assert words not in seen(keeper)
