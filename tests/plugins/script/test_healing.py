"""`strap run --heal`: elements that changed are found by their evidence."""

import json
import shutil
from pathlib import Path

import pytest

from strap import testing
from tests.site.server import serve
from tests.support.browser import ANY_BROWSER
from tests.support.caller import Caller

from .conftest import HOME, buy, shop

pytestmark = pytest.mark.anyio
PASSWORD = "correct horse"


@pytest.fixture(scope="module")
async def script(tmp_path_factory, anyio_backend):
    """The files of a script of what was bought in the shop, recorded once."""
    files = tmp_path_factory.mktemp("recorded")
    config = {"home": files / "home", "outputs": files, "network": "local"}
    plugins = {"browser": {**ANY_BROWSER, "auto_launch": True}}
    async with testing.router(plugins=plugins, **config) as web:
        with serve(shop()) as site:
            await buy(Caller(web), site)
            await Caller(web)("script", output="buy.strap")
    return [files / "buy.strap", files / "buy.strap.json"]


@pytest.fixture
def recorded(script, tmp_path):
    """That script for one test, with its evidence beside it."""
    folder = tmp_path / "files"
    folder.mkdir()
    copied, _ = (Path(shutil.copy(file, folder)) for file in script)
    return copied


async def healed(recorded, play, home=HOME, *options):
    """Play it on a changed shop; returns the process and what the shop was sent."""
    with serve(shop(**{"/home": home})) as site:
        given = options or ("--heal=yes",)
        done = await play(recorded, *given, base_url=str(site), password=PASSWORD)
    return done, [request.body for request in site.requests if request.path == "/api/orders"]


BANNER = """<div style="position:fixed;inset:0;background:#000a;z-index:9"><div
 style="position:fixed;inset:auto 0 0 0;background:#fff">We value your privacy.
<button onclick="sent('all')">Accept all</button>{more}</div></div>
<script>const sent = (what) => fetch("/consent/" + what);</script>"""
REJECT = (
    "<button onclick=\"this.closest('[style*=inset]').parentNode.remove()\">Reject all</button>"
)
MODAL = """<dialog id=news><h2>Newsletter</h2><button onclick="fetch('/consent/news')">Subscribe
</button></dialog><script>news.showModal()</script>"""
ORDER = "<button id=order data-testid=order>Order</button>"
CHANGES = {
    "words, with its test id": (ORDER, ORDER.replace("Order<", "Jetzt bestellen<")),
    "id, with its test id": (
        ORDER,
        '<button data-testid=order onclick="order.onclick()">Order</button><i id=order></i>',
    ),
    "a field's label": ("<label>Note <input", "<label>Remark <input"),
    "a list's label": ("<label>Size <select", "<label>Dimensions <select"),
    "wrapped": (ORDER, f"<section><div><div>{ORDER}</div></div></section>"),
    "rows in another order": (
        "<tr><td>Rake",
        "<tr><td>Hoe<td><button>Add</button></tr><tr><td>Rake",
    ),
    "an offer in the way": ("<h1>Welcome</h1>", f"<h1>Welcome</h1>{BANNER.format(more=REJECT)}"),
    "a dialog in the way": ("<h1>Welcome</h1>", f"<h1>Welcome</h1>{MODAL}"),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_what_changed_is_found_by_the_rest(recorded, play, change):
    old, new = CHANGES[change]
    assert HOME.count(old) == 1
    done, orders = await healed(recorded, play, HOME.replace(old, new))
    assert done.returncode == 0, done.stderr
    assert len(orders) == 1
    again, orders = await healed(recorded, play, HOME.replace(old, new), "--heal=no")
    is_way = "in the way" in change
    assert again.returncode == int(is_way), again.stderr
    assert len(orders) == 1 - is_way


OTHERS = {
    "its marks, not its words": (
        ORDER,
        '<button onclick="order.onclick()">Order</button><u hidden id=order></u>',
    ),
    "what was told by its row": ("<tr><td>Rake</td><td><button>Add</button></td></tr>", ""),
    "a switch that was turned": (
        "<td>Rake</td><td><button>Add</button>",
        "<td>Rake</td><td><button>Remove</button>",
    ),
    "an act that cannot be taken back": (ORDER, "<button id=order>Pay now</button>"),
    "nothing but the place": (ORDER, "<button id=other>Cancel</button><i id=order></i>"),
    "only an offer to agree": ("<h1>Welcome</h1>", f"<h1>Welcome</h1>{BANNER.format(more='')}"),
    "what came of it": ("Thank you, it is on its way.", "Sorry, out of stock."),
}


@pytest.mark.parametrize("change", OTHERS)
async def test_what_is_in_doubt_is_not_clicked_and_not_written(recorded, play, change):
    files = [recorded, recorded.with_name("buy.strap.json")]
    before = [file.read_bytes() for file in files]
    old, new = OTHERS[change]
    assert HOME.count(old) == 1
    done, orders = await healed(recorded, play, HOME.replace(old, new))
    assert done.returncode == 1
    assert len(orders) == (change == "what came of it")
    assert [file.read_bytes() for file in files] == before
    assert "line " in done.stderr


async def test_a_repair_is_told_and_written_with_its_evidence(recorded, play):
    home = HOME.replace(ORDER, ORDER.replace("Order<", "Jetzt bestellen<"))
    done, _ = await healed(recorded, play, home, "--heal=yes", "--json")
    told = json.loads(done.stdout)
    assert told["ok"]
    [healed_line] = told["healed"]
    assert healed_line.startswith('line 16: button "Order" → button "Jetzt bestellen" (the same ')
    assert "testid" in healed_line
    text, evidence = recorded.read_text("utf-8"), recorded.with_name("buy.strap.json").read_text()
    assert text.splitlines()[15] == "click ref='button \"Jetzt bestellen\"'"
    assert '"name": "Jetzt bestellen"' in evidence
    assert '"name": "Order"' not in evidence
    assert not [*recorded.parent.glob(".*")]


async def test_evidence_that_is_none_is_told(recorded, play):
    beside = recorded.with_name("buy.strap.json")
    for content in (b"[]", b"{", b'{"calls": [{"line": "click ref=e1", "ref": 7}]}'):
        beside.write_bytes(content)
        done, _ = await healed(recorded, play)
        assert done.returncode == 0, done.stderr
    beside.unlink()
    done, _ = await healed(recorded, play)
    assert done.returncode == 2
    assert "strap script -o FILE" in done.stderr


async def test_another_element_with_the_same_words_is_not_taken(recorded, play):
    """Its author's marks say which one it is."""
    other = ORDER.replace("Order<", "Buy<") + "<button data-testid=cancel>Order</button>"
    done, orders = await healed(recorded, play, HOME.replace(ORDER, other))
    assert done.returncode == 0, done.stderr
    assert len(orders) == 1


async def test_two_elements_with_a_mark_each_are_in_doubt(recorded, play):
    other = "<button data-testid=order>Buy</button><button id=order data-testid=no>Order</button>"
    done, orders = await healed(recorded, play, HOME.replace(ORDER, other))
    assert done.returncode == 1
    assert "An element has test id" in done.stderr
    assert not orders


async def test_an_impostor_is_not_clicked_even_where_nothing_is_healed(recorded, play):
    """It has the words of what was recorded, whose test id is gone from the page."""
    impostor = ORDER.replace(" data-testid=order", "").replace("id=order", "id=order-all")
    home = HOME.replace(ORDER, impostor).replace("order.onclick =", "window['order-all'].onclick =")
    for heal in ("no", "yes"):
        done, orders = await healed(recorded, play, home, f"--heal={heal}")
        assert (done.returncode, orders) == (1, []), done.stderr
        assert "testid:order" in done.stderr


PARTS = """<title>Parts</title><script>customElements.define("x-field", class extends HTMLElement {{
  connectedCallback() {{
    const root = this.attachShadow({{ mode: "open" }});
    const marks = 'id=input name=value data-testid=inner';
    root.innerHTML = `<label>${{this.title}} <input ${{marks}}></label>`;
    root.querySelector("input").oninput = () => fetch("/typed/" + this.title);
  }}
}});</script>{fields}"""
FIELDS = ["<x-field title=Account></x-field>", "<x-field title=Export></x-field>"]


@pytest.mark.parametrize("before", [FIELDS, FIELDS[1:]], ids=["two", "one"])
async def test_marks_within_a_component_are_not_those_of_one_element(page, play, tmp_path, before):
    """Each instance of a component has them: its author wrote them, not the page's."""
    with serve({"/home": PARTS.format(fields="".join(before))}) as site:
        await page("navigate", url=f"{site}/home")
        await page("fill", ref='textbox "Export"', value="abc")
        await page("script", output="parts.strap")
    with serve({"/home": PARTS.format(fields=FIELDS[0])}) as site:
        done = await play(tmp_path / "files/parts.strap", "--heal=yes", base_url=str(site))
    assert done.returncode == 1, done.stdout
    assert not [each for each in site.requests if each.path.startswith("/typed/")]


BUTTONS = """<title>Buttons</title><h1>Note</h1><script>
customElements.define("x-button", class extends HTMLElement {{
  connectedCallback() {{
    this.attachShadow({{ mode: "open" }}).innerHTML = "<button id=base><slot></slot></button>";
    this.onclick = () => fetch("/pressed/" + this.innerText);
  }}
}});</script>{}"""
SAVE = '<x-button id="save-it">Save</x-button>'


@pytest.mark.parametrize(
    ("after", "pressed"),
    [
        (SAVE, ["/pressed/Save"]),
        (SAVE.replace(">Save", ">Keep"), ["/pressed/Keep"]),
        ("<x-button>Save</x-button>", []),
        (SAVE.replace(">Save", ">Keep") + "<x-button>Save</x-button>", []),
    ],
    ids=["same", "renamed", "another one", "in doubt"],
)
async def test_marks_of_a_component_are_those_of_its_only_control(
    page, play, tmp_path, after, pressed
):
    with serve({"/home": BUTTONS.format(SAVE)}) as site:
        await page("navigate", url=f"{site}/home")
        await page("click", ref='button "Save"')
        await page("script", output="save.strap")
    with serve({"/home": BUTTONS.format(after)}) as site:
        await play(tmp_path / "files/save.strap", "--heal=yes", base_url=str(site))
    assert [each.path for each in site.requests if "/pressed/" in each.path] == pressed
