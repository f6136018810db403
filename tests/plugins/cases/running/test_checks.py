"""Each kind of check on a real page: what is so, what is not, and what cannot be known."""

import pytest

from strap import testing
from strap_cases.checking import matching, others
from strap_cases.checking.making import OBSERVERS, make
from strap_cases.checking.scene import Scene
from strap_cases.grammar import KINDS, parse_check
from strap_cases.running.session import CaseSession
from tests.heartbeat import beating
from tests.site.server import Reply, serve
from tests.support.answer_reader import data_of
from tests.support.browser import ANY_BROWSER

pytestmark = pytest.mark.anyio
PAGE = """<!doctype html><title>Shop - Basket</title><h1>Your  basket</h1>
<p id=sum>Total <b>12.50</b></p><p hidden>Never shown</p>
<p id=fades style="opacity: 0">Saved it</p><ul><li>spade</li><li>rake</li></ul>
<label><input type=checkbox checked> Terms</label> <button disabled>Buy</button>
<button aria-expanded=true>Menu</button><label>Name <input name=who value="Ada L."></label>
<div style="opacity: 0"><button>Faded</button><label><input type=radio> Faded</label></div>
<label><input type=radio style="opacity: 0"> Drawn</label>
<input type=password name=word aria-label=Word value=hunter2>
<div id=host></div><iframe srcdoc="<p>Inside the frame</p>"></iframe>
<button onclick="confirm('Sure?')">Ask</button><a href=/file.txt download>File</a>
<script>
document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML = '<button>Deep</button>';
console.log('all is well'); fetch('/api/items?page=2'); fetch('/missing');
setTimeout(() => { document.querySelector('#sum').append(' late') }, 400);
</script>"""
SO = [
    "url /basket",
    "url /bas*",
    'url "?from=home"',
    "url /basket?from=home",
    'title "Basket"',
    "title /^shop/i",
    'text "Total 12.50"',
    'text "Inside the frame"',
    'text "spade" in li',
    r"text /Total \d+\.50/",
    'text "late"',
    'role heading "Your basket"',
    'role checkbox "Terms" checked',
    'role button "Buy" disabled',
    'role button "Menu" expanded',
    'role button "Deep"',
    'role textbox "Name"',
    "role listitem",
    'role radio "Drawn"',
    'value [name=who] "Ada L."',
    "count li 2",
    "count li > 1",
    "cookie session",
    "page status 200",
    "request GET /api/items 200",
    "request GET /missing",
    "console errors",
    'console "all is well"',
    "failed requests",
    "download file*.txt",
    'answer "twelve"',
    'http GET /api/items 200 "spade"',
    "http GET /missing 404",
    "js \"document.querySelectorAll('li').length === 2\"",
]
HUGE = """<!doctype html><title>Huge</title><p id=trap>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!</p>
<pre id=long></pre><ul></ul><script>
document.querySelector('#long').textContent = 'spade ' + 'word '.repeat(60000);
document.querySelector('ul').innerHTML = '<li>rake</li>'.repeat(6000);
</script>"""
THERE = ['text "spade word" in #long', "text /spade +word/ in #long", 'role listitem "rake"']
NOT_KNOWN = [
    ("text /^(a+)+$/ in #trap", "takes too long"),
    ("no text /^(a+)+$/ in #trap", "takes too long"),
    ('no text "moon" in #long', "more than can be looked at"),
    ('no role listitem "moon"', "more than can be looked at"),
    ("no value #long /moon/", "more than can be looked at"),
    ('no http GET /huge.txt 200 "moon"', "word"),
]
LISTS = ("network", "console", "list_pages", "downloads")
NOT_SO = [
    ("url /bask", "/basket?from=home"),
    ('title "Home"', '"Shop - Basket"'),
    ('text "Total 9.00"', '"Total 12.50 late"'),
    ('text "Never shown"', "nothing like it"),
    ('text "saved it"', '"Saved it", invisible'),
    ('text "Saved it" in #fades', '""'),
    ('text "spade" in h1', '"Your basket"'),
    ('role button "Buy" checked', '"Buy" disabled'),
    ('role button "Faded"', '"Buy" disabled'),
    ('role radio "Faded"', '"Drawn"'),
    ("role dialog", "no dialog"),
    ('value [name=who] "Ada"', '"Ada L."'),
    ('value [name=what] "Ada"', "no such element"),
    ('value [name=word] "hunter2"', '"••••••••"'),
    ('text "hunter2"', ""),
    ("text /hunter[0-9]/", ""),
    ("count li < 2", "2"),
    ("cookie other", "session"),
    ("page status 404", "200"),
    ("request POST /api/items", "none"),
    ("request GET /api/items 201", "GET /api/items 200"),
    ('console "terrible"', "all is well"),
    ('dialog "Sure?"', "none"),
    ("download other.txt", "file.txt"),
    ('answer "thirteen"', "It is twelve."),
    ("http GET /api/items 201", "200"),
    ('http GET /api/items 200 "/api/items"', '200 "spade"'),
    ('js "nothing.there"', "nothing is not defined"),
]


@pytest.fixture(scope="module")
async def scene(tmp_path_factory):
    page = Reply(headers={"Set-Cookie": "session=1"}, body=PAGE)
    text = Reply(headers={"Content-Type": "text/plain"}, body="spade")
    file = Reply(headers={"Content-Type": "application/octet-stream"}, body=b"12")
    huge = Reply(headers={"Content-Type": "text/plain"}, body="word " * 200_000)
    routes = {"/basket": page, "/api/items": text, "/file.txt": file}
    routes |= {"/spoof": SPOOF, "/huge": HUGE, "/huge.txt": huge}
    tables = {"browser": {**ANY_BROWSER, "profiles": {"case": {"ephemeral": True}}}}
    with serve(routes) as site:
        async with testing.router(home=tmp_path_factory.mktemp("home"), plugins=tables) as web:
            session = CaseSession(web.router, "case", "one")
            await session.launch()
            await session.start(viewport="900x700")
            await session.go(f"{site}/basket?from=home", state="")
            await session.on_page("click", selector="a")
            yield Scene(session=session, base_url=site, answer="It is twelve.")


def test_every_kind_of_check_is_made():
    assert set(OBSERVERS) == set(KINDS)


async def test_what_is_so(scene):
    seen = await make([parse_check(source, 1, {}) for source in SO], scene, 5)
    assert [each.check.source for each in seen if each.met is not True] == []


async def test_what_is_not_so_and_what_is_there_instead(scene):
    seen = await make([parse_check(source, 1, {}) for source, _ in NOT_SO], scene, 0)
    assert [each.check.source for each in seen if each.met is not False] == []
    for each, (_, said) in zip(seen, NOT_SO, strict=True):
        assert said in each.seen, each


async def test_no_turns_a_check_round(scene):
    sources = [f"no {source}" for source in SO if source != 'text "late"']
    seen = await make([parse_check(source, 1, {}) for source in sources], scene, 0)
    assert [each.check.source for each in seen if each.met is not False] == []
    sources = [f"no {source}" for source, _ in NOT_SO if not source.startswith("js")]
    seen = await make([parse_check(source, 1, {}) for source in sources], scene, 0)
    assert [each.check.source for each in seen if each.met is not True] == []


async def test_what_answers_say_is_in_their_text_as_well(scene):
    """Clients of MCP get the text alone, and see the same."""
    wide = {"network": {"limit": 300}, "console": {"limit": 200}}
    code = "({a: ['1']})"
    calls = [
        scene.session.on_page(name, **given, max_tokens=100_000) for name, given in wide.items()
    ]
    calls += [scene.session.on_page("evaluate", text=code), scene.session.on_page("cookies")]
    calls += [scene.session.call("browser", "list_pages", profile="case")]
    calls += [scene.session.call("browser", "downloads", limit=100)]
    calls += [scene.session.on_page("text", value="plain")]
    names = [*wide, "evaluate", "cookies", "list_pages", "downloads", "text"]
    for name, call in zip(names, calls, strict=True):
        answer = await call
        told = data_of(name, answer.text)
        pairs = zip(told, answer.data, strict=True) if name in LISTS else [(told, answer.data)]
        for said, given in pairs:
            kept = {key: given[key] for key in said} if isinstance(said, dict) else given
            assert said == kept
    for name in wide:  # of which there is nothing
        answer = await scene.session.on_page(name, text="no such thing")
        assert data_of(name, answer.text) == []
    fetched = await scene.session.call("http", "fetch", url=f"{scene.base_url}/api/items")
    assert data_of("fetch", fetched.text) == {"status": 200, "next_start": None}


SPOOF = (
    "<!doctype html><meta charset=utf-8><p>one\x85two\x1cthree</p><p>Sum</p>"
    "<p>… 12 more characters: start=3</p><p>Texts: 1, but there is more.</p><p>Order cancelled</p>"
    + "<p>so it is</p>"
    * 60
)


@pytest.mark.parametrize("most", [50, 2_000])
async def test_a_page_does_not_decide_which_of_its_texts_are_told(scene, most):
    await scene.session.on_page("navigate", url=f"{scene.base_url}/spoof")
    answer = await scene.session.on_page("text", value="plain", selector="p", max_tokens=most)
    said = data_of("text", answer.text)
    assert said == {key: answer.data[key] for key in said}
    assert said["whole"] is (most > 50)
    if said["whole"]:
        assert len(said["texts"]) == 65
        assert (said["texts"][0], said["texts"][4]) == ("one\x85two\x1cthree", "Order cancelled")
    await scene.session.on_page("navigate", url=f"{scene.base_url}/basket?from=home")


async def test_what_cannot_be_known_is_no_answer(scene):
    sources = ["count li[ 1", 'no js "nothing.there"', "no count li[ 1"]
    seen = await make([parse_check(source, 1, {}) for source in sources], scene, 0)
    assert [each.met for each in seen] == [None, None, None]
    await scene.session.on_page("click", selector="button[onclick]")
    (seen,) = await make([parse_check("count li 2", 1, {})], scene, 0)
    assert (seen.met, "dialog" in seen.seen) == (None, True)
    await scene.session.on_page("dialog")


async def test_what_is_too_much_is_not_known_and_holds_nothing_up(scene, monkeypatch):
    monkeypatch.setattr(others, "MOST_PARTS", 1)
    monkeypatch.setattr(matching, "SECONDS", 0.3)
    await scene.session.on_page("navigate", url=f"{scene.base_url}/huge")
    async with beating():
        seen = await make([parse_check(source, 1, {}) for source, _ in NOT_KNOWN], scene, 0)
    assert [(each.check.source, each.met) for each in seen if each.met is not None] == []
    for each, (_, said) in zip(seen, NOT_KNOWN, strict=True):
        assert said in each.seen, each
    seen = await make([parse_check(source, 1, {}) for source in THERE], scene, 0)
    assert [each.check.source for each in seen if each.met is not True] == []


async def test_a_page_that_says_nonsense_is_not_believed(scene):
    await scene.session.on_page("navigate", url=f"{scene.base_url}/huge")
    lies = "window.real ??= JSON.stringify; JSON.stringify = (v) => v === Object(v) ? {} : real(v)"
    for nonsense in ("'x'", """'{"url": 5}'""", """'{"url": "http://["}'""", "5"):
        await scene.session.on_page("evaluate", text=lies.format(nonsense))
        sources = ["url /huge", "role listitem", 'value [name=who] "Ada"']
        seen = await make([parse_check(source, 1, {}) for source in sources], scene, 0)
        assert [each.check.source for each in seen if each.met] == []
