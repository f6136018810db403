"""Subject of a ref: an element that a page fills with another record is not acted on."""

import asyncio

import pytest

from .conftest import engine_of, ref_in

pytestmark = pytest.mark.anyio
HEAD = "<!doctype html><meta charset=utf-8><title>T</title><p id=o></p>"


@pytest.fixture
def page(one_page):
    return one_page


async def untold(page, script):
    return await engine_of(page).evaluate(script)


async def shows(page, serve_site, html):
    return await page("navigate", url=str(serve_site({"/": HEAD + html})))


def rows(*names):
    cells = "<td>{0}</td><td>Active</td><td><input aria-label=Amount></td><td>{1}</td>"
    boxes = "<input type=checkbox><button onclick=\"o.textContent = 'done'\">Delete</button>"
    return "".join(f"<tr>{cells.format(name, boxes)}</tr>" for name in names)


def cards(*names, tag="div"):
    return "".join(
        f"<{tag} class=card><h3>{name}</h3><p>Free cancellation</p><div><span>9 EUR</span>"
        f"<button onclick=\"o.textContent = 'done'\">Book</button></div></{tag}>"
        for name in names
    )


def numbered(*numbers, sign="#"):
    """Rows that only a number tells apart: who ordered comes again."""
    button = "<button onclick=\"o.textContent = 'done'\">Delete</button>"
    cells = "<td>{0}</td><td>Ann</td><td>9 EUR</td><td>{1}</td>"
    return "".join(f"<tr>{cells.format(f'{sign}{each}', button)}</tr>" for each in numbers)


def bare(*texts):
    """Entries that show this, and a button."""
    button = "<button onclick=\"o.textContent = 'done'\">Book</button>"
    return "<ul>" + "".join(f"<li><span>{text}</span> {button}</li>" for text in texts) + "</ul>"


BARE = "document.querySelector('li span').textContent = '10:30'; 0"
TABLE = f"<table>{rows('Alice', 'Bob', 'Carol')}</table>"
FILL = (
    "[...document.querySelectorAll('{0}')].forEach((one, n) => {{ one.textContent = {1}[n] }}); 0"
)
FIRST = FILL.format("td:first-child", "['Zed', 'Alice', 'Bob']")
TITLES = FILL.format("h3", "['Castle', 'Hut', 'Barn']")
BUY = "<button onclick=\"o.textContent = 'done'\">Buy</button>"
YES = "<button onclick=\"o.textContent = 'done'\">Yes</button>"
FIELDS = (
    "<table>"
    + "".join(f"<tr><td><input {{0}} value={n}><td>{YES}" for n in ("Alice", "Bob"))
    + "</table>"
)
VALUES = "document.querySelectorAll('input').forEach((one, n) => { one.value = 'Zed' + n }); 0"
SWAPPED = {
    "value of a read-only field": (
        FIELDS.format("readonly"),
        'button "Yes"',
        VALUES,
        'in row "Zed0" now',
    ),
    "value of a disabled field": (
        FIELDS.format("disabled"),
        'button "Yes"',
        VALUES,
        'in row "Zed0" now',
    ),
    "button in a row": (TABLE, 'button "Delete"', FIRST, 'button "Delete" in row "Zed" now'),
    "box in a row": (TABLE, "checkbox", FIRST, 'checkbox in row "Zed" now'),
    "field in a row": (TABLE, 'textbox "Amount"', FIRST, 'textbox "Amount" in row "Zed" now'),
    "cells written anew": (
        TABLE,
        'button "Delete"',
        (
            "for (const [n, row] of [...document.querySelector('table').rows].entries())"
            "{ const cell = document.createElement('td'); cell.textContent = `Zed ${n}`;"
            "row.cells[0].replaceWith(cell) } 0"
        ),
        'in row "Zed 0" now',
    ),
    "numbered names": (
        f"<table>{rows('Mail 1', 'Mail 2', 'Mail 3')}</table>",
        'button "Delete"',
        FILL.format("td:first-child", "['Mail 36', 'Mail 37', 'Mail 38']"),
        'in row "Mail 36" now',
    ),
    "status first": (
        (
            "<ul><li>Open <b>Fix a</b> <button>Close</button><li>Open <b>Fix b</b> "
            "<button>Close</button></ul>"
        ),
        'button "Close"',
        FILL.format("b", "['Fix c', 'Fix d']"),
        'in listitem "Fix c" now',
    ),
    "card": (cards("Hut", "Barn", "Inn"), 'button "Book"', TITLES, 'in "Castle" now'),
    "one card": (cards("Hut", tag="article"), 'button "Book"', TITLES, 'in article "Castle'),
    "one card of no role": (
        cards("Hut"),
        'button "Book"',
        TITLES,
        'button "Book" after "Free cancellation" after "Castle" now',
    ),
    "entry of a card": (
        "".join(
            f"<div><h3>{name}</h3><ul><li>Single <button>Book</button><li>Double "
            "<button>Book</button></ul></div>"
            for name in ("Hut", "Barn")
        ),
        'button "Book"',
        TITLES,
        'in listitem "Single" in "Castle" now',
    ),
    "question": (
        f"<div role=dialog><h2>Please confirm</h2><p>Get the newsletter?</p>{YES}</div>",
        'button "Yes"',
        FILL.format("[role=dialog] p", "['Delete your account?']"),
        'button "Yes" in dialog "Please confirm, Delete your account?" now',
    ),
    "question without a dialog": (
        f"<h1>Shop</h1><p id=q>Get the newsletter?</p><p id=r hidden>Delete all?</p>{YES}",
        'button "Yes"',
        "q.hidden = true; r.hidden = false; 0",
        'button "Yes" after "Delete all?"',
    ),
    "bare question": (
        f"<div id=d>Get the newsletter?{YES}</div>",
        'button "Yes"',
        "d.firstChild.data = 'Delete your account?'; 0",
        'button "Yes" after "Delete your account?" now',
    ),
    "plan": (
        f"<h1>Plans</h1><p>Monthly plan</p>{BUY}",
        'button "Buy"',
        FILL.format("p:not(#o)", "['Yearly plan']"),
        'button "Buy" after "Yearly plan"',
    ),
    "number that stands for a record": (
        f"<table>{numbered(1001, 1002, 1003)}</table>",
        'button "Delete"',
        FILL.format("td:first-child", "['#1003', '#1001', '#1002']"),
        'in row "#1003" now',
    ),
    "number behind a colon": (
        cards("Order: 1001", "Order: 1002"),
        'button "Book"',
        FILL.format("h3", "['Order: 1003', 'Order: 1001']"),
        'in "Order: 1003" now',
    ),
    "times": (bare("09:00", "09:30", "10:00"), 'button "Book"', BARE, 'in listitem "10:30" now'),
    "prices": (bare("9 EUR", "12 EUR"), 'button "Book"', BARE, 'in listitem "10:30" now'),
    "small numbers": (bare("1", "2", "3"), 'button "Book"', BARE, 'in listitem "10:30" now'),
    "pictures": (
        bare("<img src=/a.svg alt=''>", "<img src=/b.svg alt=''>"),
        'button "Book"',
        "document.querySelector('img').src = '/c.svg'; 0",
        'in listitem "http',
    ),
    "links": (
        bare("<a href=/a>More</a>", "<a href=/b>More</a>"),
        'button "Book"',
        "document.querySelector('a').href = '/c'; 0",
        'in listitem "/c" now',
    ),
    "records that come one after another": (
        f"<table>{numbered(1, 2, 3, sign='Order 100')}</table>",
        'button "Delete"',
        """(async () => { for (let n = 1; n < 5; n++) {
        document.querySelectorAll('td:first-child').forEach((one, k) => {
        one.textContent = `Order 100${k + 1 + n}` });
        await new Promise((done) => setTimeout(done, 90)) } })()""",
        'in row "Order 1005" now',
    ),
    "question that turns": (
        f"<h1>Plans</h1><p>Monthly plan</p>{BUY}",
        'button "Buy"',
        """(async () => { for (const plan of ['Weekly', 'Daily', 'Yearly']) {
        document.querySelector('p:not(#o)').textContent = `${plan} plan`;
        await new Promise((done) => setTimeout(done, 90)) } })()""",
        'button "Buy" after "Yearly plan"',
    ),
    "group": (
        "<fieldset><legend>Get news?</legend><label><input type=radio>Yes</label></fieldset>",
        'radio "Yes"',
        FILL.format("legend", "['Delete all?']"),
        'radio "Yes" in group "Delete all?" now',
    ),
}


@pytest.mark.parametrize(("html", "line", "script", "now"), SWAPPED.values(), ids=SWAPPED)
async def test_another_record_is_not_acted_on(page, serve_site, html, line, script, now):
    await shows(page, serve_site, html)
    ref = ref_in(await page("snapshot"), line)
    await untold(page, script)
    error = await page.fails("click", ref=ref)
    assert error.code == "stale_ref"
    assert f"ref {ref!r} is from before the page changed: it is {line}" in str(error)
    assert now in str(error)
    assert f"use {ref} again if that is meant" in str(error)
    assert await untold(page, "o.textContent") == ""
    assert "Clicked" in await page("click", ref=ref)


AGAIN = "location.hash = 'x'; 0"
KEPT = {
    "value of a field": (FIELDS.format(""), 'button "Yes"', VALUES),
    "nothing": (TABLE, 'button "Delete"', AGAIN),
    "written again": (
        TABLE,
        'button "Delete"',
        FILL.format("td:first-child", "['Alice', 'Bob', 'Carol']"),
    ),
    "status": (
        TABLE,
        'button "Delete"',
        FILL.format("td:nth-child(2)", "['Gone', 'Gone', 'Gone']"),
    ),
    "typed": (TABLE, 'button "Delete"', "document.querySelector('input').value = 'Zed'; 0"),
    "ticked": (TABLE, 'button "Delete"', "document.querySelector('[type=checkbox]').click(); 0"),
    "sorted": (
        TABLE,
        'button "Delete"',
        "document.querySelector('tbody').append(document.querySelector('tr')); 0",
    ),
    "others gone": (
        TABLE,
        'button "Delete"',
        "document.querySelectorAll('tr + tr').forEach((row) => row.remove()); 0",
    ),
    "price": (cards("Hut", "Barn"), 'button "Book"', FILL.format("span", "['12 EUR', '8 EUR']")),
    "likes": (
        (
            "<div><h3>Post</h3><p>12 likes</p><time>5 min ago</time><p>Updated 5 minutes ago</p>"
            "<button>Save</button></div>"
        ),
        'button "Save"',
        (
            "document.querySelector('div p').textContent = '13 likes';"
            "document.querySelector('time').textContent = '6 min ago';"
            "document.querySelector('time + p').textContent = 'Updated 6 minutes ago'; 0"
        ),
    ),
    "unread": (
        (
            "<ul><li><h3>Inbox (3)</h3><button>Mute</button><li><h3>Spam (1)</h3>"
            "<button>Mute</button></ul>"
        ),
        'button "Mute"',
        FILL.format("h3", "['Inbox (4)', 'Spam (7)']"),
    ),
    "error": (
        f"<h1>Pay</h1><label>Card <input></label><p id=e></p><p role=status></p>{BUY}",
        'button "Buy"',
        (
            "for (const one of document.querySelectorAll('#e, [role=status]'))"
            " one.textContent = 'Not a card'; 0"
        ),
    ),
    "place in the list": (
        bare("1.", "2.", "3."),
        'button "Book"',
        (
            "document.querySelector('ul').prepend(document.querySelector('li:last-child'));"
            + FILL.format("li span", "['1.', '2.', '3.']")
        ),
    ),
    "details of a number": (
        bare("1", "2"),
        'button "Book"',
        "document.querySelector('li').append('Details of it'); 0",
    ),
    "votes": (
        bare("<b>Hut</b> <i>41</i>", "<b>Barn</b> <i>8</i>"),
        'button "Book"',
        FILL.format("i", "['42', '9']"),
    ),
    "picture that comes": (
        bare("<img alt='' src='data:image/gif,'>", "<img alt='' src='data:image/gif,'>"),
        'button "Book"',
        "document.querySelectorAll('img').forEach((one, n) => { one.src = `/${n}.svg` }); 0",
    ),
    "minutes": (
        bare("<time>3 minutes ago</time>", "<time>5 minutes ago</time>"),
        'button "Book"',
        FILL.format("time", "['4 minutes ago', '6 minutes ago']"),
    ),
    "back again": (
        TABLE,
        'button "Delete"',
        FIRST + ";" + FILL.format("td:first-child", "['Alice', 'Bob', 'Carol']"),
    ),
}


@pytest.mark.parametrize(("html", "line", "script"), KEPT.values(), ids=KEPT)
async def test_the_same_record_keeps_its_ref(page, serve_site, html, line, script):
    await shows(page, serve_site, html)
    ref = ref_in(await page("snapshot"), line)
    await untold(page, script)
    assert "Clicked" in await page("click", ref=ref)


async def test_what_an_answer_told_goes_through(page, serve_site):
    html = cards("Hut", "Barn", "Inn") + "<button id=b>Fill</button>"
    fill = f"<script>b.onclick = () => {{ {TITLES} }}</script>"
    shown = await shows(page, serve_site, html + fill)
    ref = ref_in(shown, 'button "Book"')
    told = await page("click", ref=ref_in(shown, 'button "Fill"'))
    assert told.splitlines()[2:4] == ['~ h3 "Castle"', f'~ button "Book" {ref}']
    assert "Clicked" in await page("click", ref=ref)


async def test_a_list_that_is_filled_anew_by_scrolling_shows_its_buttons(page, serve_site):
    entries = "".join(
        "<div class=m><p></p><div><button>Archive</button></div></div>" for _ in "1234"
    )
    html = (
        "<div id=list style='height:100px;overflow:auto'><div style='height:9999px'>"
        f"{entries}</div></div><script>"
        "const fill = () => document.querySelectorAll('.m p').forEach((one, n) => "
        "{ one.textContent = `Mail ${Math.round(list.scrollTop / 25) + n}` }); fill();"
        "list.onscroll = fill</script>"
    )
    shown = await shows(page, serve_site, html)
    ref = ref_in(shown, 'button "Archive"')
    told = await page("scroll", selector="#list", text="down", y=900)
    assert f'~ text: Mail 36\n~ button "Archive" {ref}\n~ text: Mail 37' in told
    assert "Clicked" in await page("click", ref=ref)


@pytest.mark.parametrize(
    ("text", "line", "goes"),
    [
        ("Zed", 'button "Delete"', True),
        ("Delete", 'button "Delete"', True),
        ("Castle", 'button "Book"', False),
        ("Book", 'button "Book"', False),
    ],
)
async def test_a_part_of_the_page_tells_what_it_shows(page, serve_site, text, line, goes):
    shown = await shows(page, serve_site, TABLE + cards("Hut", "Barn", "Inn"))
    ref = ref_in(shown, line)
    await untold(page, FIRST + ";" + TITLES)
    await page("snapshot", text=text)
    if goes:
        assert "Clicked" in await page("click", ref=ref)
    else:
        assert (await page.fails("click", ref=ref)).code == "stale_ref"


async def test_what_counts_all_the_time_is_the_same(page, serve_site):
    html = (
        "<h1>Shop</h1><p>Offer ends in round 1</p><button>Buy</button><script>let n = 1;"
        "setInterval(() => { document.querySelector('h1 + p').firstChild.data = "
        "`Offer ends in round ${++n}` }, 100)</script>"
    )
    ref = ref_in(await shows(page, serve_site, html), 'button "Buy"')
    await asyncio.sleep(1.5)  # within a second of an action changes are taken for those of it
    for _ in range(3):
        assert "Clicked" in await page("click", ref=ref)


EVERY_KIND = "".join(
    f"<tr><td>{name}</td><td><input aria-label=Amount></td><td><select aria-label=Size><option>S"
    "<option>L</select></td><td><input type=checkbox aria-label=Pick></td><td><input type=file"
    " aria-label=Bill></td><td draggable=true><button>Delete</button></td></tr>"
    for name in ("Alice", "Bob", "Carol")
)
ACTIONS = {
    "fill": ('textbox "Amount"', "fill", {"value": "50"}),
    "fill a box": ('checkbox "Pick"', "fill", {"value": "true"}),
    "type": ('textbox "Amount"', "type", {"text": "50"}),
    "press": ('textbox "Amount"', "press", {"key": "Enter"}),
    "select": ('combobox "Size"', "select", {"value": "L"}),
    "upload": ('button "Bill"', "upload", {"paths": ["bill.txt"]}),
    "drag": ('button "Delete"', "drag", {"value": "10,10"}),
    "hover": ('button "Delete"', "hover", {}),
    "evaluate": ('button "Delete"', "evaluate", {"text": "(e) => e.click()"}),
    "batch": ('button "Delete"', "batch", {}),
}


@pytest.mark.parametrize(("line", "action", "fields"), ACTIONS.values(), ids=ACTIONS)
async def test_no_action_acts_on_another_record(page, serve_site, line, action, fields, outputs):
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "bill.txt").write_text("9 EUR")
    await shows(page, serve_site, f"<table>{EVERY_KIND}</table>")
    ref = ref_in(await page("snapshot"), line)
    await untold(page, FIRST)
    if action == "batch":
        told = await page("batch", steps=[f"click ref={ref}"])
    else:
        told = str(await page.fails(action, ref=ref, **fields))
    assert 'in row "Zed" now' in told
