"""A ref whose element the page replaced: found again where that is sure, and never another one."""

import re

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def shows(page, serve_site, html):
    """Open a page that shows this."""
    return await page("navigate", url=str(serve_site({"/": f"<!doctype html>{html}"})))


async def test_what_is_replaced_as_the_mouse_comes_is_clicked(page, serve_site):
    comes = """onmouseenter="const next = this.cloneNode(1); next.className = 'over';
      next.removeAttribute('onmouseenter'); this.replaceWith(next)" """
    clicked = "onclick='out.textContent = +out.textContent + 1'"
    body = f"<div style='cursor:pointer' {comes} {clicked}>Count</div><output id=out>0</output>"
    ref = ref_in(await shows(page, serve_site, body), 'clickable "Count"')
    assert "~ status: 1" in await page("click", ref=ref)


@pytest.mark.parametrize("tag", ["button", "div style='cursor:pointer'"])
async def test_the_one_that_is_left_of_two_of_the_name_is_not_meant(page, serve_site, tag):
    row = f"<div>{{}} <{tag} onclick='parentNode.remove()'>Delete</{tag.split()[0]}></div>"
    shown = await shows(page, serve_site, row.format("One") + row.format("Two"))
    ref = ref_in(shown, '"Delete"')
    assert "One" in await page("click", ref=ref)
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    assert "Two" in await page("snapshot")


async def test_what_another_view_of_the_page_shows_is_not_meant(page, serve_site):
    body = "<main></main><script>onhashchange = () => { document.querySelector('main').innerHTML ="
    body += " `<h1>${location.hash}</h1><button>Empty</button>` }; onhashchange()</script>"
    site = str(serve_site({"/": body}))
    ref = ref_in(await page("navigate", url=f"{site}/#/inbox"), 'button "Empty"')
    await page("evaluate", text="location.hash = '#/backup'; 0")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"


REDRAWN = """<{list} id=all></{list}><output id=out></output><script>
const all = document.getElementById('all'), out = document.getElementById('out');
const draw = (...names) => {{ all.innerHTML = ''; for (const name of names) {{
  const one = document.createElement('{row}'); all.append(one);
  one.innerHTML = `<span>${{name}}</span> <button>Edit</button> <button>Remove</button>`;
  one.lastElementChild.onclick = () => {{ out.textContent = 'Removed ' + name }} }} return 0 }};
draw({names})</script>"""


@pytest.mark.parametrize("row", ["li", "div"])
async def test_the_only_row_of_a_list_drawn_anew_is_not_another_one(page, serve_site, row):
    around = "ul" if row == "li" else "div"
    body = REDRAWN.format(list=around, row=row, names="'Ada'")
    ref = ref_in(await shows(page, serve_site, body), 'button "Remove"')
    await page("evaluate", text="draw('Bob')")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    assert (await page.fails("snapshot", ref=ref)).code == "stale_ref"
    assert "Removed" not in await page("snapshot")
    await page("evaluate", text="draw('Ada')")
    assert "status: Removed Ada" in await page("click", ref=ref)


async def test_one_of_several_rows_is_not_found_again_by_its_place(page, serve_site):
    body = REDRAWN.format(list="ul", row="li", names="'Ada', 'Bob'")
    ada, bob = re.findall(r'button "Remove" (e\d+)', await shows(page, serve_site, body))
    await page("evaluate", text="draw('Carl', 'Bob', 'Dan', 'Ada')")
    for ref in (ada, bob):
        assert (await page.fails("click", ref=ref)).code == "stale_ref"
    await page("evaluate", text="draw('Ada')")
    assert (await page.fails("click", ref=ada)).code == "stale_ref"
    assert "Removed" not in await page("snapshot")


ALIKE = {
    "pictures that say nothing": "<img alt='' width=60 height=40 src='/x?${name}'>",
    "fields of one label": "<input aria-label=Name value='${name}'>",
    "nothing": "",
}


@pytest.mark.parametrize("row", ALIKE.values(), ids=ALIKE.keys())
@pytest.mark.parametrize("count", [3, 40])
async def test_of_rows_that_say_the_same_each_is_told_by_its_ref_alone(
    page, serve_site, row, count
):
    body = f"""<h1>All</h1><div id=all></div><output id=out></output><script>
      const draw = (names) => {{ all.innerHTML = names.map((name) => `<div>{row}<button
        onclick="out.textContent = 'Gone ${{name}}'">Delete</button></div>`).join(''); return 0 }};
      const names = (from) => Array.from({{ length: {count} }}, (_, place) => from + place);
      draw(names(1))</script>"""
    await shows(page, serve_site, body)
    ref = ref_in(await page("snapshot"), 'button "Delete"')
    for drawn in ("names(2)", "names(1).reverse()"):
        await page("evaluate", text=f"draw({drawn})")
        assert (await page.fails("click", ref=ref)).code == "stale_ref"
    assert "Gone" not in await page("snapshot")


async def test_a_dialog_that_asks_about_something_else_is_another_one(page, serve_site):
    body = """<div id=all></div><script>const ask = (name) => { all.innerHTML = `<div role=dialog
      aria-label=Sure><p>Delete ${name}?</p><p>For ever.</p><p>Not at all.</p><p>Really.</p>
      <button>Cancel</button><button>Delete</button></div>`; return 0 }; ask('Ada')</script>"""
    ref = ref_in(await shows(page, serve_site, body), 'button "Delete"')
    await page("evaluate", text="ask('Bob')")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    await page("evaluate", text="ask('Ada')")
    assert "found it again" in await page("click", ref=ref)


DONE = "<button onclick=\"out.textContent = 'Done to ' + shown\">Empty</button>"
TABS = (
    "['Ada', 'Bob'].map((one) => `<button role=tab aria-selected=${one == name}>${one}</button>`)"
)
TOLD = {
    "a field": f"`<ul><li><input aria-label=Name value=${{name}}>{DONE}</li></ul>`",
    "a field in a dialog": f"`<div role=dialog title=Edit><input value=${{name}}>{DONE}</div>`",
    "a drop-down": f"`<select><option>${{name}}<option>Carl</select>{DONE}`",
    "a tab": f"`<div role=tablist>${{{TABS}}}</div>{'<p>Text</p>' * 40}{DONE}`",
    "a choice": f"""`<label><input type=radio ${{name == 'Ada' ? 'checked' : ''}}>Ada</label>
        <label><input type=radio ${{name == 'Bob' ? 'checked' : ''}}>Bob</label>{DONE}`""",
    "a heading": f"`<h1>${{name}}</h1><h2>Mails</h2>{'<p>Text</p>' * 40}{DONE}`",
    "a heading that leads": f"`<h1><a href=/x>${{name}}</a></h1>{'<p>Text</p>' * 40}{DONE}`",
    "a status": f"`<div role=status>Job ${{name}}</div>{DONE}`",
    "how far it is": f"`<progress max=9 value=${{name.charCodeAt() - 64}}></progress>{DONE}`",
    "an address": f"`<ul><li><a href=/${{name}}>Profile</a>{DONE}</li></ul>`",
    "where it leads": "`<a href='#${name}' onclick='out.textContent = 1'>Empty</a>`",
}


@pytest.mark.parametrize("view", TOLD.values(), ids=TOLD.keys())
async def test_what_tells_of_something_else_is_another_one(page, serve_site, view):
    body = f"""<main id=all></main><output id=out></output><script>let shown;
      const draw = (name) => {{ shown = name; all.innerHTML = {view}; return 0 }};
      draw('Ada')</script>"""
    await shows(page, serve_site, body)
    ref = re.search(r'(?:button|link) "Empty" (e\d+)', await page("snapshot", max_tokens=2000))[1]
    await page("evaluate", text="draw('Bob')")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    assert "status: " not in (await page("snapshot", max_tokens=2000)).replace("status: Job", "")
    await page("evaluate", text="draw('Ada')")
    assert "found it again" in await page("click", ref=ref)


@pytest.mark.parametrize("beside", ["", "<button>Edit</button>"])
async def test_of_a_row_that_says_nothing_nobody_knows_which_it_is(page, serve_site, beside):
    row = f"`<li title=${{name}}><img alt='' src=/${{name}}>{beside}{DONE}</li>`"
    body = f"""<ul id=all></ul><output id=out></output><script>let shown;
      const draw = (name) => {{ shown = name; all.innerHTML = {row}; return 0 }};
      draw('Ada')</script>"""
    ref = ref_in(await shows(page, serve_site, body), 'button "Empty"')
    await page("evaluate", text="draw('Bob')")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
