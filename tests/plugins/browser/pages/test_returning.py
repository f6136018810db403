"""What goes and comes back as a whole, as a page does from behind a dialog that hides it."""

import re

import pytest

pytestmark = pytest.mark.anyio
FIELDS = "".join(f"<button>Item {number}</button><p>Text {number}</p>" for number in range(15))
PAGE = f"""<!doctype html><title>Shop</title>
<style>[hidden] {{ display: none }}</style>
<main>{FIELDS}<button id=ask onclick="turn(true)">Ask</button></main>
<div id=box hidden><button onclick="turn(false)">Shut</button>
<button onclick="document.querySelector('p').textContent = 'Else'; turn(false)">Change</button>
<button onclick="turn(false); document.querySelectorAll('button')[3].focus()">Go on</button></div>
<script>const turn = (open) => {{
  for (const part of document.querySelector('main').children) part.hidden = open;
  box.hidden = !open;
}};
if (location.search) turn(true)</script>"""


@pytest.fixture
async def asked(page, serve_site):
    await page("navigate", url=serve_site({"/": PAGE}))
    before = await page("snapshot")
    told = await page("click", selector="#ask")
    assert "- main" in told
    return before


def came(told):
    return [re.sub(r" e\d+", "", line) for line in told.splitlines() if line.startswith("+")]


async def test_what_is_back_as_it_was_is_counted(page, asked):
    told = await page("click", selector="text=Shut")
    assert came(told) == [
        *("+ main", '+   button "Item 0"', "+   text: Text 0", '+   button "Item 1"'),
        *("+   text: Text 1", "+ … 27 more, as they were"),
    ]
    [ref] = re.findall(r'"Item 14" (e\d+)', asked)
    assert f'Clicked button "Item 14" {ref}' in await page("click", ref=ref)


async def test_what_is_not_as_it_was_is_told(page, asked):
    await page("snapshot")
    told = await page("click", selector="text=Change")
    assert came(told) == [
        *("+ main", '+   button "Item 0"', "+   text: Else", '+   button "Item 1"'),
        *("+   text: Text 1", '+   button "Item 2"', "+ … 26 more, as they were"),
    ]


async def test_what_has_the_focus_now_is_told(page, asked):
    told = came(await page("click", selector="text=Go on"))
    assert told[-2:] == ['+   button "Item 3" focused', "+ … 26 more, as they were"]


async def test_another_page_has_nothing_that_was_there_before(page, asked):
    await page("evaluate", text="location.search = 'open'")
    assert came(await page("click", selector="text=Shut"))[-2] == "+   text: Text 14"
