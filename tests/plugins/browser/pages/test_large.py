"""Pages that are too large to be compared as a whole: what an action did is told all the same."""

import asyncio
import re
import threading

import pytest

from strap_browser.interaction.effects import SINCE_LAST
from strap_browser.snapshot.diff import compare
from tests.heartbeat import beating
from tests.site.server import Reply

from .conftest import ref_in

pytestmark = pytest.mark.anyio

NOTHING = "Nothing has changed so far."
ROWS = """<ul></ul><script>document.querySelector("ul").innerHTML = Array.from({ length: 1050 },
  (_, n) => `<li><a href=#${n}>Item ${n}</a><span>desc</span></li>`).join("")</script>"""
CONTROLS = """<p>First</p><button aria-pressed=false
  onclick="ariaPressed = 'true'">Star</button><label><input type=checkbox>Opt</label>
  <button aria-pressed=false onclick="ariaPressed = 'true'"><b>Bold</b></button>
  <label><input type=checkbox><i>Sure</i></label><button onclick="disabled = true">Dis</button>
  <button aria-expanded=false onclick="ariaExpanded = 'true'">More</button>
  <button onclick="textContent = 'Unlike'">Like</button>
  <input aria-label=Name oninput="value = value.toUpperCase()">
  <button id=add onclick="add(300)">Delete</button><button id=none>None</button>
  <button id=gone onclick="old.remove()">Gone</button><p id=old>Old note</p>
  <button id=show onclick="m.hidden = false">Show</button>
  <div id=m role=dialog aria-label=Hidden hidden>Was hidden<button
  id=hide onclick="m.style.display = 'none'">Hide</button></div>
  <button id=late onclick="setTimeout(() => { o.textContent = 'Saved' }, 150)">Late</button>
  <output id=o></output><script>const add = (ms) => setTimeout(() => {
    const ask = document.createElement("div"); ask.role = "dialog"; ask.ariaLabel = "Ask";
    ask.innerHTML = "Really delete?<button>Yes</button>"; document.body.append(ask) }, ms)
  </script>"""


@pytest.fixture
async def page(one_page, serve_site, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.page_state.COMPARED_SIZE", 0)
    monkeypatch.setattr("strap_browser.interaction.page_state.QUICK", -1)  # as on a slow machine
    monkeypatch.setattr("strap_browser.interaction.news.PATIENT", 60)
    await one_page("navigate", url=serve_site({"/": CONTROLS + ROWS}))
    return one_page


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ('button "Star"', '~ button "Star" {} pressed'),
        ('checkbox "Opt"', '~ checkbox "Opt" {} checked'),
        ('button "Dis"', '~ button "Dis" {} disabled'),
        ('button "More"', '~ button "More" {} expanded'),
    ],
)
async def test_state_of_the_element_acted_on(page, name, changed):
    ref = await page.ref(name)
    assert changed.format(ref) in await page("click", ref=ref)


@pytest.mark.parametrize(
    ("part", "changed"),
    [("b", '~ button "Bold" {} pressed'), ("i", '~ checkbox "Sure" {} checked')],
)
async def test_state_of_the_control_that_a_part_belongs_to(page, part, changed):
    ref = await page.ref(changed[2:].partition(" {")[0])
    assert changed.format(ref) in await page("click", selector=part)


async def test_state_by_key_and_by_place(page):
    ref = await page.ref('checkbox "Opt"')
    answer = await page("press", ref=ref, key="Space")
    assert f'~ checkbox "Opt" {ref} checked' in answer
    script = "JSON.stringify(document.querySelector('label').getBoundingClientRect())"
    box = (await page.result("evaluate", text=f"JSON.parse({script})")).data["result"]
    answer = await page("click", x=box["x"] + 30, y=box["y"] + 8)
    assert '~ checkbox "Opt"' in answer
    assert "checked" not in answer


async def test_name_of_the_element_acted_on(page):
    assert '~ button "Unlike"' in await page("click", ref=await page.ref('button "Like"'))


UNNOTICED = """No change was noticed so far. The page is too large to be compared. \
`snapshot` with `text` finds what you need."""


async def test_nothing(page):
    assert await page("click", selector="#none") == f"Clicked '#none'.\n{UNNOTICED}"
    await page("snapshot")
    assert await page("click", selector="#none") == f"Clicked '#none'.\n{NOTHING}"


UNTRACED = {
    "style sheet": ("<style>p { color: red }</style><p hidden>Was hidden</p>",
        "document.styleSheets[0].insertRule('p { display: block !important }')", "Was hidden"),
    "shadow root": ("<div id=host></div>",
        "host.attachShadow({ mode: 'open' }).innerHTML = '<p>In shadow'", "In shadow"),
    "text in a shadow root": (
        "<div id=host><template shadowrootmode=open><p>Old</p></template></div>",
        "host.shadowRoot.firstChild.textContent = 'New words'", "New words"),
    "frame": ("<iframe id=f srcdoc='<p>Old'></iframe>",
        "f.contentDocument.body.textContent = 'New words'", "New words"),
    "box": ("<label><input id=box type=checkbox>Box</label>", "box.checked = true", "checked"),
    "class": ("<style>.off { display: none }</style><p id=p class=off>Was hidden</p>",
        "p.className = ''", "Was hidden"),
    "target": ("<style>#p:not(:target) { display: none }</style><p id=p>Was hidden</p>",
        "location.hash = 'p'", "Was hidden"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNTRACED)
async def test_what_leaves_no_trace_is_looked_for(page, serve_site, name):
    html, script, told = UNTRACED[name]
    act = f'<button onclick="act()">Act</button><script>const act = () => {{ {script} }}</script>'
    await page("navigate", url=serve_site({"/": html + act + ROWS}))
    await page("snapshot")
    answer = await page("click", selector="button")
    assert told in answer
    assert NOTHING not in answer
    assert told in await page("snapshot", text=told)


async def test_of_a_slow_page_only_what_was_noticed_is_claimed(page, monkeypatch):
    monkeypatch.setattr("strap_browser.interaction.news.PATIENT", -1)
    await page("snapshot")
    assert await page("click", selector="#none") == f"Clicked '#none'.\n{UNNOTICED}"
    assert "Saved" in await page("click", selector="#late")


async def test_what_was_told_before_is_not_told_as_of_another_action(page):
    await page("snapshot")
    assert "- Old note" in await page("click", selector="#gone")
    answer = await page("click", selector="#none")
    assert f"{SINCE_LAST}\n- text: Old note" in answer
    assert "Changed:" not in answer
    assert await page("click", selector="#none") == f"Clicked '#none'.\n{NOTHING}"


async def test_many_elements_that_come_at_once(page):
    many = "document.querySelector('ul').innerHTML = '<li>New'.repeat(60_000)"
    await page("evaluate", text=f"document.querySelector('#none').onclick = () => {{ {many} }}; 0")
    assert "+ - New" in await page("click", selector="#none", timeout=90)


async def test_what_was_looked_for_before_an_action_is_looked_for_anew_after_it(page, serve_site):
    html, script, told = UNTRACED["text in a shadow root"]
    await page("navigate", url=serve_site({"/": html + ROWS}))
    assert "Nothing on the page contains" in await page("snapshot", text=told)
    await page("evaluate", text=f"{script}; 0")
    assert "Nothing on the page contains" not in await page("snapshot", text=told)


async def test_what_was_added_is_told_with_refs(page):
    answer = await page("click", selector="#add")
    assert '+ dialog "Ask"' in answer
    assert "Really delete?" in answer
    assert "Item 0" not in answer
    ref = answer.split('button "Yes" ')[1].split()[0]
    assert 'Clicked button "Yes"' in await page("click", ref=ref)


async def test_what_was_removed_or_shown_is_told(page):
    assert "- Old note" in await page("click", selector="#gone")
    assert '+ dialog "Hidden"' in await page("click", selector="#show")
    assert "- Hidden" in await page("click", selector="#hide")


async def test_text_that_comes_later(page):
    answer = await page("click", selector="#late")
    assert "Saved" in answer
    assert NOTHING not in answer


async def test_megabytes_in_one_line_hold_up_nobody(one_page, serve_site):
    site = serve_site({"/": f"<title>Long</title><p>{'word ' * 700_000}"})
    async with beating():
        assert "word word" in await one_page("navigate", url=site)
        assert "more characters" in await one_page("snapshot", max_tokens=50_000)


async def test_refs_of_large_pages_that_are_written_at_once(one_page, serve_site):
    links = "".join(f"<li><a href=#{n}>Link {n}</a>" for n in range(3_500))
    await one_page("navigate", url=serve_site({"/": f"<ul>{links}</ul>"}))
    asked = [one_page("snapshot", text=word, max_tokens=50_000) for word in ("Link", "Link 3")]
    lines = [line for answer in await asyncio.gather(*asked) for line in answer.splitlines()]
    refs = {line.split('"')[1]: line.split()[4] for line in lines if "- link" in line}
    assert len(refs) > 1_000
    assert len(set(refs.values())) == len(refs)


async def test_the_control_of_a_label_is_compared_as_well(page):
    rows = "<li><a href=#>Item</a><span> word</span></li>" * 1_100
    await page.show(f"<label><input type=checkbox>Option</label><ul>{rows}</ul>")
    assert 'checkbox "Option"' in await page("click", selector="label")


async def test_texts_of_many_lines_are_compared_beside_the_event_loop(
    one_page, serve_site, monkeypatch
):
    threads = []

    def noted(old, new):
        threads.append(threading.current_thread())
        return compare(old, new)

    monkeypatch.setattr("strap_browser.interaction.news.compare", noted)
    text = "<pre>" + "some words of a line\n" * 9_000 + "</pre>"
    await one_page("navigate", url=serve_site({"/": text}))
    await one_page("snapshot")
    assert "Nothing else has changed so far." in await one_page("press", key="a")
    assert threads
    assert threading.current_thread() not in threads


BOX = "<input type=checkbox>"
UNSEEN = "<input type=checkbox style='appearance: none; width: 0; height: 0; margin: 0'>"


@pytest.mark.parametrize(
    ("around", "item", "count"),
    [
        ("{}", BOX, 10_000),
        ("<div style='height: 90px; overflow: auto'>{}</div>", UNSEEN, 4_000),
        ("<a-b><template shadowrootmode=open>{}</template></a-b>", BOX, 20_000),
        ("{}", "<p tabindex=-1 role=treeitem>x</p>", 10_000),
    ],
)
async def test_the_time_of_a_look_does_not_grow_with_the_square_of_what_is_in_one_place(
    one_page, serve_site, around, item, count
):
    await one_page("navigate", url=serve_site({"/": around.format(item * count)}))
    assert f"{count - 20:,} more" in await one_page("snapshot", timeout=10)


async def test_what_is_written_again_as_it_was(page, serve_site):
    rows = "<p>Row <i>x</i></p>" * 2_000
    same, other = "o.innerHTML = o.innerHTML", "o.innerHTML = '<b>Total</b> 6'"
    buttons = "".join(f'<button onclick="{each}">Draw</button>' for each in (same, other))
    await page("navigate", url=serve_site({"/": f"{buttons}<p id=o><b>Total</b> 5</p>{rows}"}))
    assert "Total" not in await page("click", selector="button >> nth=0")
    assert "~ Total 6\n- 5" in await page("click", selector="button >> nth=1")


@pytest.mark.parametrize("levels", [800, 2_500])
async def test_what_scripts_nest_deeply(page, serve_site, levels):
    nest = f"let n = document.body; for (let i = 0; i < {levels}; i++) {{ const d = document"
    nest += ".createElement('div'); n.append(d); n = d } n.innerHTML = '<button>Go</button>Name'"
    await page("navigate", url=serve_site({"/": f"<p>Top</p><script>{nest}</script>"}))
    assert "Name" in await page("text")
    shown = await page("snapshot")
    assert re.search(r'text: Top\nbutton "Go" e\d+\ntext: Name', shown)
    await page(
        "evaluate", text="document.querySelector('button').onclick = e => e.target.remove(); 0"
    )
    assert "- button" in await page("click", ref=re.search(r"e\d+", shown)[0])


WRITTEN = {
    ".a::before { content: 'A ' }": "<p class=a>x</p>",
    ".b { color: red; &::after { content: ' B' } }": "<p class=b>x</p>",
    ".c { @media all { &:not(i)::before { content: 'C ' } } }": "<p class=c>x</p>",
    ".out { .d::before { content: 'D ' } }": "<div class=out><p class=d>x</p></div>",
    "@layer l { @supports (color: red) { .e:after { content: ' E' } } }": "<p class=e>x</p>",
    "i, .f > ::before { content: attr(title) }": "<div class=f><p title='F '>x</p></div>",
    ":root { --t: 'G ' } .g::before { content: var(--t) }": "<p class=g>x</p>",
    "@import 'imported.css'; @namespace h url(x);": "<p class=h>x</p>",
    "@scope (.s) { p::before { content: 'S ' } }": "<div class=s><p>x</p></div>",
    ".n::before { color: red } .n::after { content: none }": "<p class=n>x</p>",
    "q { quotes: '[' ']' }": "<q>x</q>",
}
PADDING = "<i></i>" * 1_200


@pytest.mark.parametrize("rule", WRITTEN)
async def test_what_style_sheets_write_is_told_as_on_a_small_page(one_page, serve_site, rule):
    part = f"<style>{rule}</style>{WRITTEN[rule]}"
    css = {"Content-Type": "text/css"}
    sheet = Reply(headers=css, body=".h::before { content: 'H ' }")
    site = serve_site({"/small": part, "/large": part + PADDING, "/imported.css": sheet})
    small, large = [
        (await one_page("navigate", url=f"{site}/{name}")).splitlines()[1:]
        for name in ("small", "large")
    ]
    assert small
    assert small == large


async def test_what_scripts_let_style_sheets_write_is_told(one_page, serve_site):
    script = """<script>
      const sheet = new CSSStyleSheet();
      document.adoptedStyleSheets = [sheet];
      const root = late.attachShadow({ mode: "open" });
      root.innerHTML = `<style>::slotted(p)::before { content: 'Slotted ' }
        :host::after { content: 'Host' } b::before { content: 'In ' }</style><slot></slot><b>z</b>`;
    </script>"""
    body = f"<p id=a>x</p><div id=late><p>y</p></div>{PADDING}{script}"
    await one_page("navigate", url=serve_site({"/": body}))
    shown = await one_page("snapshot")
    assert [text for text in ("Slotted y", "In zHost") if text not in shown] == []
    await one_page("evaluate", text="late.remove(); sheet.insertRule('#a::after{content:\" Z\"}')")
    assert "x Z" in await one_page("snapshot")


async def test_a_page_that_is_not_very_large_is_compared_on_a_slow_machine(one_page, monkeypatch):
    """The answer does not depend on what else the machine does."""
    monkeypatch.setattr("strap_browser.interaction.page_state.QUICK", -1)
    await one_page.open("table.html")
    await one_page(
        "evaluate", text="[...document.querySelectorAll('tr')].slice(600).map(e => e.remove())"
    )
    ref = ref_in(await one_page("snapshot"), 'link "View"')
    answer = await one_page("click", ref=ref)
    assert "too large" not in answer
    assert "Order 0 opened" in answer
