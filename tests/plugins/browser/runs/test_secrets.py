"""Secrets by name in a task: filled in where they belong, never shown to the model."""

import json

import pytest

from strap_agent.store.report import render
from strap_agent.worker.secrets import Obtaining, register_secrets
from tests.plugins.browser.profiles.test_secret_focus import OWN, RACES, THIEF
from tests.site.server import Raw, Reply, serve
from tests.support.model_server import act, done
from tests.support.waiting import eventually

from .lab import begin, click, enter, laboratory, running, shown

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("agent")]
TOKEN = "Tr0ub4dor-and-three"
LONG = "L0ng-" + "x7Kq" * 40
FORM = """<!doctype html><title>Vault</title><form method=post action=/sent>
<input name=user aria-label=User> <input name=pass type=password aria-label=Pass>
<textarea name=note aria-label=Note></textarea><button>Send</button></form>"""


@pytest.fixture(scope="module")
def other():
    with serve({"/": FORM.replace("Vault", "Other")}) as running:
        yield running


@pytest.fixture(scope="module")
def vault(other):
    def sent(request):
        body = request.body.decode()
        return (
            f"<!doctype html><title>Sent {TOKEN}</title><h1>{TOKEN}</h1><p>{body}</p>"
            f"<input aria-label=Long value={LONG}><script>console.error({TOKEN!r})</script>"
        )

    frame = f"<!doctype html><title>Frame</title><iframe src={other}/ width=600></iframe>"
    sandbox = {"Content-Security-Policy": "sandbox allow-scripts allow-forms"}
    away = FORM.replace("/sent", f"{other}/sent")
    led = f"""{FORM}<script>document.forms[0].onsubmit = ({{ target }}) =>
      target.setAttribute("action", "{other}/sent")</script>"""
    pages = {
        "/led-post": led,
        "/led-get": led.replace("method=post", "method=get"),
        "/": FORM,
        "/away": away,
        "/frame": frame,
        "/sandbox": Reply(headers=sandbox, body=FORM),
        "/roots": INSIDE.replace("BOX", "0"),
        "/box": INSIDE.replace("BOX", "1e7"),
        "/got": "",
    }
    with serve({**pages, "/sent": sent}) as running:
        yield running


@pytest.fixture(scope="module")
async def keeper(tmp_path_factory, vault):
    secrets = {
        "shop": {"value": TOKEN, "origins": [str(vault)]},
        "long": {"value": LONG, "origins": [str(vault)]},
    }
    home = tmp_path_factory.mktemp("home")
    async with laboratory(home, vault, secrets=secrets) as lab:
        yield lab


def fields(request):
    """The form that a browser sent."""
    return dict(pair.split("=") for pair in request.body.decode().split("&"))


async def test_a_secret_is_filled_in_and_never_shown(keeper, vault):
    answer = await keeper.run(
        enter("user", "{{shop}}"),
        enter("pass", "{{ shop }}"),
        enter("note", "is {{shop}}"),
        enter("note", " and plain {{braces}}"),
        click("Send"),
        done("it says {{shop}}"),
        task=f"Log in with {{{{shop}}}}, which is {TOKEN}",
        mode="dev",
    )
    assert (answer["status"], answer["result"]) == ("success", "it says {{shop}}")
    [form] = [fields(request) for request in vault.requests if request.method == "POST"]
    assert (form["user"], form["pass"]) == (TOKEN, TOKEN)
    assert form["note"] == f"is+{TOKEN}"  # what names no secret of the task is not typed
    told = json.dumps(keeper.model.asked)
    assert TOKEN not in told
    assert LONG[:90] not in told
    assert "value={{shop}}" in told
    assert "\\n{{shop}}\\nuser={{shop}}" in told
    assert "value={{long}}" in told
    assert "Filled in {{shop}} in element" in told
    assert "There is no secret 'braces'" in told
    assert "stands for a value that you never see" in told
    stored = "".join(
        path.read_bytes().decode("latin-1") for path in keeper.home.rglob("*") if path.is_file()
    )
    assert TOKEN not in stored
    assert TOKEN not in json.dumps(answer)
    assert "which is {{shop}}" in answer["task"]
    for event in await keeper.events(answer, include_details=True):
        assert TOKEN not in json.dumps(event)
    assert TOKEN not in render(keeper.store, keeper.stored(answer["session_id"]))


async def test_a_filled_field_shows_dots_in_pictures(keeper):
    def hang(body):
        keeper.model.released.wait(60)
        return Raw()

    keeper.model.released.clear()
    call = await begin(keeper, enter("user", "{{shop}}"), hang, task="Enter {{shop}}")
    run = running(keeper)
    await eventually(lambda: run.recorder.steps)
    [session] = run.monitor._sessions.values()
    said = await run.monitor._cdp.send(
        "Runtime.evaluate", session, returnByValue=True,
        expression="f = document.forms[0].user, getComputedStyle(f).webkitTextSecurity + f.value",
    )  # fmt: skip
    run.stop("cancelled")
    keeper.model.released.set()
    await keeper.checked(await call)
    assert said["result"]["value"] == f"disc{TOKEN}"


async def test_a_secret_goes_to_its_sites_only(keeper, vault, other):
    answer = await keeper.run(
        enter("user", "{{shop}}"),
        act("navigate", url=f"{other}/?q={{{{shop}}}}", new_tab=False),
        enter("user", "{{shop}}"),
        act("click", index=1),
        act("send_keys", keys="{{shop}}"),
        enter("note", "{{long}}"),
        click("Send"),
        done("ok"),
        task="Log in with {{shop}}",
        path="/frame",
    )
    assert answer["status"] == "success"
    told = json.dumps(keeper.model.asked[-8:])
    assert told.count(f"The secret 'shop' is not for '{other}'") >= 2
    assert "There is no secret 'long'" in told  # the task does not name it
    sent = str([(r.path, r.query, r.body) for r in other.requests])
    assert TOKEN not in sent
    assert LONG not in sent
    assert [r.path for r in other.requests if r.method == "POST"] == ["/sent"]


OTHER_PORT = pytest.param("127.0.0.1", marks=pytest.mark.soak, id="other port")


@pytest.mark.parametrize("host", [OTHER_PORT, pytest.param("localhost", id="other site")])
async def test_no_page_around_gets_a_secret_by_the_focus(keeper, vault, host):
    """Every way in which a page around a frame takes the focus, one after the other in one run."""
    vault.requests.clear()
    pages = {f"/{n}": THIEF % (vault, script) for n, script in enumerate(RACES.values())}
    with serve({**pages, "/own": OWN, "/got": ""}) as around:
        todo = []
        for path in pages:
            go = act("navigate", url=f"http://{host}:{around.port}{path}", new_tab=False)
            todo += [("", lambda _, go=go: go)]
            todo += [(f"name={name}", enter(name, "{{shop}}")) for name in ("user", "note")]
            todo += [("Send", click("Send"))]
        patience = len(todo) * [3]  # a frame that is led elsewhere never has the form again
        steps = sum(patience) + 1

        def follow(body):
            while todo:
                seen, entry = todo[0]
                patience[-len(todo)] -= 1
                if seen in shown(body) or not patience[-len(todo)]:
                    todo.pop(0)
                if seen in shown(body):
                    return entry(body)
                if todo and todo[0][0] == seen:
                    return act("wait", seconds=0)
            return done("ok")

        answer = await keeper.run(
            *[follow] * (steps + 20),
            task="Log in with {{shop}}",
            picture=None,
            budget_s=550,
            max_steps=steps,
        )
        assert answer["result"] == "ok"
        got = entered(around)
    assert not [each for each in got if set(each) & set(TOKEN)]
    forms = [fields(request) for request in vault.requests if request.method == "POST"]
    assert len(forms) == len(RACES) - 1
    assert all((form["user"], form["note"]) == (TOKEN, TOKEN) for form in forms)


INSIDE = """<!doctype html><title>Inside</title><div id=open></div><div id=closed></div>
<dialog id=box><input name=boxed aria-label=Boxed></dialog><script>
for (const mode of ["open", "closed"]) {
  const root = document.getElementById(mode).attachShadow({ mode });
  root.innerHTML = `<form><input name=in-${mode} aria-label=${mode}></form>`;
  root.addEventListener("input", ({ target }) => navigator.sendBeacon("/got", target.value));
}
box.oninput = ({ target }) => navigator.sendBeacon("/got", target.value);
box.showModal(); setTimeout(() => box.close(), BOX);
</script>"""


async def test_fields_in_shadow_roots_and_dialogs(keeper, vault):
    vault.requests.clear()
    for path, names in (("/roots", ("in-open", "in-closed")), ("/box", ("boxed",))):
        steps = [enter(name, "{{shop}}") for name in names]
        await keeper.run(*steps, done("ok"), task="Log in with {{shop}}", path=path)
        assert entered(vault) == [TOKEN] * len(names)
        vault.requests.clear()


def entered(site):
    """Return what pages sent a site from their fields."""
    return [each.body.decode() for each in site.requests if each.path == "/got"]


async def test_a_form_that_posts_elsewhere_gets_no_secret(keeper, other):
    await keeper.run(
        enter("user", "{{shop}}"), done("ok"), task="Log in with {{shop}}", path="/away"
    )
    assert f"sends the secret to '{other}'" in json.dumps(keeper.model.asked[-2:])


async def test_a_document_without_an_origin_gets_no_secret(keeper, vault):
    await keeper.run(
        enter("user", "{{shop}}"), done("ok"), task="Log in with {{shop}}", path="/sandbox"
    )
    assert "is not for 'a sandboxed document" in json.dumps(keeper.model.asked[-2:])


def test_what_is_left_of_a_secret_where_a_text_is_cut():
    given = {"shop": TOKEN, "long": LONG}
    hide = register_secrets(
        None,
        {n: {"value": v, "origins": ["http://a"]} for n, v in given.items()},
        "",
        Obtaining(None),
    )
    assert hide(f"a {TOKEN} b {LONG} c") == "a {{shop}} b {{long}} c"
    assert hide(f"Welcome, {TOKEN[:12]}…") == "Welcome, {{shop}}…"
    assert hide(f"value={LONG[:100]}...") == "value={{long}}..."
    assert hide(f"Tr0ub and {LONG[:5]}") == f"Tr0ub and {LONG[:5]}"
    assert register_secrets(None, {}, "", Obtaining(None))("as it is") == "as it is"


async def test_a_name_that_nobody_set(keeper):
    result = await keeper.raw(done("ok"), task="Log in with {{shpo}}")
    assert result.data["stop_reason"] == "invalid_arguments"
    assert "There is no secret 'shpo'. Known: long, shop" in result.data["summary"]


@pytest.mark.parametrize("method", ["get", "post"])
async def test_a_form_that_is_led_elsewhere_as_it_is_sent_is_told(keeper, vault, other, method):
    answer = await keeper.run(
        enter("user", "{{shop}}"),
        click("Send"),
        done("ok"),
        task="Log in with {{shop}}",
        path=f"/led-{method}",
    )
    said = f"The page sent the secret 'shop' to '{other}', which it is not for."
    assert said in [error["summary"] for error in answer["errors_top"]]
    assert TOKEN not in json.dumps(answer)
