"""Secrets by name in a browser: typed where they belong, shown nowhere."""

import asyncio
import base64
import json
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from strap import PolicyDenied, UsageError, testing
from strap_browser.chromium.preferences import ask_nobody
from tests.site.server import Reply, serve
from tests.support.browser import SETTINGS
from tests.support.caller import Caller

pytestmark = pytest.mark.anyio

TOKEN = 'Tr0ub4dor & "3" x'
LOGIN = """<title>Login</title>
<form method=post action=/sent><input name=user aria-label=User>
<input name=password type=password aria-label=Password><button>Go</button></form>
<div contenteditable role=textbox aria-label=Editor></div>"""
ECHO = """<title>SECRET</title><h1>SECRET</h1><a href="/x?SECRET">link</a>
<input aria-label=Field value="SECRET" placeholder="SECRET"><p>%s SECRET</p>
<script>const secret = document.querySelector("h1").textContent;
console.error("%s" + secret); fetch("/data?q=" + encodeURIComponent(secret));
history.replaceState(null, "", "/echo?q=" + encodeURIComponent(secret));</script>"""
EAGER = """<title>Eager</title><input aria-label=Field><p></p><input aria-label=Half><script>
const field = document.querySelector("input");
const tell = (value) => {
  console.log("v=" + value);
  fetch("/data?q=" + encodeURIComponent(value));
};
field.oninput = () => tell(field.value);
field.onchange = () => {
  for (let n = 1; n <= field.value.length; n++) tell(field.value.slice(0, n));
  document.querySelector("p").textContent = "So far: " + field.value.slice(0, 9);
  document.querySelector("[aria-label=Half]").value = field.value.slice(0, 6);
};
</script>"""
FILL = "word " * 400
TRANSFORMS = ("uppercase", "lowercase", "capitalize")
CASED = "<p style='text-transform:{0}'>{0} {1}</p>"


@pytest.fixture(scope="module")
def other():
    with serve({"/": LOGIN}) as running:
        yield running


@pytest.fixture(scope="module")
def site(other):
    shown = TOKEN.replace("&", "&amp;").replace('"', "&quot;")
    data = Reply(headers={"Content-Type": "application/json", "X-Echo": TOKEN}, body=TOKEN)
    routes = {
        "/": LOGIN,
        "/sent": lambda request: f"<title>Sent</title><p>{request.body.decode()}</p>",
        "/echo": (ECHO % (FILL, "x" * 995)).replace("SECRET", shown),
        "/data": data,
        "/cased": "".join(CASED.format(how, shown) for how in TRANSFORMS),
        "/frames": f"<title>Frames</title><iframe src='{other}/'></iframe>",
        "/eager": EAGER,
        "/saved": f"<title>Saved</title><a href=/file download='dl-{shown}.txt'>Save</a>",
        "/file": Reply(headers={"Content-Type": "application/octet-stream"}, body="saved"),
        "/quiet": LOGIN.replace("/sent", "/template"),
        "/template": "<title>T</title><input aria-label=Template>",
        "/asks": f"<title>Asks</title><script>confirm('{'x' * 192}' + {TOKEN!r})</script>",
    }
    with serve(routes) as running:
        yield running


@pytest.fixture(scope="module")
async def web(tmp_path_factory, anyio_backend, site):
    secrets = {
        "shop": {"value": TOKEN, "origins": [str(site)]},
        "else": {"value": "something-else", "origins": ["https://example.com"]},
    }
    home = tmp_path_factory.mktemp("home")
    async with testing.router(
        home=home, network="local", plugins={"browser": SETTINGS}, secrets=secrets
    ) as opened:
        await opened(resource="browser", action="launch")
        yield opened


@pytest.fixture
def page(web, request):
    """Call the resource `browser`, as another caller in each test; nothing may show the secret."""
    mine = web.as_caller(request.node.name)

    async def call(action, **fields):
        result = await mine(resource="browser", action=action, **fields)
        assert "Tr0ub4" not in result.text + str(result.data)
        return result.text

    yield call
    assert "Tr0ub4" not in web.transcript


async def held(page, name):
    """How many characters a field holds, and whether they are the secret."""
    field = f"document.querySelector('[aria-label={name}]')"
    text = f"(({field}.value ?? {field}.textContent) === atob('{encoded()}'))"
    return (await page("evaluate", text=text)).split("\n")[0] == "true"


def encoded():
    return base64.b64encode(TOKEN.encode()).decode()


async def test_fields_are_filled_with_secrets(page, site):
    await page("navigate", url=site)
    for name in ("User", "Password", "Editor"):
        selector = f"[aria-label={name}]"
        assert "Filled" in await page("fill", selector=selector, value="{{shop}}")
        assert await held(page, name)
        await page("fill", selector=selector, value="")
        answer = await page("type", selector=selector, text="{{ shop }}")
        assert answer.startswith("Typed it into")
        assert await held(page, name)
    assert "••" in await page("snapshot")  # as the password field holds the same
    sent = await page("click", selector="button")
    assert "Sent" in sent
    assert "user={{shop}}&password={{shop}}" in await page("text")


async def test_what_a_style_sheet_shows_otherwise_is_masked(page, site):
    await page("navigate", url=f"{site}/cased")
    for told in (await page("text"), await page("text", value="plain")):
        assert "0ub4" not in told.lower()
        assert told.count("{{shop}}") == len(TRANSFORMS)
    assert "{{shop}}" in await page("evaluate", text="document.body.innerText")


async def test_a_download_is_under_the_name_that_is_told(page, site):
    await page("navigate", url=f"{site}/saved")
    await page("click", selector="a")
    told = await page("downloads", ref="d1")
    path = Path(told.split(" at ")[1].splitlines()[0])
    assert "saved" in told
    assert path.name == "dl-{{shop}}.txt"
    assert await asyncio.to_thread(lambda: list(path.parent.iterdir())) == [path]


@pytest.mark.parametrize("sign", ["\u200b", "\u00ad", "\u2060", "\ufe0f", "\u034f"], ids=ascii)
async def test_what_draws_nothing_between_letters_hides_it_from_nobody(page, site, sign):
    await page("navigate", url=site)
    word = f"[...atob('{encoded()}')].join('\\u{ord(sign):04x}')"
    make = f"document.body.innerHTML = '<p>Hi</p><a href=/>x</a><input aria-label=F>'; w = {word};"
    show = "document.querySelector('p').textContent = w; document.title = w; console.log(w);"
    field = "document.querySelector('input').value = w; document.querySelector('a').title = w; w"
    answers = [await page("evaluate", text=make + show + field)]
    answers += [await page(each) for each in ("text", "snapshot", "console", "list_pages")]
    answers += [await page("text", value="plain"), await page("snapshot", text="Hi")]
    for answer in answers:
        assert "Tr0u" not in answer.replace(sign, "")
    assert all("{{shop}}" in answer for answer in answers[:-1])


@pytest.mark.parametrize("action", ["type", "fill", "batch"])
async def test_a_page_that_tells_of_each_key_shows_no_beginning(page, site, action):
    await page("navigate", url=f"{site}/eager")
    given = {"fill": {"value": "{{shop}}"}, "type": {"text": "{{shop}}"}}
    steps = {"steps": ["type selector=[aria-label=Field] text={{shop}}"]}
    fields = steps if action == "batch" else {"selector": "[aria-label=Field]", **given[action]}
    await page(action, **fields)
    told = await page("console")
    assert "v={{shop}}" in told
    assert "v=T" not in told  # it was not given key by key
    answers = [await page("press", key="Tab"), told]  # now the page tells each beginning by itself
    answers.append(await page("console"))
    answers.append(await page("network", text="data", max_tokens=20_000))
    answers.append(await page("snapshot"))
    answers.append(await page("text"))
    assert "So far: {{shop}}" in answers[-1]
    answers.append(await page("evaluate", text="'a\\n' + field.value.slice(0, 12)"))
    for answer in answers:
        assert "Tr0u" not in answer
        assert "Tr0ub" not in answer.replace("%20", "")


async def test_words_that_begin_like_a_secret_stay_words(page, site):
    await page("navigate", url=f"{site}/eager")
    await page("fill", selector="[aria-label=Field]", value="{{shop}}")
    told = await page("evaluate", text="'Tr0uble xTr0ub Tr0u'")
    assert told.startswith('"Tr0uble xTr0ub {{shop}}"')


async def test_a_part_of_a_text_and_a_step_of_a_batch(page, site):
    steps = [f"navigate url={site}/", "fill selector=[name=user] value='{{shop}} Ada'"]
    assert "Filled" in await page("batch", steps=steps)
    told = await page("evaluate", text="document.querySelector('[name=user]').value")
    assert told.startswith('"{{shop}} Ada"')


async def test_a_secret_goes_to_its_sites_only(page, web, site, other):
    for url, wanted in ((other, f"'{other}'"), (f"{site}/frames", f"'{other}'")):
        await page("navigate", url=url)
        snapshot = await page("snapshot")
        ref = snapshot.split('textbox "User" ')[1].split()[0]
        for action, field in (("fill", "value"), ("type", "text")):
            with pytest.raises(PolicyDenied) as caught:
                await page(action, ref=ref, **{field: "{{shop}}"})
            assert str(caught.value).startswith(f"The secret 'shop' is not for {wanted}.")
        assert 'textbox "User"' in await page("snapshot")
    await page("navigate", url=site)
    with pytest.raises(PolicyDenied, match=r"not for .* It is for https://example.com"):
        await page("fill", selector="[name=user]", value="{{else}}")


async def test_a_wrong_name_and_a_missing_field(page, site):
    await page("navigate", url=site)
    with pytest.raises(UsageError, match=r"no secret 'shpo'. Known: else, shop;"):
        await page("fill", selector="[name=user]", value="{{shpo}}")
    with pytest.raises(UsageError, match="give ref or selector"):
        await page("type", text="{{shop}}")


async def test_what_a_page_shows_of_it_is_masked(page, site):
    opened = await page("navigate", url=f"{site}/echo")
    assert "{{shop}}" in opened
    for action, fields in (
        ("snapshot", {}),
        ("text", {}),
        ("text", {"selector": "h1"}),
        ("evaluate", {"text": "document.title"}),
        ("evaluate", {"text": "({ [document.title]: [document.title] })"}),
        ("list_pages", {}),
        ("network", {}),
        ("network", {"text": "data"}),
    ):
        assert "{{shop}}" in await page(action, **fields), action
    lines = await page("network", text="/data")
    detail = await page("network", ref=lines.split()[0])
    assert "x-echo: {{shop}}" in detail
    assert "Response body:\n{{shop}}" in detail
    assert "Tr0" not in await page("console")
    with pytest.raises(Exception, match=r"threw.*{{shop}}"):
        await page("evaluate", text="throw new Error(document.title)")


async def test_no_part_of_it_is_shown_where_an_answer_is_cut(page, site):
    await page("navigate", url=f"{site}/echo")
    length = len(FILL.strip()) + 60
    for start in range(length - 90, length + 40, 7):
        assert "r0ub4" not in await page("text", start=start)
    for tokens in range(110, 130, 3):
        assert "Tr0" not in await page("snapshot", max_tokens=tokens)


async def test_a_dialog_that_says_it(page, site):
    said = await page("navigate", url=f"{site}/asks")
    assert "A confirm dialog is open" in said
    assert "Tr0" not in said
    await page("dialog", value="dismiss")


async def test_screenshots_show_dots(page, site):
    await page("navigate", url=site)
    await page("fill", selector="[name=user]", value="{{shop}}")
    style = "getComputedStyle(document.querySelector('[name=user]')).webkitTextSecurity"
    assert (await page("evaluate", text=style)).startswith('"disc"')


async def test_braces_are_text_where_no_secrets_are_set(open_web, site):
    async with open_web() as web:
        await web(resource="browser", action="launch")
        await web(resource="browser", action="navigate", url=f"{site}/template")
        filled = await web(resource="browser", action="fill", selector="input", value="{{ name }}")
        assert filled.text.startswith("Filled")
        told = await web(
            resource="browser", action="evaluate", text="document.querySelector('input').value"
        )
    assert told.data["result"] == "{{ name }}"


KEEPSAKE = "zanzibar-keepsake-4711"


@pytest.mark.whole_browser
async def test_chromium_keeps_nothing_of_what_is_filled_in(open_web, home, site):
    preferences = home / "profiles" / "nebo" / "user-data" / "Default" / "Preferences"
    for _ in ("a new profile", "one that was there"):
        async with open_web() as web:
            await web(resource="browser", action="launch")
            await web(resource="browser", action="navigate", url=f"{site}/quiet")
            for name in ("user", "password"):
                field = {"selector": f"[name={name}]", "value": KEEPSAKE}
                await web(resource="browser", action="fill", **field)
            await web(resource="browser", action="click", selector="button")
            await web(resource="browser", action="navigate", url=f"{site}/template")
            await asyncio.sleep(1)  # it keeps such things a little later
            await web(resource="browser", action="close")
        files = [path for path in home.rglob("*") if path.is_file()]
        names = {path.name for path in files}
        assert {"Preferences", "Web Data", "Login Data"} <= names
        kept = [path.name for path in files if KEEPSAKE.encode() in path.read_bytes()]
        assert kept == []
        preferences.write_text('{"autofill": {"profile_enabled": true}, "browser": 1}')


async def test_preferences_that_cannot_be_read_are_begun_anew(open_web, home):
    folder = home / "profiles" / "nebo" / "user-data" / "Default"
    folder.mkdir(parents=True)
    (folder / "Preferences").write_text("{")
    async with open_web() as web:
        await web(resource="browser", action="launch")
        await web(resource="browser", action="close")
    kept = json.loads((folder / "Preferences").read_text())
    assert kept["autofill"]["profile_enabled"] is False
    assert kept["credentials_enable_service"] is False


@pytest.mark.parametrize("headless", [True, False])
def test_only_where_a_person_sees_it_chromium_asks_for_a_password(tmp_path, headless):
    state = tmp_path / "Local State"
    state.write_text('{"auth": {"schemes": "ntlm"}, "kept": 1}')
    ask_nobody(str(tmp_path), headless=headless)
    found = json.loads(state.read_text())
    assert ("basic" in found["auth"]["schemes"].split(",")) is not headless
    assert found["kept"] == 1


async def test_a_har_shows_no_secret_in_any_encoding(page, web, site):
    await page("navigate", url=site)
    await page("record", value="har", output="secret.har")
    await page("fill", selector="[aria-label=Password]", value="{{shop}}")
    text = """const secret = document.querySelector('[aria-label=Password]').value;
    const form = new FormData(); form.append('key', secret);
    const bodies = [secret, JSON.stringify({a: secret}), new URLSearchParams({q: secret}), form,
      btoa(secret), btoa('u:' + secret), new Blob([new Uint8Array([0, 255]), secret])];
    for (const body of bodies) await fetch('/', {method: 'POST', body});
    await fetch('/?q=' + encodeURIComponent(secret), {headers: {'X-Note': btoa('me:' + secret)}});
    return bodies.length"""
    assert (await page("evaluate", text=text)).startswith("7")
    await page("record", value="stop")
    content = (web.router.config.outputs / "secret.har").read_text()
    entries = json.loads(content)["log"]["entries"]
    assert len(entries) == 8
    for before in range(3):
        form = base64.b64encode(b"x" * before + TOKEN.encode()).decode()
        assert form[4 * (before > 0) : len(form) // 4 * 4 - 4] not in content
    for form in (TOKEN, quote(TOKEN), quote_plus(TOKEN), json.dumps(TOKEN)[1:-1]):
        assert form not in content
    for entry in entries:
        posted = entry["request"].get("postData", {})
        if posted.get("_encoding") == "base64":
            assert TOKEN.encode() not in base64.b64decode(posted["text"])
    assert content.count("{{shop}}") >= 8


@pytest.mark.parametrize("value", ["name-9f27c1d4", "children", "role12345678", "description"])
async def test_a_secret_that_begins_like_a_word_of_the_protocol(tmp_path, site, value):
    secrets = {"word": {"value": value, "origins": [str(site)]}}
    plugins = {"browser": {**SETTINGS, "auto_launch": True}}
    made = testing.router(home=tmp_path, network="local", plugins=plugins, secrets=secrets)
    async with made as web:
        page = Caller(web)
        await page("navigate", url=f"{site}/")
        await page("fill", ref='textbox "User"', value="{{word}}")
        await page("click", ref='textbox "Password"')
        assert 'textbox "User" e1: ••••••••' in await page("snapshot")
