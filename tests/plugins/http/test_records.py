"""`http.extract`: which elements of a page are its rows."""

import json

import pytest

from strap import ActionError
from tests.plugins.http.rows import extracted, rows_of
from tests.site.server import serve

pytestmark = pytest.mark.anyio


async def test_cells_of_two_kinds_in_each_row_are_no_rows(web):
    """The widest cells of a forum's index say most of what its rows do."""
    lines = "".join(
        f"<tr class={('odd', 'even')[n % 2]}><td class='name wide'><a href=/f/{n}>Forum number {n}"
        f"</a><td class=count>{n}<td class='latest wide'>{n} hours ago by <a href=/u/{n}>user {n}"
        f"</a> in <a href=/t/{n}>A thread with a long title, number {n}</a>"
        for n in range(9)
    )
    heads = "<tr><th class=wide>Section<th>Threads<th class=wide>Latest"
    rows = await rows_of(web, f"<table>{heads}{lines}</table>")
    assert len(rows) == 9
    assert (rows[3]["section"], rows[3]["threads"]) == ("Forum number 3", "3")


@pytest.mark.parametrize("rules", [None, "text: b"])
async def test_what_a_selector_of_the_caller_finds_is_a_row_each(web, rules):
    items = "".join(f"<li>{f'<b>v{n}</b>' if n % 2 else ''}</li>" for n in range(8))
    rows = await rows_of(web, f"<ul>{items}</ul>", selector="li", value=rules)
    assert rows == [{"text": f"v{n}"} if n % 2 else {} for n in range(8)]


async def test_a_row_that_does_not_fit_has_the_number_that_the_page_has(web):
    items = "".join(f"<li>{f'<b>{n}</b>' if n else ''}</li>" for n in range(3))
    schema = json.dumps({"required": ["text"]})
    with serve({"/": f"<ul>{items}</ul>"}) as site, pytest.raises(ActionError, match=r"^Row 1: "):
        await extracted(web, site, selector="li", schema=schema)


async def test_rows_in_hundreds_of_elements_are_found(web):
    items = "".join(f"<li><b>Lamp {n}</b> <i>{n}.50</i></li>" for n in range(8))
    rows = await rows_of(web, f"{'<div>' * 400}<ul>{items}</ul>{'</div>' * 400}")
    assert len(rows) == 8


async def test_titles_of_groups_name_no_columns_of_a_table(web):
    lines = "".join(
        f"<tr><th colspan=2>Group {n}</tr><tr><td>Lamp {n}<td>{n}.50</tr><tr><td>Bulb {n}<td>{n}"
        for n in range(4)
    )
    head = "<tr><th colspan=2>All that there is</tr><tr><th>Name<th>Price</tr>"
    rows = await rows_of(web, f"<table>{head}{lines}</table>")
    assert rows[:2] == [{"name": "Lamp 0", "price": "0.50"}, {"name": "Bulb 0", "price": "0"}]
    assert len(rows) == 8


def listed(number, *, without="", more="", head="h3", price="<p class=price>"):
    """A record of elements that stand one after the other."""
    parts = {
        "title": f"<{head}>Lamp {number}</{head}>",
        "more": more,
        "price": f"{price}{number * 3}.50 €</p>",
        "about": f"<p class=about>About lamp number {number}.</p>",
        "link": f"<a href=/i/{number}>Look at {number}</a>",
    }
    return "".join(part for name, part in parts.items() if name != without)


@pytest.mark.parametrize("without", ["price", "about", "link"])
async def test_a_record_that_lacks_a_part_is_a_row_without_it(web, without):
    """It was left out, and nothing said so."""
    page = "".join(listed(n, without=without if n == 3 else "") for n in range(1, 8))
    rows = await rows_of(web, f"<main><h1>Lamps</h1>{page}<p>Prices are as of today.</p></main>")
    assert [row["title"] for row in rows] == [f"Lamp {n}" for n in range(1, 8)]
    lacking = {"link": "url"}.get(without, without)
    assert [lacking in row for row in rows] == [n != 3 for n in range(1, 8)]
    assert rows[2].get("price") in (None, "9.50 €")
    assert rows[2].get("about") in (None, "About lamp number 3.")


@pytest.mark.parametrize("more", ["<p class=note>Sold out</p>", "<div>Sold out</div>"])
async def test_a_part_more_moves_none_into_the_column_of_another(web, more):
    """Its price was "Sold out", and its text the price."""
    page = "".join(listed(n, more=more if n == 3 else "") for n in range(1, 8))
    rows = await rows_of(web, f"<main><h1>Lamps</h1>{page}</main>")
    assert len(rows) == 7
    assert (rows[2]["price"], rows[2]["about"]) == ("9.50 €", "About lamp number 3.")
    assert rows[2]["url"].endswith("/i/3")


async def test_what_a_record_has_more_of_stands_with_the_last_of_its_kind(web):
    terms = "".join(
        f"<dt>Term {n}</dt><dd>Meaning {n} of it</dd>{'<dd>Another</dd>' if n == 3 else ''}"
        for n in range(1, 8)
    )
    rows = await rows_of(web, f"<dl>{terms}</dl>")
    assert [*rows[2].values()] == ["Term 3", "Meaning 3 of it, Another"]
    assert [*rows[3].values()] == ["Term 4", "Meaning 4 of it"]


async def test_the_heading_of_a_section_is_no_part_of_the_record_before_it(web):
    page = "".join(f"{'<h2>Lamps of glass</h2>' if n == 4 else ''}{listed(n)}" for n in range(1, 8))
    rows = await rows_of(web, f"<main><h1>Lamps</h1>{page}</main>")
    assert len(rows) == 7
    assert "Lamps of glass" not in str(rows)
