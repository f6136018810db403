"""Generated secrets on pages that echo them in every form: no answer, log, run or file has one."""

import html
import json
import logging
import random
from base64 import b64encode
from urllib.parse import parse_qs, quote, quote_plus

import pytest

from strap import StartupError
from strap.config import load
from strap.config.secrets import Secret, Secrets
from tests.plugins.browser.runs.lab import click, index_before, laboratory, shown
from tests.site.server import Reply, serve
from tests.support.model_server import act, done

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("agent")]
SIGNS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "'\"`<>&;",
    "%+=/?#&",
    "\\{}[]()$^*|~",
    "äßéñøŁИжЯΩÇ",
    "漢字仮名한글",
    "😀🔑👩",
    "ﬁİıſ",
)
"""Signs that encodings, patterns and changes of case trip over."""
SHORTEST = 8
FORM = """<!doctype html><meta charset=utf-8><title>Enter</title><form action=/echo method=post>
<input name=secret type=password aria-label=Secret><input name=note aria-label=Note>
<button>Send</button></form>"""


def values(seed, count):
    """Secrets of hostile shapes, no two the same."""
    made = random.Random(seed)
    found = []
    for number in range(count):
        length = made.choice((SHORTEST, SHORTEST, 9, 12, 24, 64, 200))
        pool = SIGNS[0] + made.choice(SIGNS[1:]) * made.choice((1, 5, 20))
        text = "".join(made.choices(pool, k=length))
        shape = number % 6
        if shape == 1:
            text = b64encode(text.encode()).decode()
        elif shape == 2:
            text = "%" + quote(text)
        elif shape == 3:
            text = f"{text[:4]} {text[4:]} \\n{number}"
        elif shape == 4:
            text = f"'{text}\""
        found.append(f"{text}{number:x}" if len(text) + 2 > SHORTEST else text)
    return [" ".join(each.split()) for each in found]


def forms(value):
    """How it is written where it leaks."""
    plain = json.dumps(value, ensure_ascii=False)[1:-1]
    escaped = (html.escape(value), html.escape(value, quote=False))
    in_address = (quote(value, safe=""), quote_plus(value), quote(value))
    return {value, plain, json.dumps(value)[1:-1], *escaped, *in_address, encoded(value)}


def encoded(value):
    return b64encode(value.encode()).decode()


def echo(request):
    """Tell the value in all that a page has."""
    [value] = parse_qs(request.body.decode(), keep_blank_values=True)["secret"]
    shown, in_script = html.escape(value), json.dumps(value).replace("<", "\\u003c")
    row = f"<tr><td>{shown}<td>{shown}"
    body = f"""<!doctype html><meta charset=utf-8><title>{shown}</title><h1>Sent {shown}</h1>
<p>{shown} twice {shown}</p><p style="text-transform:uppercase">{shown}</p>
<a href="/x?q={quote(value, safe="")}&r={quote_plus(value)}" title="{shown}">{shown}</a>
<input aria-label="{shown}" value="{shown}"><textarea>{shown}</textarea>
<img alt="{shown}" src="/none?{quote(value)}"><pre>{html.escape(json.dumps(value))}</pre>
<p>{encoded(value)}</p><table><tr><th>{shown}<th>B{row}{row}{row}</table><script>
const value = {in_script};
console.log(value, {{value}}); console.error(new Error(value));
document.cookie = "note=" + encodeURIComponent(value);
history.replaceState(null, "", "/echo?at=" + encodeURIComponent(value) + "#" + encodeURI(value));
fetch("/seen?q=" + encodeURIComponent(value), {{method: "POST", body: JSON.stringify({{value}})}});
setTimeout(() => {{ throw new TypeError(value); }});
</script>"""
    return Reply(headers={"Content-Type": "text/html", "X-Echo": quote(value)}, body=body)


@pytest.fixture(scope="module")
def site():
    with serve({"/": FORM, "/echo": echo, "/seen": lambda request: request.body}) as running:
        yield running


async def session(web, site, name):
    """Use a secret as one caller; all answers are in the transcript."""
    mine = web.as_caller(name)

    async def call(action, **fields):
        return (await mine(resource="browser", action=action, **fields)).text

    await call("navigate", url=str(site))
    await call("record", value="har", output=name)
    await call("fill", ref='textbox "Secret"', value=f"{{{{{name}}}}}")
    await call("type", ref='textbox "Note"', text=f"{{{{{name}}}}}")
    await call("snapshot")
    assert "Now at" in await call("click", ref='button "Send"')
    assert f"{{{{{name}}}}}" in await call("text", max_tokens=20_000)
    for action in ("snapshot", "console", "cookies", "extract", "list_pages", "audit"):
        await call(action, max_tokens=20_000)
    for line in (await call("network", max_tokens=20_000)).splitlines():
        if "/seen" in line or "/echo" in line:
            await call("network", ref=line.split()[0], max_tokens=20_000)
    await call("evaluate", text="[document.title, location.href, document.body.innerText]")
    await call("evaluate", text="[...document.querySelectorAll('input')].map((e) => e.value)")
    await call("script", value="all", max_tokens=20_000)
    await call("script", value="all", output=f"{name}.strap")
    await call("record", value="stop")
    await web.router.end_session(f"local/{name}")


async def run(lab, name):
    """A run that enters the secret; what the model is asked is kept."""

    def enter(body):
        return act("input", index=index_before(shown(body), "type=password"), text=named)

    named = f"{{{{{name}}}}}"
    await lab.run(enter, click("Send"), done(f"sent {named}"), task=f"Send {named}")


def files(folder):
    """The files of strap's own; what Chromium keeps in a profile is not told to anybody."""
    paths = [each for each in folder.rglob("*") if each.is_file() and "profiles" not in each.parts]
    return {str(path): path.read_bytes().decode(errors="replace") for path in paths}


async def leaks(folder, site, caplog, *, seed, count, runs):
    """The names of secrets that are anywhere, and where."""
    made = values(seed, count)
    secrets = {f"s{n}": {"value": each, "origins": [str(site)]} for n, each in enumerate(made)}
    caplog.set_level(logging.DEBUG)
    async with laboratory(folder, site, secrets=secrets) as lab:
        await lab.web(resource="browser", action="launch")
        for name in secrets:
            await session(lab.web, site, name)
        await lab.web(resource="browser", action="close")
        for name in list(secrets)[:runs]:
            await run(lab, name)
        told = {"answers": lab.web.transcript, "model": json.dumps(lab.model.asked)}
    told["log"] = caplog.text
    told |= files(folder)
    assert sum(name.endswith(".har") for name in told) == count
    return [
        (name, secret["value"], place, form)
        for place, text in told.items()
        for name, secret in secrets.items()
        for form in forms(secret["value"])
        if form in text
    ]


async def test_no_value_is_told_of_a_sample_of_sessions(tmp_path, site, caplog):
    assert await leaks(tmp_path, site, caplog, seed=0, count=6, runs=0) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 21))
async def test_no_value_is_told_of_a_thousand_sessions(tmp_path, site, caplog, seed):
    assert await leaks(tmp_path, site, caplog, seed=seed, count=50, runs=2) == []


@pytest.mark.parametrize("value", ["short12", "two\nlines here", "tab\tbed value", "two  blanks"])
def test_what_could_not_be_masked_is_refused_without_it(tmp_path, value):
    table = {"shop": {"value": value, "origins": ["https://a.example"]}}
    with pytest.raises(StartupError, match="must be 8 or more printable") as refused:
        load(home=tmp_path, environ={}, secrets=table)
    assert value not in str(refused.value)


@pytest.mark.parametrize("left", ["", "/", "/!$&'()*+,;=:@", "!'()*~", "!()*~", "!()*~;/?:@&=+$,#"])
def test_an_address_may_leave_some_signs_as_they_are(left):
    value = "/=q#9&Po&2f:;'é~"
    secrets = Secrets({"shop": Secret(value=value, origins=("https://a.example",))})
    assert secrets.hide(f"GET /x?{quote(value, safe=left)} 200") == "GET /x?{{shop}} 200"
