"""Snapshots of a part show more than those of the whole page: places, and listeners."""

import re

import pytest

from .conftest import lines_of, ref_in

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html><title>P</title><main>
<div>Loose <b id=bold>bold</b> words</div>
<table><tr id=row><td>Cell A<td>Cell B</table>
<div><i id=icon style="display:inline-block;width:20px;height:20px"></i></div>
<div><span>Plain</span> <button>Used</button></div>
<p>Paragraph <a href=#x>linked</a></p></main>
<script>
  const listen = (element, type, title) =>
    element.addEventListener(type, () => { document.title = title; });
  listen(bold, "click", "bold");
  listen(row, "mousedown", "row");
  document.body.addEventListener("click", () => {});
  document.querySelector("main").addEventListener("mousemove", () => {});
  icon.onclick = () => { document.title = "icon"; };
</script>"""


@pytest.fixture
async def page(one_page, serve_site):
    await one_page("navigate", url=serve_site({"/": PAGE}))
    return one_page


async def test_a_look_at_the_whole_page_asks_for_no_listeners(page):
    assert lines_of(await page("snapshot"))[:4] == [
        "main",
        "  text: Loose bold words",
        "  table row: Cell A | Cell B",
        "  text: Plain",
    ]


async def test_in_an_element_all_that_listens_and_every_text_has_a_ref(page):
    main = ref_in(await page("snapshot", text="Paragraph"), "main")
    assert lines_of(await page("snapshot", ref=main)) == [
        "main #",
        "  text #: Loose",
        '  clickable "bold" #',
        "  text #: words",
        "  table #",
        "    row #: text #: Cell A | text #: Cell B",
        "  clickable #: <i#icon>",
        "  text #: Plain",
        '  button "Used" #',
        '  text #: Paragraph [link "linked" # -> #x]',
    ]


async def test_a_text_that_listens_is_found_by_its_words(page):
    shown = await page("snapshot", text="bold")
    assert 'Title: "bold"' in await page("click", ref=ref_in(shown, 'clickable "bold"'))
    assert '  clickable "bold" #' in lines_of(await page("snapshot"))


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<div><label>Last reward:</label> <span>1.00</span></div>", "[text #: Last reward:] 1.00"),
        ("<div>The <b>last reward</b> was <i>2</i></div>", "The [text #: last reward] was 2"),
        ("<p>The <b>last reward</b> was 2</p>", "The [text #: last reward] was 2"),
    ],
)
async def test_what_stands_beside_a_text_is_told_with_it(one_page, html, shown):
    await one_page.show(html)
    (line, _) = lines_of(await one_page("snapshot", text="last reward"))
    assert line.replace("text #: The", "text: The") == f"text: {shown}"  # a paragraph has one


async def test_what_a_text_stands_in_is_asked_too(page):
    shown = await page("snapshot", text="Cell A")
    assert "    row #: text #: Cell A | Cell B" in lines_of(shown)
    assert 'Title: "row"' in await page("click", ref=ref_in(shown, "row"))


async def test_a_plain_text_is_clicked_by_its_ref(page):
    shown = await page("snapshot", text="Cell B")
    told = await page("click", ref=ref_in(shown, "| text"))
    assert 'Clicked text "Cell B"' in told
    assert 'Title: "row"' in told


async def test_a_look_at_a_part_is_no_change_of_the_page(page):
    await page("snapshot", text="Plain")
    ref = ref_in(await page("snapshot", text="Paragraph"), "text")
    assert "Nothing has changed so far." in await page("hover", ref=ref)


async def test_in_a_frame(page, serve_site):
    inner = PAGE.replace('"', "&quot;")
    await page("navigate", url=serve_site({"/": f'<iframe width=500 srcdoc="{inner}"></iframe>'}))
    shown = await page("snapshot", text="bold")
    assert 'Clicked "bold"' in await page("click", ref=ref_in(shown, 'clickable "bold"'))
    table = ref_in(await page("snapshot", text="Cell A"), "row")
    assert f"row {table}: text f" in await page("snapshot", ref=table)


SHADOW = """<main aria-label=M><div id=host></div></main><script>
const root = host.attachShadow({ mode: "closed" });
root.innerHTML = "<span>In</span>";
root.firstChild.addEventListener("click", () => {});
</script>"""


async def test_in_shadow_roots(page, serve_site):
    await page("navigate", url=serve_site({"/": SHADOW}))
    main = ref_in(await page("snapshot", text="In"), 'main "M"')
    assert 'clickable "In"' in await page("snapshot", ref=main)


async def test_cells_that_are_empty(page):
    await page.show("<table role=grid><tr><td>One<td><td></table>")
    grid = ref_in(await page("snapshot", text="One"), "row")
    shown = await page("snapshot", ref=grid)
    assert re.search(r"row e\d+: text e\d+: One \| cell e\d+ \| cell e\d+", shown)


@pytest.mark.soak
async def test_a_large_page_outlives_being_asked_again_and_again(page):
    await page.open("table.html")
    for _ in range(3):
        await page("snapshot")
        assert "text e" in await page("snapshot", text="Customer 1777")


async def test_drawings_that_nobody_calls_anything(one_page, serve_site):
    html = """<!doctype html><style>i, span { display: inline-block; width: 16px; height: 16px }
      </style><img alt=Logo width=30 height=30><div role=listbox aria-label=Fruit tabindex=0>
      <div role=option>Pear <i aria-hidden=true></i>
      <svg width=16 height=16><path d="M0 0h9v9z"/></svg> <img alt="" width=16 height=16>
      <span><!--if--></span></div></div><script>document.onclick = ({ target }) => {
      document.title = `on ${target.localName}` }</script>"""
    await one_page("navigate", url=serve_site({"/": html}))
    whole = await one_page("snapshot")
    assert "img" not in whole.replace('img "Logo"', "")
    fruit = ref_in(whole, 'listbox "Fruit"')
    option = lines_of(shown := await one_page("snapshot", ref=fruit))[1]
    assert option == '  option "Pear" #: [img #] [img #] [img #] [img #]'
    icons = re.findall(r"\[img (e\d+)\]", shown)
    for ref, name in zip(icons, ("i", "path", "img", "span"), strict=True):
        assert f'Title: "on {name}"' in await one_page("click", ref=ref)
    logo = ref_in(await one_page("snapshot", text="Logo"), 'img "Logo"')
    assert 'Clicked img "Logo"' in await one_page("click", ref=logo)


async def test_what_is_small_and_says_something_is_no_drawing(one_page, serve_site):
    html = """<!doctype html><style>main > * { display: inline-block; width: 60px; height: 30px }
      #count::after { content: "3" } #new::before { content: "new" }</style>
      <main aria-label=M tabindex=0><a-b></a-b> <c-d></c-d> <i id=count></i> <i id=new></i>
      <i aria-owns=own></i> <i role=img><input aria-label=In></i>
      <svg><foreignObject width=50 height=20><input aria-label=On></foreignObject></svg></main>
      <p><b id=own>Owned</b></p><script>for (const mode of ["open", "closed"])
      document.querySelector(mode === "open" ? "a-b" : "c-d").attachShadow({ mode }).innerHTML =
      mode === "open" ? `<button>open</button>` : "closed"</script>"""
    await one_page("navigate", url=serve_site({"/": html}))
    main = ref_in(await one_page("snapshot"), 'main "M"')
    shown = await one_page("snapshot", ref=main)
    for told in ('button "open"', "closed", ": 3", ": new", "Owned", '"In"', '"On"'):
        assert told in re.sub(r"e\d+", "#", shown), shown
    assert "[img" not in shown


async def test_a_look_for_words_is_no_change_of_the_page(one_page, serve_site):
    html = "<title>T</title><x-a>One</x-a><x-b><span>More</span>Hidden words</x-b><p>Other</p>"
    await one_page("navigate", url=serve_site({"/": html}))
    ref = ref_in(await one_page("snapshot", text="More"), "[text")
    assert "Nothing has changed so far." in await one_page("click", ref=ref)
    await one_page(
        "evaluate",
        text="document.querySelector('p').onclick = e => { e.target.textContent = 'New' }; 0",
    )
    other = ref_in(await one_page("snapshot", text="Other"), "text")
    assert (await one_page("click", ref=other)).endswith(f"Changed:\n~ text {other}: New")


LISTENING = """<table><tr><th>Name<th>Kind<tr><td><div>Ada</div><td>A
<tr><td><div>Bob</div><td>B</table>"""


async def test_a_cell_that_listens_is_clicked_by_the_ref_of_its_text(one_page):
    await one_page.show(LISTENING)
    script = """for (const cell of document.querySelectorAll("td"))
      cell.addEventListener("click", () => (document.title = cell.textContent)); 0"""
    await one_page("evaluate", text=script)
    assert "Bob" in await one_page("snapshot")
    shown = await one_page("snapshot", text="Bob")
    await one_page("click", ref=ref_in(shown.replace("text ", "Bob "), "Bob"))
    assert await one_page("evaluate", text="document.title") == '"Bob"'


async def test_a_text_in_what_is_called_otherwise_meanwhile_has_a_ref(one_page):
    await one_page.show("<table><tr><td>Ada<td>A</table>")
    await one_page("snapshot", text="Ada")
    await one_page("evaluate", text="document.querySelector('td').role = 'gridcell'; 0")
    shown = await one_page("snapshot", text="Ada")
    await one_page("click", ref=ref_in(shown, "text"))
